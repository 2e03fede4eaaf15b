// tocuda, Apache-2.0.
// Arrays, tables and trees on the GPU beside LibTorch: Numba, CuPy, PyCUDA, RAPIDS, XGBoost and its like, MXNet,
// Paddle.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

// "ptxas application ptx input, line 9; fatal : Unsupported .version 7.3; current version is '7.1'"
std::string cuda_of_ptx(std::string_view version) {
    if (version.starts_with("7.")) return fmt::format("11.{}", version.substr(2));
    if (!version.starts_with("8.")) return version.starts_with("9.") ? fmt::format("13.{}", version.substr(2)) : "";
    const auto minor = number_after(version, "8.").value_or(0);
    return fmt::format("12.{}", minor < 6 ? minor : minor + 1);
}

void read_ptx(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text_near(text, at, 0, 120), 120) + " ";
    const auto wanted = between(message, ".version ", ";");
    const auto known = between(message, "current version is '", "'");
    if (!wanted || !known) return;
    const auto cuda = cuda_of_ptx(*known);
    told.arithmetic.push_back(fmt::format("the toolkit that wrote it is of CUDA {}, the driver of {} (PTX {} and {})",
                                          cuda_of_ptx(*wanted), cuda, *wanted, *known));
    if (!cuda.empty())
        told.remedies.insert(
            told.remedies.begin(),
            fmt::format("conda create -n fresh -c conda-forge numba cudatoolkit={0}   (cuda-version={0} "
                        "for 12 and newer; a toolkit for this driver)",
                        cuda));
    told.remedies.push_back({"nvidia-smi | grep 'CUDA Version'", Scope::look});
    told.remedies.push_back(
        {"install a newer driver   (`tocuda doctor` on that machine names the package)", Scope::machine});
}

// The file that NVRTC cannot open may be the very source that CuPy wrote for it.
void read_own_source(std::string_view text, std::size_t at, Explanation& told) {
    const auto file = between(text_near(text, at, 0, 400), "source file \"", "\"");
    if (!file || !file->ends_with(".cu")) return;
    told.error = "path that NVRTC cannot open";
    told.meaning =
        "NVRTC cannot open the source that CuPy wrote for it: its path has letters outside ASCII, as of the "
        "name of a user.";
    told.remedies = {"set TMP=C:\\tmp&& set TEMP=C:\\tmp&& python ...   (Windows: a folder of plain letters)",
                     "CUPY_CACHE_DIR=/tmp/cupy TMPDIR=/tmp python ...   (Linux)"};
}

// "Mapped libcuda.so paths: .../stubs/libcuda.so", NUMBAPRO_CUDA_DRIVER=...cudart64_91.dll
void read_driver_of_numba(std::string_view text, std::size_t, Explanation& told) {
    const bool named = contains_any(text, {"NUMBAPRO_CUDA_DRIVER", "NUMBA_CUDA_DRIVER"});
    if (named && contains(text, "cudart"))
        told.arithmetic.emplace_back(
            "the variable names the CUDA runtime (cudart); the driver is nvcuda.dll or "
            "libcuda.so.1, which Numba finds by itself");
    if (!contains(text, "/stubs/")) return;
    told.arithmetic.emplace_back(
        "the text shows a libcuda.so in a folder stubs: the toolkit's, which is for linking only and does nothing");
    told.remedies = {
        "LD_LIBRARY_PATH=$(echo $LD_LIBRARY_PATH | tr : '\\n' | grep -v stubs | paste -sd:) python ...   "
        "(without that folder)",
        {"ldconfig -p | grep libcuda.so; echo $LD_LIBRARY_PATH", Scope::look},
        "NUMBA_CUDA_DRIVER=/usr/lib/x86_64-linux-gnu/libcuda.so.1 python ...   (the driver's own)"};
}

// "Invalid GPU Id: 1, Valid device id should be less than device_count: 1"
void read_ids_of_mxnet(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 200, 300);
    const auto wanted = number_after(message, "Invalid GPU Id: ");
    const auto count = number_after(message, "less than device_count: ");
    if (!wanted || !count) return;
    told.error = "MXNet: GPU that is not there";
    told.certain = true;
    told.meaning = "The program asks for a GPU by a number that MXNet does not see; the first is 0.";
    told.arithmetic.push_back(
        fmt::format("GPU {} is asked for, and {} {} seen", *wanted, *count, *count == 1 ? "is" : "are"));
    told.remedies = {fmt::format("mx.gpu(0)   (or --gpus 0: at most {})", *count - 1),
                     {"nvidia-smi -L; echo \"[$CUDA_VISIBLE_DEVICES]\"", Scope::look}};
}

// "not compatible with Paddle installation with arch: 70 75 80 86", "was compiled for 60, 70; but your current GPU is
// 120"
void read_arch_of_paddle(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 300, 700);
    auto built = between(message, "installation with arch: ", ",");
    if (!built) built = between(message, "was compiled for ", ",");
    const auto capability = between(message, "GPU Compute Capability: ", ",");
    if (built && built->size() < 60)
        told.arithmetic.push_back(fmt::format("this package has code for {}{}", *built,
                                              capability ? fmt::format(", and the GPU is of {}", *capability) : ""));
}

void read_crash_of_paddle(std::string_view text, std::size_t at, Explanation& told) {
    const auto kind = text.substr(at, 60);
    const auto small = lower(text);
    if (kind.starts_with("`Illegal"))
        told.meaning =
            "Paddle used an instruction that this processor (not the GPU) does not have: its packages need AVX.";
    if (kind.starts_with("`Access"))
        told.meaning = "Memory that processes share is full (SIGBUS), as /dev/shm of a container: workers of a loader.";
    if (kind.starts_with("`Access"))
        told.remedies = {{"df -h /dev/shm", Scope::look},
                         "docker run --shm-size=16g ...   (or num_workers=0, use_shared_memory=False)"};
    const bool old = contains_any(small, {"cuda 10.", "cuda10.", "cuda: 10.", "cu102", "cu101", "version: 10."});
    if (!old ||
        !contains_any(small, {"cudnn 8", "cudnn8", "cudnn: 8", "cudnn v8", "cudnn=8", "cudnn-8", "cudnn version: 8"}))
        return;
    told.arithmetic.emplace_back(
        "the text names CUDA 10 with cuDNN 8: Paddle's packages for 10.1 and 10.2 take cuDNN 7.6.5, those for 11 cuDNN "
        "8");
}

void read_library_of_paddle(std::string_view text, std::size_t, Explanation& told) {
    const auto library = between(text, "third-party dynamic library (", ")");
    if (library && library->size() < 60)
        told.arithmetic.push_back(fmt::format("it looks for {}: that version, and no other", *library));
}

}  // namespace

Functions array_functions() {
    return {.readings = {{"read_ptx", read_ptx},
                         {"read_own_source", read_own_source},
                         {"read_driver_of_numba", read_driver_of_numba},
                         {"read_ids_of_mxnet", read_ids_of_mxnet},
                         {"read_arch_of_paddle", read_arch_of_paddle},
                         {"read_library_of_paddle", read_library_of_paddle},
                         {"read_crash_of_paddle", read_crash_of_paddle}}};
}

}  // namespace tocuda::doctor
