// tocuda, Apache-2.0.
#include "request/libtorch_of_python.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "engine/engine.hpp"

namespace tocuda {
namespace {

constexpr double find_seconds = 30;

// What scripts/set_up/installed_torch.py, which is installed beside the workers, prints.
struct TorchFound {
    std::string folder_or_reason{};
    std::string version{};
    std::string python{};
    std::string runtime{};  // the folder of the CUDA runtime that came with it
};

TorchFound ask_python(const std::string& python, const std::string& needed, const std::filesystem::path& folder) {
    // Redirected to descriptor 3, on which the lines of every child are read.
    const auto answer = ask({"/bin/sh", "-c", "exec \"$0\" \"$@\" >&3", python, folder / "installed_torch.py", needed},
                            find_seconds, "waiting for " + python + " to find torch");
    if (answer.said.empty()) return {"it does not start"};
    std::istringstream lines(answer.said);
    TorchFound found;
    for (auto* line : {&found.folder_or_reason, &found.version, &found.python, &found.runtime})
        std::getline(lines, *line);
    if (found.folder_or_reason.empty()) found.folder_or_reason = "torch is not installed";
    return found;
}

}  // namespace

std::string libtorch_needed_by(const std::filesystem::path& folder) {
    std::ifstream file(folder / "libtorch_version");
    std::string version;
    file >> version;
    return version;
}

Expected<FoundLibTorch> libtorch_of_python(const std::string& needed, const std::filesystem::path& folder) {
    const char* named = std::getenv("TOCUDA_PYTHON");
    const std::string python = named && *named ? named : "python3";
    const auto found = ask_python(python, needed, folder);
    if (found.version.empty())
        return problem("needs torch " + needed + "; " + python + ": " + found.folder_or_reason +
                       "; set TOCUDA_PYTHON to a Python with torch " + needed);
    auto libraries = found.folder_or_reason + "/lib:" + found.runtime;
    if (const char* more = std::getenv("LD_LIBRARY_PATH"); more && *more) libraries += std::string(":") + more;
    return FoundLibTorch{
        found.version,
        {{"LD_LIBRARY_PATH", libraries}, {"TOCUDA_PYTHON", found.python}, {"TOCUDA_TORCH", found.folder_or_reason}}};
}

}  // namespace tocuda
