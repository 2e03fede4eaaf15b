// tocuda, Apache-2.0.
// Whose machine it is: container, WSL, Tegra, distribution; and which driver libraries lie where the loader looks.
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "doctor/gather_machine.hpp"
#include "machine/text_file.hpp"

namespace tocuda::doctor {
namespace {

namespace fs = std::filesystem;

bool has_part(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

Container container_in(const fs::path& root, const Variables& variables) {
    if (variables.contains("KUBERNETES_SERVICE_HOST")) return Container::kubernetes;
    if (variables.contains("APPTAINER_CONTAINER") || variables.contains("SINGULARITY_CONTAINER") ||
        fs::exists(root / ".singularity.d"))
        return Container::apptainer;
    if (fs::exists(root / "run/.containerenv")) return Container::podman;
    if (fs::exists(root / ".dockerenv")) return Container::docker;
    const auto groups = read_text(root / "proc/1/cgroup").value_or("");
    if (has_part(groups, "kubepods")) return Container::kubernetes;
    if (has_part(groups, "docker")) return Container::docker;
    if (has_part(groups, "libpod")) return Container::podman;
    if (has_part(groups, "/lxc")) return Container::lxc;
    const auto manager = read_text(root / "run/systemd/container").value_or("");
    if (has_part(manager, "lxc")) return Container::lxc;
    if (has_part(manager, "docker")) return Container::docker;
    return manager.empty() ? Container::none : Container::unnamed;
}

std::string value_of(const std::vector<std::string>& lines, const std::string& key) {
    for (const auto& line : lines) {
        if (!line.starts_with(key + "=")) continue;
        auto value = line.substr(key.size() + 1);
        std::erase(value, '"');
        return value;
    }
    return {};
}

void add_folder(std::vector<fs::path>& folders, const fs::path& folder) {
    if (folder.is_absolute() && std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
}

// The folders that the loader searches, in its order, as far as files tell: its cache is not read.
std::vector<fs::path> loader_folders(const fs::path& root, const Variables& variables) {
    std::vector<fs::path> folders;
    const auto set = variables.find("LD_LIBRARY_PATH");
    std::string part;
    for (const char letter : (set == variables.end() ? std::string() : set->second) + ":") {
        if (letter != ':') {
            part += letter;
            continue;
        }
        add_folder(folders, part);
        part.clear();
    }
    std::error_code none;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(root / "etc/ld.so.conf.d", none)) files.push_back(entry.path());
    std::ranges::sort(files);
    files.push_back(root / "etc/ld.so.conf");
    for (const auto& file : files)
        for (const auto& line : lines_of(read_text(file).value_or(""))) add_folder(folders, line);
    for (const char* folder : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu",
                               "/usr/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64", "/lib", "/usr/lib"})
        add_folder(folders, folder);
    return folders;
}

constexpr std::array elsewhere{"/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/run/opengl-driver/lib",
                               "/usr/local/cuda/compat", "/usr/local/cuda/lib64/stubs"};

// "580.95.05" of libcuda.so.580.95.05; empty for any other name
std::string version_in(const fs::path& file) {
    constexpr std::string_view begin = "libcuda.so.";
    const auto name = file.filename().string();
    if (!name.starts_with(begin)) return {};
    const auto version = name.substr(begin.size());
    return has_part(version, ".") ? version : "";
}

void add_library(std::vector<DriverLibrary>& found, std::vector<fs::path>& files, const fs::path& root,
                 const fs::path& folder, bool on_path) {
    const auto path = folder / "libcuda.so.1";
    const auto below = root / path.relative_path();
    std::error_code none;
    if (!fs::exists(below, none)) return;
    const auto file = fs::canonical(below, none);
    if (std::ranges::find(files, file) != files.end()) return;
    files.push_back(file);
    found.push_back({path, version_in(file), on_path});
}

}  // namespace

std::vector<DriverLibrary> see_libraries(const fs::path& root, const Variables& variables) {
    std::vector<DriverLibrary> found;
    std::vector<fs::path> files;
    for (const auto& folder : loader_folders(root, variables)) add_library(found, files, root, folder, true);
    for (const char* folder : elsewhere) add_library(found, files, root, folder, false);
    return found;
}

Surroundings see_surroundings(const fs::path& root, const Variables& variables) {
    Surroundings around;
    around.container = container_in(root, variables);
    const auto release = read_text(root / "proc/sys/kernel/osrelease").value_or("");
    around.wsl = has_part(release, "icrosoft");
    around.tegra = fs::exists(root / "etc/nv_tegra_release") || has_part(release, "-tegra");
    around.selinux_enforcing = read_text(root / "sys/fs/selinux/enforce").value_or("").starts_with('1');
    around.root = ::geteuid() == 0;
    const auto lines = lines_of(read_text(root / "etc/os-release").value_or(""));
    around.system = value_of(lines, "ID");
    around.like = value_of(lines, "ID_LIKE");
    struct statvfs shared{};
    if (::statvfs((root / "dev/shm").c_str(), &shared) == 0)
        around.shared_memory_mib = static_cast<long>(shared.f_blocks * shared.f_frsize >> 20);
    return around;
}

Seen see_machine(const fs::path& root, Variables variables) {
    return {.around = see_surroundings(root, variables),
            .bus = see_bus(root),
            .kernel = see_kernel(root),
            .log = see_kernel_log(root),
            .nodes = see_nodes(root),
            .libraries = see_libraries(root, variables),
            .variables = std::move(variables)};
}

}  // namespace tocuda::doctor
