// tocuda, Apache-2.0.
#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>

#include "doctor/python/elf.hpp"
#include "doctor/python/files.hpp"
#include "machine/text_file.hpp"

namespace tocuda::doctor {
namespace {

// "torch-2.15.0.dist-info" of the package "torch": "2.15.0"; empty for others.
std::string version_in(const std::string& folder, const std::string& package) {
    constexpr std::string_view ending = ".dist-info";
    if (!folder.starts_with(package + "-") || !folder.ends_with(ending)) return {};
    return folder.substr(package.size() + 1, folder.size() - package.size() - 1 - ending.size());
}

// `cuda: Optional[str] = '13.2'` or `cuda = '13.2'` in torch/version.py; nullopt if missing or None.
std::optional<std::string> assigned(const std::string& text, const std::string& name) {
    for (const auto& line : lines_of(text)) {
        if (!line.starts_with(name) || line.find_first_of(" :=", name.size()) != name.size()) continue;
        const auto begin = line.find('\'', line.find('='));
        if (begin == std::string::npos) return std::nullopt;
        return line.substr(begin + 1, line.find('\'', begin + 1) - begin - 1);
    }
    return std::nullopt;
}

// The text after `key` up to `end` in a file that is small or, as JSON of conda, flat enough.
std::string value_after(const std::string& text, const std::string& key, char end) {
    const auto at = text.find(key);
    if (at == std::string::npos) return {};
    const auto begin = text.find_first_not_of(" \"", at + key.size());
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find(end, begin) - begin);
}

// The record of conda says which build was chosen: "cpu_generic_py311_h..." or "cuda126_...".
std::string conda_build_of(const Rooted& root, const std::string& prefix) {
    for (const auto& name : root.names(prefix + "/conda-meta")) {
        if (!name.starts_with("pytorch-") || !name.ends_with(".json") || name.find_first_of("0123456789") != 8)
            continue;
        const auto text = root.text(prefix + "/conda-meta/" + name).value_or("");
        auto channel = value_after(text, "\"channel\":", '"');
        channel.erase(0, channel.find("://") == std::string::npos ? 0 : channel.find('/', channel.find("://") + 3) + 1);
        return channel.substr(0, channel.find('/')) + " " + value_after(text, "\"build\":", '"');
    }
    return {};
}

void read_distribution(const Rooted& root, const std::string& site, TorchSeen& torch) {
    for (const auto& name : root.names(site))
        if (!version_in(name, "torch").empty()) torch.distributions.push_back(name);
    if (torch.distributions.empty()) return;
    // Of several, the one whose version torch itself has.
    auto chosen = torch.distributions.back();
    for (const auto& each : torch.distributions)
        if (torch.version.starts_with(version_in(each, "torch"))) chosen = each;
    torch.distribution_version = version_in(chosen, "torch");
    const auto folder = site + "/" + chosen;
    torch.installer = root.text(folder + "/INSTALLER").value_or("");
    torch.installer.erase(std::min(torch.installer.find_last_not_of(" \r\n") + 1, torch.installer.size()));
    torch.wheel_tag = value_after(root.text(folder + "/WHEEL").value_or(""), "Tag:", '\n');
    torch.origin = value_after(root.text(folder + "/direct_url.json").value_or(""), "\"url\":", '"');
}

// Which package's files are there, by the sizes that its RECORD lists; nullopt where the sizes do not tell.
bool has_files_of(const Rooted& root, const std::string& site, const std::string& distribution) {
    int same = 0;
    for (const auto& line : lines_of(root.text(site + "/" + distribution + "/RECORD").value_or(""))) {
        const auto last = line.rfind(',');
        const auto path = line.substr(0, line.find(','));
        if (last == std::string::npos || path.find(".so") == std::string::npos) continue;
        std::uint64_t size = 0;
        std::from_chars(line.data() + last + 1, line.data() + line.size(), size);
        std::error_code missing;
        if (std::filesystem::file_size(root.here(site + "/" + path), missing) != size || missing) return false;
        ++same;
    }
    return same > 0;
}

// nvidia-cudnn-cu12 and nvidia-cudnn-cu13 write the same files; so do nccl, nvshmem and cusparselt.
std::vector<SharedPath> shared_paths_of(const Rooted& root, const std::string& site) {
    std::map<std::string, SharedPath> by_library;
    for (const auto& name : root.names(site)) {
        constexpr std::string_view begin = "nvidia_";
        const auto major_at = name.find("_cu1");
        if (!name.starts_with(begin) || !name.ends_with(".dist-info") || major_at == std::string::npos) continue;
        const auto library = name.substr(begin.size(), major_at - begin.size());
        const auto dash = name.find('-', major_at);
        if (dash == std::string::npos) continue;
        auto& shared = by_library[library];
        shared.folder = "nvidia/" + library;
        shared.packages.push_back("nvidia-" + library + name.substr(major_at, dash - major_at));
        shared.packages.back()[shared.packages.back().rfind('_')] = '-';
        shared.majors.push_back(std::atoi(name.c_str() + major_at + 3));
        if (has_files_of(root, site, name)) shared.files_of = shared.majors.back();
    }
    std::vector<SharedPath> shared;
    for (auto& [library, each] : by_library)
        if (each.packages.size() > 1 && root.is_folder(site + "/" + each.folder)) shared.push_back(std::move(each));
    return shared;
}

}  // namespace

