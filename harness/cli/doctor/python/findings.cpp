// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "doctor/findings_by_state.hpp"
#include "doctor/python/architectures.hpp"
#include "doctor/python/install.hpp"

namespace tocuda::doctor {
namespace {

// {2, 15} for "2.15.0+cu132"; zeros where nothing is read.
std::pair<int, int> version_numbers(std::string_view text) {
    std::pair<int, int> numbers{0, 0};
    const auto* const end = std::to_address(text.end());
    const auto major = std::from_chars(std::to_address(text.begin()), end, numbers.first);
    if (major.ec == std::errc{} && major.ptr != end) std::from_chars(major.ptr + 1, end, numbers.second);
    return numbers;
}

std::string some_of(const std::vector<std::string>& words, std::string_view separator, std::size_t most = 12) {
    std::string text;
    for (std::size_t index = 0; index < std::min(words.size(), most); ++index)
        text += std::string(index ? separator : "") + words[index];
    return words.size() > most ? fmt::format("{}{}and {} more", text, separator, words.size() - most) : text;
}

// The last PyTorch for a Python that today's no longer supports; empty for the others.
std::string newest_for(std::pair<int, int> python) {
    if (python == std::pair{0, 0} || python >= std::pair{3, 10}) return "";
    return python == std::pair{3, 9}   ? "2.8"
           : python == std::pair{3, 8} ? "2.4"
           : python == std::pair{3, 7} ? "1.13"
                                       : "1.10";
}

class Judgement {
public:
    Judgement(const PythonSeen& python, const GpusKnown& known)
        : seen(python), gpus(known), torch(python.torch.value_or(TorchSeen{})) {}

    std::vector<Finding> all() {
        judge_python();
        if (!seen.torch) return found;
        if (torch.is_file) {
            add(fault("torch",
                      fmt::format("{} is imported instead of PyTorch: a file of one's own of that name", torch.folder),
                      fmt::format("mv {0} {0}.renamed   (or take its folder out of PYTHONPATH)", torch.folder)));
            return found;
        }
        judge_distribution();
        if (!judge_build()) return found;
        judge_libraries();
        judge_shared_paths();
        judge_library_path();
        judge_cuda_version();
        judge_architectures();
        judge_allocator_variable();
        return found;
    }

private:
    const PythonSeen& seen;
    const GpusKnown& gpus;
    const TorchSeen torch;
    std::vector<Finding> found{};

    void add(Finding finding) { found.push_back(std::move(finding)); }
    std::string install(const std::string& backend) const {
        constexpr auto note = "   (replaces torch in this environment)";
        if (seen.has_uv)
            return fmt::format("uv pip install --python {} --reinstall --torch-backend={} torch{}", seen.interpreter,
                               backend, note);
        const auto index = backend == "auto" ? "" : " --index-url https://download.pytorch.org/whl/" + backend;
        return fmt::format("{} -m pip install --force-reinstall torch{}{}", seen.interpreter, index, note);
    }

    void judge_python() {
        if (!seen.problem.empty()) return add(unknown("python", seen.problem));
        const auto python = fmt::format("Python {} ({}) {}", seen.version, seen.kind, seen.interpreter);
        const auto newest = newest_for(version_numbers(seen.version));
        add(newest.empty() || seen.torch
                ? ok("python", python)
                : warning("python",
                          fmt::format("{} is too old for a torch of today: {} is the last for it", python, newest),
                          "uv venv --python 3.12 fresh && uv pip install --python fresh torch"));
        if (!seen.torch)
            add(unknown("torch", fmt::format("no package torch in {}", some_of(seen.search_path, ", ", 4))));
    }

    void judge_distribution() {
        if (torch.distributions.size() > 1)
            add(warning("torch",
                        fmt::format("{} lie side by side in one folder", some_of(torch.distributions, " and ")),
                        install("auto")));
        else if (!torch.distribution_version.empty() && !torch.version.empty() &&
                 version_numbers(torch.distribution_version) != version_numbers(torch.version))
            add(warning("torch",
                        fmt::format("the package says {}, torch/version.py {}: files of two versions",
                                    torch.distribution_version, torch.version),
                        install("auto")));
    }

