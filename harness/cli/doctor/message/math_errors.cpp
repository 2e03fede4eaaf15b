// tocuda, Apache-2.0.
// cuDNN, cuBLAS and their like: the same few codes have several causes, which the text around them tells apart.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/wheels.hpp"
#include "doctor/python/architectures.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto without_path = "env -u LD_LIBRARY_PATH python ...   (tells whether a foreign copy is loaded)";
constexpr auto which_copies = "pip list | grep -E 'cudnn|cublas|torch'; ldconfig -p | grep -E 'cudnn|cublas'";
constexpr auto blocking = "CUDA_LAUNCH_BLOCKING=1 python ...   (then an earlier failure shows itself)";

// "9.10.1", or 5103 for 5.1.3; empty if it is neither.
std::vector<int> cudnn_version_at(std::string_view text) {
    text = text.substr(0, text.find_first_not_of("0123456789."));
    std::vector<int> numbers;
    for (std::size_t end = 0; !text.empty() && numbers.size() < 3; text.remove_prefix(end + 1)) {
        end = std::min(text.find('.'), text.size());
        const auto number = number_after(text.substr(0, end), "");
        if (!number || *number > 99999) break;
        numbers.push_back(static_cast<int>(*number));
        if (end == text.size()) break;
    }
    if (numbers.size() == 1 && numbers[0] >= 1000)
        return {numbers[0] / 1000, numbers[0] % 1000 / 100, numbers[0] % 100};
    return numbers.size() < 2 ? std::vector<int>{} : numbers;
}

// "Loaded runtime CuDNN library: 9.10.1 but source was compiled with: 9.13.1.", of JAX and TensorFlow; of old ones
// "5005 (compatibility version 5000) but source was compiled with 5103 (compatibility version 5100)"
void read_cudnn_of_xla(std::string_view message, Explanation& told) {
    constexpr std::string_view with = "compiled with", loaded = "CuDNN library: ";
    const auto begin = message.find(with);
    if (begin == std::string_view::npos) return;
    const auto rest = message.substr(begin + with.size());
    const auto built = cudnn_version_at(rest.substr(std::min(rest.find_first_not_of(": "), rest.size())));
    if (built.empty()) return;
    const auto wanted = fmt::format("{}", fmt::join(built, "."));
    const auto here = message.find(loaded);
    const auto found =
        here == std::string_view::npos ? std::vector<int>{} : cudnn_version_at(message.substr(here + loaded.size()));
    const bool other_major = !found.empty() && found[0] != built[0];
    told.meaning = fmt::format("The cuDNN that was loaded is {} the one that this program was built with.",
                               other_major ? "of another major version than" : "older than");
    if (!found.empty()) told.arithmetic.push_back(fmt::format("cuDNN {} was loaded", fmt::join(found, ".")));
    told.arithmetic.push_back(fmt::format("it needs cuDNN {} or newer, of the same major version", wanted));
    const auto minor = fmt::format("{}.{}", built[0], built[1]);
    constexpr int first_of_pip = 8;
    if (built[0] < first_of_pip)
        told.remedies = {
            {"ldconfig -p | grep cudnn; echo $LD_LIBRARY_PATH   (which copies, which comes first?)", Scope::look},
            fmt::format("export LD_LIBRARY_PATH=FOLDER/lib64:$LD_LIBRARY_PATH   (FOLDER: cuDNN {} for the "
                        "CUDA of this program, unpacked from "
                        "https://developer.nvidia.com/rdp/cudnn-archive)",
                        minor)};
    else
        told.remedies = {{which_copies, Scope::look},
                         {fmt::format("pip install 'nvidia-cudnn-cu12>={},<{}'   (or -cu11, -cu13; undo: pip install "
                                      "the version that pip list showed)",
                                      wanted, built[0] + 1),
                          Scope::environment},
                         without_path};
}

