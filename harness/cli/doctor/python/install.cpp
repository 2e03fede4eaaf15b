// tocuda, Apache-2.0.
#include "doctor/python/install.hpp"

#include "doctor/python/files.hpp"
#include "doctor/python/rooted.hpp"

namespace tocuda::doctor {

PythonSeen see_python(const std::string& python, const std::map<std::string, std::string>& environment,
                      const std::filesystem::path& folder) {
    const Rooted root(folder);
    auto seen = see_interpreter(root, python, environment);
    for (const std::string name : {"LD_LIBRARY_PATH", "LD_PRELOAD", "PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"})
        if (const auto found = environment.find(name); found != environment.end() && !found->second.empty())
            seen.environment.insert(*found);
    if (!seen.problem.empty()) return seen;
    seen.torch = see_torch(root, seen);
    if (seen.torch && seen.torch->has_cuda_library && !seen.torch->version.empty())
        seen.torch->libraries = troubled_libraries(root, {.interpreter = seen.interpreter,
                                                          .torch = seen.torch->folder,
                                                          .library_folder = seen.torch->library_folder,
                                                          .search_path = seen.search_path,
                                                          .environment = seen.environment});
    return seen;
}

}  // namespace tocuda::doctor
