// tocuda, Apache-2.0.
#include <algorithm>
#include <optional>

#include "doctor/python/elf.hpp"
#include "doctor/python/files.hpp"
#include "machine/text_file.hpp"

namespace tocuda::doctor {
namespace {

using Environment = std::map<std::string, std::string>;

std::string variable_of(const Environment& environment, const std::string& name) {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

std::vector<std::string> entries_of(const std::string& list) {
    std::vector<std::string> entries;
    for (std::size_t from = 0; from <= list.size();) {
        const auto end = std::min(list.find(':', from), list.size());
        if (end > from) entries.push_back(list.substr(from, end - from));
        from = end + 1;
    }
    return entries;
}

std::string parent_of(const std::string& path) { return std::filesystem::path(path).parent_path().string(); }

// "home = /usr/bin" of pyvenv.cfg; empty if the key is missing.
std::string setting_of(const std::string& text, std::string_view key) {
    for (const auto& line : lines_of(text)) {
        const auto equals = line.find('=');
        if (equals == std::string::npos || line.substr(0, line.find_last_not_of(' ', equals - 1) + 1) != key) continue;
        const auto begin = line.find_first_not_of(' ', equals + 1);
        return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \r") + 1 - begin);
    }
    return {};
}

std::string on_path(const Rooted& root, const std::string& name, const Environment& environment) {
    for (const auto& folder : entries_of(variable_of(environment, "PATH")))
        if (root.exists(folder + "/" + name) && !root.is_folder(folder + "/" + name))
            return normal(folder + "/" + name);
    return {};
}

// A shim of pyenv is a script; the version that it starts is named by PYENV_VERSION or in the file `version`. It may
// have no program of the shim's name: "python3.9" where 3.11 is chosen.
std::string behind_shim(const Rooted& root, const std::string& shim, const Environment& environment) {
    const auto top = parent_of(parent_of(shim));
    auto version = variable_of(environment, "PYENV_VERSION");
    if (version.empty()) version = root.text(top + "/version").value_or("");
    version = version.substr(0, version.find_first_of(":\r\n"));
    const auto python = top + "/versions/" + version + "/bin/" + std::filesystem::path(shim).filename().string();
    return version.empty() || !root.exists(python) ? "" : python;
}

// Known by its name: "python3.12", "pypy3.10", ".python-wrapped".
bool is_python(const std::string& real) {
    const auto name = std::filesystem::path(real).filename().string();
    return name.find("python") != std::string::npos || name.starts_with("pypy");
}

// The folder python3.X below lib, and X's version; the newest if the file's name does not say which.
std::string version_of(const Rooted& root, const std::string& prefix, const std::string& real) {
    const std::string name = "python";
    const auto file = std::filesystem::path(real).filename().string();
    if (file.starts_with(name) && file.find('.') != std::string::npos) return file.substr(name.size());
    std::string newest;
    int minor_most = -1;
    for (const auto& folder : root.names(prefix + "/lib")) {
        if (!folder.starts_with("python3.") || folder.find_first_not_of("0123456789", 8) != std::string::npos) continue;
        if (const auto minor = std::atoi(folder.c_str() + 8); minor > minor_most) {
            minor_most = minor;
            newest = folder.substr(name.size());
        }
    }
    return newest;
}

class SearchPath {
public:
    SearchPath(const Rooted& files, PythonSeen& python) : root(files), seen(python) {}

    void add(const std::string& folder) {
        if (!root.is_folder(folder) || std::ranges::count(seen.search_path, normal(folder))) return;
        seen.search_path.push_back(normal(folder));
        for (const auto& name : root.names(folder))
            if (name.ends_with(".pth")) add_listed(folder, root.text(folder + "/" + name).value_or(""));
    }
    void add_prefix(const std::string& prefix) {
        const auto python = "/python" + seen.version;
        for (const std::string lib : {"/lib", "/lib64", "/local/lib"})
            for (const std::string packages : {"/site-packages", "/dist-packages"})
                add(prefix + lib + python + packages);
        add(prefix + "/lib/python3/dist-packages");  // Debian's
    }

private:
    const Rooted& root;
    PythonSeen& seen;

    void add_listed(const std::string& folder, const std::string& text) {
        for (const auto& line : lines_of(text)) {
            if (line.empty() || line.starts_with('#') || line.starts_with("import ")) continue;
            const auto listed = normal(line.starts_with('/') ? line : folder + "/" + line);
            if (root.is_folder(listed) && !std::ranges::count(seen.search_path, listed))
                seen.search_path.push_back(listed);
        }
    }
};

void add_search_path(const Rooted& root, const std::string& prefix, const std::string& base, bool user_site,
                     const Environment& environment, PythonSeen& seen) {
    SearchPath path(root, seen);
    for (const auto& folder : entries_of(variable_of(environment, "PYTHONPATH"))) path.add(folder);
    if (prefix != base) path.add_prefix(prefix);
    auto user = variable_of(environment, "PYTHONUSERBASE");
    if (user.empty() && !variable_of(environment, "HOME").empty()) user = variable_of(environment, "HOME") + "/.local";
    if (user_site && !user.empty() && variable_of(environment, "PYTHONNOUSERSITE").empty())
        path.add(user + "/lib/python" + seen.version + "/site-packages");
    if (prefix == base || user_site) path.add_prefix(base);
}

}  // namespace

PythonSeen see_interpreter(const Rooted& root, const std::string& python, const Environment& environment) {
    PythonSeen seen{.asked = python, .has_uv = !on_path(root, "uv", environment).empty()};
    auto file = python.find('/') == std::string::npos ? on_path(root, python, environment) : normal(python);
    if (file.empty()) file = python;
    const bool is_folder = root.is_folder(file);
    if (is_folder) file = normal(file + (root.exists(file + "/bin/python3") ? "/bin/python3" : "/bin/python"));
    if (!root.exists(file)) {
        seen.problem = python + (is_folder ? " holds no bin/python" : " is not found");
        return seen;
    }
    if (parent_of(file).ends_with("/shims")) {
        const auto behind = behind_shim(root, file, environment);
        if (behind.empty()) {
            seen.problem =
                file + " is a shim of pyenv that starts nothing: the version chosen has no program of its name";
            return seen;
        }
        file = behind;
    }
    seen.interpreter = file;
    const auto elf = read_elf(root.here(file));
    const auto real = root.real(file).value_or(file);
    if (!elf || !is_python(real)) {
        const bool is_script = root.text(file).value_or("").starts_with("#!");
        seen.problem = file + (is_script ? " is a script, not an interpreter; name the one that it starts"
                                         : " is not a Python interpreter");
        return seen;
    }
    seen.machine = elf->machine;
    // A virtual environment is known by the file beside the link, or above its folder, not by where the link leads.
    auto prefix = parent_of(parent_of(file));
    auto settings = root.text(prefix + "/pyvenv.cfg");
    if (!settings) settings = root.text(parent_of(file) + "/pyvenv.cfg");
    const auto base = parent_of(parent_of(real));
    if (!settings) prefix = base;
    const bool of_pyenv =
        parent_of(prefix).ends_with("/versions") && root.is_folder(parent_of(parent_of(prefix)) + "/shims");
    seen.kind = settings ? "venv" : root.is_folder(prefix + "/conda-meta") ? "conda" : of_pyenv ? "pyenv" : "system";
    seen.version = version_of(root, prefix, real);
    const bool sees_system = !settings || setting_of(*settings, "include-system-site-packages") == "true";
    add_search_path(root, prefix, base, sees_system, environment, seen);
    if (seen.search_path.empty()) seen.problem = "no folder with packages is found for " + file;
    return seen;
}

}  // namespace tocuda::doctor