// "compiled against (9, 1, 0) but found runtime version (8, 9, 2)"
void read_cudnn_versions(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text.substr(at), 500);
    const auto built = between(message, "compiled against ", " but");
    const auto found = between(message, "runtime version ", ".");
    if (built && found)
        told.arithmetic.push_back(fmt::format("PyTorch was built with cuDNN {}, and {} was loaded", *built, *found));
    constexpr std::size_t version = 80;  // the one that was loaded stands before
    read_cudnn_of_xla(flattened(text_near(text, at, version, 500), 600), told);
}

// "Could not load library libcudnn_ops_infer.so.8. Error: libcublas.so.11: cannot open shared object file": the library
// after "Error:" is the one that is missing.
std::string_view library_behind(std::string_view text, std::size_t at) {
    const auto line = text_near(line_around(text, at), 0, 0, 2000);
    const auto library = between(line, "Error: ", ": cannot open shared object file");
    if (!library || library->size() > 100 || contains(*library, "cudnn") || contains(*library, " ")) return "";
    return *library;
}

void read_library_behind(std::string_view text, std::size_t at, Explanation& told) {
    const auto library = library_behind(text, at);
    told.arithmetic.push_back(fmt::format("{} is not found; cuDNN itself is there", library));
    told.remedies = {
        {"ldconfig -p | grep -E 'cublas|nvrtc|cudart'; echo $LD_LIBRARY_PATH   (it must name folders)", Scope::look}};
    if (!library.starts_with("libcu") && !library.starts_with("libnvrtc.so.")) told.remedies.clear();
    else add_package(text, library, told);
    if (library.ends_with(".so") && library != "libcuda.so")
        told.remedies = {
            {fmt::format("find / -name '{}*' 2>/dev/null   (only with a number at its end?)", library), Scope::look},
            fmt::format("ln -s FOUND {0} && export LD_LIBRARY_PATH=$PWD:$LD_LIBRARY_PATH   (a link of that name to the "
                        "file that was found, in a folder of one's own; undo: rm {0})",
                        library)};
    if (library != "libcuda.so") return;
    told.meaning =
        "cuDNN loads the driver as libcuda.so, without the .1 at its end, and the loader does not find that name: in "
        "WSL it lies in /usr/lib/wsl/lib, elsewhere a link to libcuda.so.1 is missing.";
    told.remedies = {{"ldconfig -p | grep libcuda; ls /usr/lib/wsl/lib", Scope::look},
                     "export LD_LIBRARY_PATH=/usr/lib/wsl/lib:$LD_LIBRARY_PATH   (WSL)",
                     {"sudo ln -s libcuda.so.1 /usr/lib/x86_64-linux-gnu/libcuda.so   (where libcuda.so.1 lies there; "
                      "undo: remove that link)",
                      Scope::machine}};
}

bool is_of_cudnn_itself(std::string_view text, std::size_t at) {
    const auto line = text_near(line_around(text, at), 0, 0, 2000);
    return library_behind(text, at).empty() && !contains(line, "undefined symbol") && !contains(line, "code 1455");
}

// "Geforce RTX 3080,cudatoolkit 10.0": an older CUDA than the first that knew the GPU has no kernels for it.
void read_age_of_cuda(std::string_view text, std::size_t, Explanation& told) {
    const auto gpu = capability_of_name(text);
    const auto cuda = cuda_named_in(text);
    const auto* const known = gpu ? toolkits_for(*gpu) : nullptr;
    if (!cuda || !known || known->first.empty()) return;
    const auto first = version_of(known->first);
    if (*cuda >= first.first * 1000 + first.second * 10) return;
    told.meaning = "The CUDA that this was built with is older than the GPU and has no code for it.";
    told.arithmetic.push_back(fmt::format("a GPU of compute capability {} needs CUDA {} or newer; the text names {}",
                                          capability_text(*gpu), known->first, cuda_text(*cuda)));
    told.remedies = {{"python -c 'import torch; print(torch.__version__, torch.cuda.get_arch_list())'", Scope::look},
                     fmt::format("{{torch {}}}   (in a new environment: has code for this GPU)",
                                 wheel_for(std::nullopt, {*gpu}).build)};
}