    // False if nothing that follows can be judged.
    bool judge_build() {
        if (torch.version.empty()) {
            add(fault("torch build",
                      fmt::format("{} has no version: a broken or half-removed installation", torch.folder),
                      install("auto")));
            return false;
        }
        if (torch.hip) {
            add(fault("torch build", fmt::format("torch {} is built for AMD GPUs (ROCm {})", torch.version, *torch.hip),
                      install("auto")));
            return false;
        }
        if (!torch.cuda && gpus.none) {
            add(ok("torch build",
                   fmt::format("torch {}, built for the CPU only, which is right for a machine without a GPU  {}",
                               torch.version, torch.folder)));
            return false;
        }
        if (!torch.cuda) {
            add(fault("torch build", fmt::format("torch {} is built for the CPU only{}", torch.version, where_from()),
                      remedy_of_cpu_build()));
            return false;
        }
        if (!torch.has_cuda_library) {
            add(fault("torch build",
                      fmt::format("torch {} is built for CUDA {}, and {}/libtorch_cuda.so is missing", torch.version,
                                  *torch.cuda, torch.library_folder),
                      install("auto")));
            return false;
        }
        const auto code = torch.gpu_architectures.empty() ? "" : ", " + some_of(torch.gpu_architectures, " ");
        add(ok("torch build",
               fmt::format("torch {}, built for CUDA {}{}  {}", torch.version, *torch.cuda, code, torch.folder)));
        return true;
    }

    bool is_old_arm_build() const {
        return (torch.architecture == "aarch64" || seen.machine == "aarch64") && torch.origin.empty() &&
               version_numbers(torch.version) < std::pair{2, 11};
    }
    std::string where_from() const {
        if (torch.conda_build.find(" cpu") != std::string::npos)
            return fmt::format(": conda chose {}, as it does where it sees no driver when it installs",
                               torch.conda_build);
        if (!torch.origin.empty()) return fmt::format(": installed from {}", torch.origin);
        if (torch.version.ends_with("+cpu")) return ": installed from the index of CPU builds";
        if (is_old_arm_build()) return ": for aarch64 the default index has no other before 2.11 (pytorch#160162)";
        return "";
    }
    std::string remedy_of_cpu_build() const {
        if (!torch.conda_build.empty()) return "CONDA_OVERRIDE_CUDA=12.9 conda install 'pytorch=*=cuda*'";
        return install("auto");
    }

    void judge_libraries() {
        const auto before = found.size();
        for (const auto& library : torch.libraries) {
            if (library.file.empty())
                add(fault("torch libraries",
                          fmt::format("{}, which {} needs, is not found: `import torch` fails", library.name,
                                      library.wanted_by.empty() ? "torch" : library.wanted_by),
                          install("auto")));
            else if (!library.missing.empty())
                add(fault("torch libraries",
                          fmt::format("{} needs {} of {}, and {} ({}) does not have it: `import torch` fails",
                                      library.wanted_by, some_of(library.missing, ", ", 2), library.name, library.file,
                                      library.through),
                          library.through == "LD_LIBRARY_PATH" || library.through == "LD_PRELOAD"
                              ? "unset " + library.through
                              : install("auto")));
        }
        if (found.size() == before)
            add(ok("torch libraries", "each is found, with the symbols that are taken from it"));
    }

    void judge_shared_paths() {
        const auto major = version_numbers(*torch.cuda).first;
        for (const auto& shared : torch.shared_paths) {
            const auto evidence =
                fmt::format("{} write the same files in {}", some_of(shared.packages, " and "), shared.folder);
            std::string removal;
            for (std::size_t index = 0; index < shared.packages.size(); ++index)
                if (shared.majors[index] != major)
                    removal = fmt::format("{} -m pip uninstall -y {}; {}", seen.interpreter, shared.packages[index],
                                          install("auto"));
            if (shared.files_of && *shared.files_of != major)
                add(fault("torch libraries",
                          fmt::format("{}; those for CUDA {} are there, torch is built for CUDA {}", evidence,
                                      *shared.files_of, *torch.cuda),
                          removal));
            else add(warning("torch libraries", evidence + "; removing either removes them", removal));
        }
    }

