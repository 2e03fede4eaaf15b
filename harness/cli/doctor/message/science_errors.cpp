// tocuda, Apache-2.0.
// Simulations and other languages: GROMACS, OpenMM, NAMD, LAMMPS, Amber, Kaldi; Julia, Rust, MATLAB.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

// "Error loading library .../libOpenMMCUDA.so: libcuda.so.1: cannot open shared object file"
void read_plugins_of_openmm(std::string_view text, std::size_t at, Explanation& told) {
    const auto missing = between(text_near(text, at, 0, 3000), "libOpenMMCUDA.so: ", ": cannot open");
    if (missing && missing->size() < 60)
        told.arithmetic.push_back(fmt::format("its part for CUDA does not find {}", *missing));
}

std::vector<KnownError> errors_of_simulations() {
    return {
        {.name = "OpenMM without its CUDA",
         .needles = {"There is no registered Platform called \"CUDA\"", "no registered Platform called \"OpenCL\"",
                     "Error launching CUDA compiler"},
         .meaning = "OpenMM did not load its part for CUDA: the package has none, or a library that it needs is not "
                    "found (that of the driver, or a CUDA of another version).",
         .remedies = {look("python -c 'import openmm as m; print(m.Platform.getPluginLoadFailures())'; nvidia-smi   "
                           "(which library it lacks)"),
                      look("python -m openmm.testInstallation"),
                      "conda create -n fresh -c conda-forge openmm cuda-version=12.4   (a new environment: the CUDA "
                      "Version of nvidia-smi or an older one; or: pip install 'openmm[cuda12]')"},
         .read = read_plugins_of_openmm},
        {.name = "GROMACS: what the GPU cannot do",
         .needles = {"on the GPU was required", "Update task on the GPU", "PME on the GPU was required",
                     "Cannot compute PME interactions on a GPU", "Cannot compute bonded interactions on a GPU",
                     "but the following condition(s) were not satisfied", "PME tasks were required to run on GPUs"},
         .meaning =
             "A task was to run on the GPU that this GROMACS, with these settings, does on the CPU only; the lines "
             "after it say why.",
         .remedies = {"gmx mdrun -nb gpu -pme auto -bonded auto -update auto ...   (leaves the choice to it)",
                      "gmx mdrun -ntmpi 1 -ntomp N ...   (one rank for one GPU: more of it can run there)"},
         .near = {"mdrun", "GROMACS", "gmx", "gromacs"}},
        {.name = "Kokkos was given no GPU",
         .needles = {"Kokkos has been compiled with GPU-enabled backend but no GPUs are requested",
                     "Kokkos has been compiled for CUDA, HIP, or SYCL but no GPUs are requested",
                     "Kokkos has been compiled for CUDA but no GPUs are requested"},
         .meaning = "This LAMMPS was built for Kokkos with CUDA, and its command line does not ask for a GPU.",
         .remedies = {"lmp -k on g 1 -sf kk -in FILE   (one GPU; mpirun: g is the number in each node)"}},
        {.name = "Kaldi gets no GPU",
         .needles = {"No CUDA GPU detected!", "Failed to create CUDA context, no more unused GPUs",
                     "Can't continue: no CUDA GPU", "Failed to allocate a memory region of"},
         .meaning =
             "Kaldi found no GPU that is free: it sees none, others fill it, or the jobs are more than the GPUs.",
         .remedies =
             {look("nvidia-smi   (who is on the GPUs, free memory, Compute M.)"),
              "--use-gpu=wait   (waits for a free one; with exclusive mode), or fewer jobs at a time (--num-jobs)",
              "--minibatch-size=64   (a smaller one, where memory is full)"},
         .near = {"kaldi", "cu-device", "cu-allocator", "nnet3", "SelectGpuId"}},
    };
}