// What failed on the GPU before shows itself where cuDNN next needs the GPU.
void read_failed_cudnn(std::string_view text, std::size_t at, Explanation& told) {
    const auto code = text.substr(at, 30);
    if (!code.starts_with("CUDNN_STATUS_MAPPING") && !code.starts_with("CUDNN_STATUS_EXECUTION")) return;
    told.meaning =
        "cuDNN could not use memory of the GPU or run its kernel: most often an earlier kernel had already failed (an "
        "index out of range), else the build or its cuDNN does not fit this GPU or driver, or its memory is full.";
    told.remedies = {blocking,
                     "run the same line on the CPU   (its message names a wrong index)",
                     {"python -c 'import torch; print(torch.version.cuda, torch.cuda.get_device_capability(), "
                      "torch.cuda.get_arch_list())'   (has the build code for this GPU? RTX 30 needs CUDA 11.1)",
                      Scope::look},
                     {"nvidia-smi   (is the GPU's memory full?)", Scope::look},
                     "torch.backends.cudnn.enabled = False   (tells whether it is cuDNN)"};
    read_age_of_cuda(text, at, told);
}

// "CUBLAS_STATUS_INTERNAL_ERROR when calling `cublasCreate(handle)`": it did not even start.
void read_failed_cublas(std::string_view text, std::size_t at, Explanation& told) {
    if (contains_any(text_near(text, at, 0, 120), {"`cublasCreate(", "`cublasLtCreate(", "`cusparseCreate("})) {
        told.meaning =
            "The library could not make its handle: a foreign copy of it is loaded (LD_LIBRARY_PATH, another CUDA), "
            "the "
            "memory of the GPU is full, or an earlier kernel had already failed.";
        told.remedies = {without_path,
                         {"nvidia-smi   (is the GPU's memory full?)", Scope::look},
                         {which_copies, Scope::look},
                         blocking};
    }
    read_age_of_cuda(text, at, told);
}

// os.path.dirname(nvidia.cublas.lib.__file__), as the README of faster-whisper had it
void tell_of_folders(Explanation& told) {
    told.certain = true;
    told.arithmetic.emplace_back(
        "the folders of nvidia-cublas and nvidia-cudnn have no __init__.py in newer versions: their __file__ is None, "
        "and their __path__ names them");
    told.remedies = {
        {"pip install 'nvidia-cudnn-cu12<9' nvidia-cublas-cu12   (if they are not there, or cuDNN 9 is; undo: the "
         "versions that pip list showed)",
         Scope::environment},
        "export LD_LIBRARY_PATH=$(python3 -c 'import nvidia.cublas.lib as b, nvidia.cudnn.lib as d; "
        "print(list(b.__path__)[0] + \":\" + list(d.__path__)[0])')   (then start the program in that shell)",
        "use a version that takes cuDNN 9   (ctranslate2 4.5 and newer, faster-whisper 1.1 and newer; in a new "
        "environment)"};
}