    void judge_library_path() {
        for (const auto& library : torch.libraries) {
            if (library.file.empty() || !library.missing.empty()) continue;
            if (library.through == "LD_PRELOAD")
                add(warning("library path", fmt::format("LD_PRELOAD loads {} before everything else", library.file),
                            "unset LD_PRELOAD"));
            else if (!library.own.empty())
                add(warning("library path",
                            fmt::format("{} is taken from {} ({}) instead of {}", library.name, library.file,
                                        library.through, library.own),
                            library.through == "LD_LIBRARY_PATH" ? "unset LD_LIBRARY_PATH" : ""));
        }
    }

    void judge_cuda_version() {
        if (!gpus.driver_cuda) return;
        const auto built = version_numbers(*torch.cuda);
        const auto driver = std::pair{*gpus.driver_cuda / 1000, *gpus.driver_cuda % 1000 / 10};
        const auto evidence = fmt::format("torch is built for CUDA {}, the driver supports up to {}.{}", *torch.cuda,
                                          driver.first, driver.second);
        // From CUDA 11 on each driver serves all versions of its major.
        if (built.first > driver.first || (built.first < 11 && built > driver))
            add(fault("torch CUDA version", evidence,
                      driver.first == 12 ? install("cu126") + "   (or a newer driver)" : "install a newer driver"));
        else if (built > driver)
            add(warning("torch CUDA version", evidence + ": it works, except code JIT-compiled from PTX", ""));
        else add(ok("torch CUDA version", evidence));
    }

    void judge_architectures() {
        if (torch.gpu_architectures.empty())
            return add(unknown("torch architectures", "libtorch_python.so names no architectures"));
        if (!gpus.compute_capabilities) return;
        std::vector<std::string> without;
        int example = 0;
        for (std::size_t index = 0; index < gpus.compute_capabilities->size(); ++index) {
            const auto capability = (*gpus.compute_capabilities)[index];
            const auto runs = [&](const auto& each) { return runs_on(each, capability); };
            if (std::ranges::any_of(torch.gpu_architectures, runs)) continue;
            without.push_back(fmt::format("GPU {} ({})", index, capability_text(capability)));
            example = capability;
        }
        if (without.empty()) {
            if (!gpus.compute_capabilities->empty())
                add(ok("torch architectures", "code for each GPU is in the build"));
            return;
        }
        const auto evidence = fmt::format(
            "the build has {} and nothing for {}: is_available() is True, tensors move, the first kernel fails",
            some_of(torch.gpu_architectures, " "), some_of(without, ", "));
        const auto build = published_build_for(example, seen.machine);
        const auto remedy =
            build ? install(*build) : "build PyTorch with TORCH_CUDA_ARCH_LIST=" + capability_text(example);
        add(without.size() == gpus.compute_capabilities->size() ? fault("torch architectures", evidence, remedy)
                                                                : warning("torch architectures", evidence, remedy));
    }

    // Until 2.9 the general name did not reach the CUDA allocator's options (pytorch#183387).
    void judge_allocator_variable() {
        const auto general = seen.environment.find("PYTORCH_ALLOC_CONF");
        if (general == seen.environment.end() || version_numbers(torch.version) >= std::pair{2, 10}) return;
        add(warning(
            "allocator variable",
            fmt::format("torch {} ignores PYTORCH_ALLOC_CONF={} (pytorch#183387)", torch.version, general->second),
            fmt::format("export PYTORCH_CUDA_ALLOC_CONF={}", general->second)));
    }
};

}  // namespace

std::vector<Finding> findings(const PythonSeen& seen, const GpusKnown& gpus) { return Judgement(seen, gpus).all(); }

}  // namespace tocuda::doctor