std::vector<KnownError> errors_of_julia() {
    return {
        {.name = "Julia's package for CUDA did not start",
         .needles = {"CUDAnative.jl failed to initialize", "CuArrays.jl failed to initialize",
                     "CUDAdrv.jl failed to initialize", "CUDA.jl failed to initialize",
                     "CUDAnative did not successfully initialize"},
         .meaning = "The package did not start and hides why; what fails after it, as with an invalid device context, "
                    "comes of that. CuArrays, CUDAnative and CUDAdrv were merged into CUDA.jl in 2020.",
         .remedies = {look("JULIA_CUDA_VERBOSE=true julia -e 'using CuArrays'; nvidia-smi   (says why; CUDA.jl: using "
                           "CUDA; CUDA.versioninfo())"),
                      "julia --project=fresh -e 'using Pkg; Pkg.add(\"CUDA\"); using CUDA; CUDA.versioninfo()'   (in a "
                      "project of its own: CUDA.jl instead of these, with a current Julia)"}},
        {.name = "CUDA.jl finds no runtime",
         .needles = {"CUDA.jl could not find", "CUDA.jl did not", "CUDA driver not functional"},
         .meaning = "CUDA.jl finds no driver, or no runtime of CUDA that this driver runs.",
         .remedies =
             {look("julia -e 'using CUDA; CUDA.versioninfo()'; nvidia-smi"),
              "julia -e 'using CUDA; CUDA.set_runtime_version!(v\"12.6\")'   (one that the driver runs; in this "
              "project)"}},
        {.name = "CUDA.jl compiled for another CUDA",
         .needles = {"but CUDA.jl was precompiled for CUDA", "CUDA.jl was precompiled without knowing the CUDA"},
         .meaning =
             "CUDA.jl was compiled for one version of CUDA, or where there was none, as on a login node, and runs "
             "with another.",
         .remedies = {"julia -e 'using CUDA; CUDA.set_runtime_version!(v\"12.6\")'   (one for both, that the driver "
                      "runs; then start Julia again; CUDA installed by the machine: local_toolkit=true)",
                      "julia -e 'using Pkg; Pkg.precompile()'   (once more, where the GPU is)",
                      look("julia -e 'using CUDA; CUDA.versioninfo()'")}},
        {.name = "CUDA.jl's CUDA does not know this GPU",
         .needles = {"Failed to compile PTX code (ptxas exited"},
         .meaning = "The ptxas of the CUDA that CUDA.jl chose does not compile for this GPU: CUDA 13 has dropped those "
                    "below compute capability 7.5, and older ones do not know newer GPUs.",
         .remedies = {"julia -e 'using CUDA; CUDA.set_runtime_version!(v\"12.9\")'   (knows 5.0 to 12.1; then start "
                      "Julia again)",
                      look("julia -e 'using CUDA; CUDA.versioninfo()'; nvidia-smi --query-gpu=name,compute_cap "
                           "--format=csv")},
         .near = {"is not defined for option"}},
        {.name = "GPU's memory full",
         .needles = {"Out of GPU memory trying to allocate", "OutOfGPUMemoryError"},
         .meaning =
             "The memory of the GPU is full: by this program, whose garbage was not yet collected, or by others.",
         .remedies = {look("nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (who holds it)"),
                      "GC.gc(); CUDA.reclaim()   (frees what nothing uses any more; CUDA.unsafe_free!(x) at once)",
                      "JULIA_CUDA_HARD_MEMORY_LIMIT=80% julia ...   (leaves room for others)"}},
    };
}

std::vector<KnownError> errors_of_rust_and_matlab() {
    return {
        {.name = "cudarc finds another toolkit",
         .needles = {"Unsupported cuda toolkit version", "Unsupported CUDA toolkit version",
                     "Unable to find `include/cuda.h` under any of"},
         .meaning =
             "cudarc asks nvcc for the toolkit's version when it is built, and this one is older than it supports, "
             "newer than it knows, or another than the wanted one is first on PATH.",
         .remedies =
             {look("nvcc --version; command -v nvcc; ls -d /usr/local/cuda*"),
              "CUDA_ROOT=/usr/local/cuda-12.4 PATH=/usr/local/cuda-12.4/bin:$PATH cargo build ...   (the toolkit "
              "to use; then: cargo clean)",
              "cudarc = { features = [\"cuda-12040\"] }   (names the version instead of asking), or update cudarc"}},
        {.name = "MATLAB finds no GPU",
         .needles = {"Unable to find a supported GPU device", "No supported GPU device was found",
                     "The CUDA driver could not be loaded", "Graphics driver is out of date. Download",
                     "parallel:gpu:device:", "There is a problem with the graphics driver or with this GPU device",
                     "the graphics driver is too old"},
         .meaning =
             "MATLAB finds no GPU that this release supports: the driver is missing or older than its CUDA, or the "
             "GPU is too old or too new for it.",
         .remedies = {look("nvidia-smi   (Driver Version)"),
                      look("gpuDeviceTable; gpuDeviceCount('all')   (in MATLAB: why it is not supported)"),
                      machine("update the driver   (undo: install the old one again)"),
                      "parallel.gpu.enableCUDAForwardCompatibility(true)   (a GPU newer than the release)"}},
        {.name = "GPU's memory full",
         .needles = {"Out of memory on device. To view more detail", "parallel:gpu:array:OOM",
                     "Maximum variable size allowed on the device is exceeded"},
         .meaning = "The array or what is computed with it does not fit into the memory of the GPU.",
         .remedies = {look("gpuDevice   (in MATLAB: AvailableMemory); nvidia-smi   (who holds the rest)"),
                      "use a smaller MiniBatchSize, or single instead of double",
                      "reset(gpuDevice)   (frees what is left)"}},
    };
}

}  // namespace

std::vector<KnownError> science_errors() {
    auto all = errors_of_simulations();
    for (const auto& family : {errors_of_julia, errors_of_rust_and_matlab}) {
        auto some = family();
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

}  // namespace tocuda::doctor