std::vector<std::string> architectures_in(std::string_view bytes) {
    // A text of its own between NULs: "sm_75 sm_80 compute_120".
    for (auto at = bytes.find("sm_"); at != std::string_view::npos; at = bytes.find("sm_", at + 1)) {
        if (at > 0 && bytes[at - 1] != '\0') continue;
        const auto text = bytes.substr(at, bytes.find('\0', at) - at);
        if (text.size() < 5 ||
            text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789 ") != std::string_view::npos)
            continue;
        std::vector<std::string> all;
        for (std::size_t from = 0; from < text.size();) {
            const auto end = std::min(text.find(' ', from), text.size());
            const auto one = text.substr(from, end - from);
            const auto digits = one.starts_with("sm_")        ? one.substr(3)
                                : one.starts_with("compute_") ? one.substr(8)
                                                              : "";
            if (!digits.empty() && digits[0] >= '1' && digits[0] <= '9') all.emplace_back(one);
            from = end + 1;
        }
        if (!all.empty() && std::ranges::count(text, ' ') + 1 == std::ssize(all)) return all;
    }
    return {};
}

std::optional<TorchSeen> see_torch(const Rooted& root, const PythonSeen& python) {
    for (const auto& site : python.search_path) {
        const auto folder = site + "/torch";
        if (!root.exists(folder + "/__init__.py")) {
            if (root.exists(folder + ".py")) return TorchSeen{.folder = folder + ".py", .is_file = true};
            continue;
        }
        TorchSeen torch{.folder = folder};
        const auto version = root.text(folder + "/version.py").value_or("");
        torch.version = assigned(version, "__version__").value_or("");
        torch.cuda = assigned(version, "cuda");
        torch.hip = assigned(version, "hip");
        read_distribution(root, site, torch);
        torch.library_folder = folder + "/lib";
        if (const auto shared = normal(site + "/../..");
            !root.exists(torch.library_folder + "/libtorch_python.so") && root.exists(shared + "/libtorch_python.so"))
            torch.library_folder = shared;
        torch.has_cuda_library = root.exists(torch.library_folder + "/libtorch_cuda.so");
        const auto binding = root.here(torch.library_folder + "/libtorch_python.so");
        if (const auto elf = read_elf(binding)) torch.architecture = elf->machine;
        if (torch.has_cuda_library) torch.gpu_architectures = architectures_in(section_of(binding, ".rodata"));
        torch.shared_paths = shared_paths_of(root, site);
        if (python.kind == "conda")
            torch.conda_build =
                conda_build_of(root, std::filesystem::path(python.interpreter).parent_path().parent_path().string());
        return torch;
    }
    return std::nullopt;
}

}  // namespace tocuda::doctor