// "libcudnn_ops_infer.so.8", "cudnn_ops_infer64_8.dll": cuDNN 9 has no such files.
void read_wanted_cudnn(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    if (const auto library = between(line, "Could not load library ", ". ")) tell_of_library_in(text, *library, told);
    const bool shown = !told.remedies.empty();
    const bool eight = contains(line, "_infer") || contains(line, "_train") || contains(line, "so.8");
    if (!eight && !contains(line, "so.9") && !contains(line, "64_9")) return;
    told.arithmetic.push_back(fmt::format("it needs cuDNN {}; another major version will not do", eight ? 8 : 9));
    if (!eight || shown) return;
    if (contains_any(text, {".lib.__file__", "lib.__file__)"})) return tell_of_folders(told);
    told.remedies = {
        {"pip list | grep -iE 'cudnn|ctranslate2'; ldconfig -p | grep cudnn", Scope::look},
        "use a version that takes cuDNN 9   (ctranslate2 4.5 and newer, faster-whisper 1.1 and newer; in a new "
        "environment)",
        "pip install --target cudnn8 'nvidia-cudnn-cu12<9'   (a folder of its own: what is installed stays)",
        "export LD_LIBRARY_PATH=$PWD/cudnn8/nvidia/cudnn/lib   (for the program that wants it only)"};
}

// "cuDNN Frontend error: [cudnn_frontend] Error: No execution plans support the graph."
void read_frontend(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains_any(line_around(text, at), {"cuDNN Frontend error", "cudnn_frontend"})) return;
    told.meaning =
        "cuDNN's attention has no way to compute these shapes or this type on this GPU. PyTorch 2.5.0 chose it all the "
        "same; 2.5.1 and newer take another one.";
    told.remedies = {
        {"python -c 'import torch; print(torch.__version__, torch.backends.cudnn.version())'", Scope::look},
        "torch.backends.cuda.enable_cudnn_sdp(False)   (before the model runs: another attention)",
        "{torch}   (a newer PyTorch; in a new environment)"};
}

constexpr auto on_the_cpu =
    "torch.linalg.inv(A.cpu()).to(A.device)   (this call on the CPU; likewise svd, eigh, solve)";
constexpr auto magma =
    "torch.backends.cuda.preferred_linalg_library('magma')   (once at the start: another library than cuSOLVER)";

// "when calling `cusolverDnCreate(handle)`" is its start; else the matrix is at fault more often than the library.
void read_cusolver(std::string_view text, std::size_t at, Explanation& told) {
    const auto call = text_near(text, at, 0, 200);
    if (contains(call, "cusolverDnCreate") || contains(call, "Create(")) {
        told.meaning =
            "cuSOLVER could not start: the memory of the GPU is full, or a foreign copy of it or of cuBLAS is loaded "
            "(LD_LIBRARY_PATH, another CUDA).";
        told.remedies = {{"nvidia-smi   (is the GPU's memory full?)", Scope::look},
                         without_path,
                         "torch.inverse(torch.eye(2, device='cuda'))   (first in the program, while there is memory)",
                         magma,
                         on_the_cpu};
        return;
    }
    if (contains(text, "may appear if the input matrix contains NaN")) {
        told.error = "matrix that cannot be solved";
        told.meaning =
            "cuSOLVER failed on this matrix. As the message says: most often it has NaN or infinite values in it, "
            "which come from earlier in the program.";
    }
}

void read_full_memory(std::string_view text, std::size_t, Explanation& told) {
    tell_of_vocabulary(text, told);
    if (told.remedies.empty()) return;
    told.remedies.pop_back();
    told.remedies.emplace_back("nvidia-smi   (or is the GPU's memory full?)", Scope::look);
}

bool needs_library(std::string_view text, std::size_t at) { return !library_behind(text, at).empty(); }

}  // namespace

Functions math_functions() {
    return {.readings = {{"read_cudnn_versions", read_cudnn_versions},
                         {"read_library_behind", read_library_behind},
                         {"read_wanted_cudnn", read_wanted_cudnn},
                         {"read_frontend", read_frontend},
                         {"read_failed_cudnn", read_failed_cudnn},
                         {"read_full_memory", read_full_memory},
                         {"read_age_of_cuda", read_age_of_cuda},
                         {"read_cusolver", read_cusolver},
                         {"read_failed_cublas", read_failed_cublas}},
            .conditions = {{"needs_library", needs_library}, {"is_of_cudnn_itself", is_of_cudnn_itself}}};
}

}  // namespace tocuda::doctor
