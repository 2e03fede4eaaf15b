// tocuda, Apache-2.0.
// The kernel's side of the driver: modules loaded and on disk, what keeps them out, and the device nodes.
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "doctor/gather_machine.hpp"
#include "machine/facts.hpp"
#include "machine/text_file.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> sorted_entries(const fs::path& folder) {
    std::error_code none;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder, none)) found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
}

// A module's file is compressed on some systems: nvidia.ko, .ko.xz, .ko.zst. The distributions put it in one of these.
bool has_nvidia_module(const fs::path& modules) {
    for (const char* folder : {"updates/dkms", "updates", "extra", "extra/nvidia", "kernel/drivers/video",
                               "kernel/drivers/video/nvidia", "kernel/nvidia", "kernel/drivers/char/drm",
                               "weak-updates", "weak-updates/nvidia", "misc", "extramodules", "kernel/extramodules"})
        for (const auto& file : sorted_entries(modules / folder))
            if (file.filename().string().starts_with("nvidia.ko")) return true;
    // Ubuntu's signed modules: kernel/nvidia-580-open/nvidia.ko
    for (const auto& folder : sorted_entries(modules / "kernel"))
        if (folder.filename().string().starts_with("nvidia") &&
            std::ranges::any_of(sorted_entries(folder),
                                [](const fs::path& file) { return file.filename().string().starts_with("nvidia.ko"); }))
            return true;
    return false;
}

// "blacklist nvidia", "install nvidia /bin/false", "alias nvidia off"
bool keeps_nvidia_out(std::string_view line) {
    const auto words = words_of(line);
    if (words.size() < 2 || words[1] != "nvidia") return false;
    if (words[0] == "blacklist") return true;
    return words.size() > 2 &&
           ((words[0] == "alias" && words[2] == "off") ||
            (words[0] == "install" && (words[2].ends_with("/false") || words[2].ends_with("/true"))));
}

std::vector<std::string> blacklists(const fs::path& root) {
    std::vector<std::string> found;
    for (const char* folder : {"etc/modprobe.d", "run/modprobe.d", "usr/lib/modprobe.d", "lib/modprobe.d"})
        for (const auto& file : sorted_entries(root / folder)) {
            if (file.extension() != ".conf") continue;
            for (const auto& line : lines_of(read_text(file).value_or("")))
                if (keeps_nvidia_out(line))
                    found.push_back("/" + std::string(folder) + "/" + file.filename().string() + ": " + line);
        }
    return found;
}

// The variable's first four bytes are its attributes, the fifth its value.
bool secure_boot(const fs::path& root) {
    const auto text = read_text(root / "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
    return text && text->size() == 5 && text->at(4) == 1;
}

std::string group_of(const struct stat& about) {
    const auto* group = ::getgrgid(about.st_gid);
    return group ? group->gr_name : std::to_string(about.st_gid);
}

DeviceNode node_at(const fs::path& file, const fs::path& root) {
    DeviceNode node{.path = "/" + file.lexically_relative(root).string()};
    if (::access(file.c_str(), R_OK | W_OK) != 0) node.error = errno;
    struct stat about{};
    if (::stat(file.c_str(), &about) == 0) node.group = group_of(about);
    return node;
}

bool is_driver_node(const std::string& name) {
    return name == "dxg" || name == "nvgpu" || name == "nvmap" || name.starts_with("nvhost-") ||
           (name.starts_with("nvidia") && !name.starts_with("nvidia-caps"));
}

}  // namespace

KernelSide see_kernel(const fs::path& root) {
    KernelSide kernel;
    const auto facts = read_facts(root);
    kernel.release = facts.machine.kernel.value_or("");
    kernel.version = facts.driver.kernel_module;
    kernel.flavour = facts.driver.flavour;
    for (const char* module : {"nvidia", "nvidia_uvm"})
        if (fs::exists(root / "sys/module" / module)) kernel.modules.insert(module);
    for (const auto& folder : sorted_entries(root / "lib/modules"))
        if (has_nvidia_module(folder)) kernel.built_for.push_back(folder.filename());
    for (const auto& folder : sorted_entries(root / "usr/src")) {
        const auto name = folder.filename().string();
        constexpr std::string_view begin = "nvidia-";
        if (name.starts_with(begin) && fs::exists(folder / "dkms.conf"))
            kernel.sources.push_back(name.substr(begin.size()));
    }
    kernel.blacklists = blacklists(root);
    kernel.secure_boot = secure_boot(root);
    kernel.headers = !kernel.release.empty() && fs::exists(root / "lib/modules" / kernel.release / "build");
    return kernel;
}

std::vector<DeviceNode> see_nodes(const fs::path& root) {
    std::vector<DeviceNode> nodes;
    for (const auto& file : sorted_entries(root / "dev"))
        if (is_driver_node(file.filename())) nodes.push_back(node_at(file, root));
    for (const auto& file : sorted_entries(root / "dev/nvidia-caps-imex-channels"))
        nodes.push_back(node_at(file, root));
    return nodes;
}

}  // namespace tocuda::doctor
