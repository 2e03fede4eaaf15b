// tocuda, Apache-2.0.
// cuDNN, cuBLAS and their like: the same few codes have several causes, which the text around them tells apart.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto without_path = "env -u LD_LIBRARY_PATH python ...   (tells whether a foreign copy is loaded)";
constexpr auto which_copies = "pip list | grep -E 'cudnn|cublas|torch'; ldconfig -p | grep -E 'cudnn|cublas'";
constexpr auto path_of_cudnn =
    "export LD_LIBRARY_PATH=$(python -c 'import nvidia.cudnn as n; print(list(n.__path__)[0])')/lib";
constexpr auto blocking = "CUDA_LAUNCH_BLOCKING=1 python ...   (then an earlier failure shows itself)";

// "compiled against (9, 1, 0) but found runtime version (8, 9, 2)"
void read_cudnn_versions(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = flattened(text.substr(at), 500);
    const auto built = between(message, "compiled against ", " but");
    const auto found = between(message, "runtime version ", ".");
    if (built && found)
        told.arithmetic.push_back(fmt::format("PyTorch was built with cuDNN {}, and {} was loaded", *built, *found));
}

// "libcudnn_ops_infer.so.8", "cudnn_ops_infer64_8.dll": cuDNN 9 has no such files.
void read_wanted_cudnn(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    const bool eight = contains(line, "_infer") || contains(line, "_train") || contains(line, "so.8");
    if (!eight && !contains(line, "so.9") && !contains(line, "64_9")) return;
    told.arithmetic.push_back(fmt::format("it wants cuDNN {}; another major version does not serve it", eight ? 8 : 9));
    if (!eight) return;
    told.remedies = {
        {"pip list | grep -iE 'cudnn|ctranslate2|torch'; ldconfig -p | grep cudnn", Scope::look},
        "use a version that takes cuDNN 9   (ctranslate2 4.5 and newer, faster-whisper 1.1 and newer; in a new "
        "environment)",
        "pip install --target cudnn8 'nvidia-cudnn-cu12<9'   (a folder of its own: PyTorch keeps its cuDNN 9)",
        "export LD_LIBRARY_PATH=$PWD/cudnn8/nvidia/cudnn/lib   (for the program that wants it only)"};
}

bool says_out_of_memory(std::string_view text, std::size_t at) {
    return contains(line_around(text, at), "ALLOC_FAILED") || contains(line_around(text, at), "cublasCreate") ||
           text.substr(at).starts_with("cublas runtime");
}

}  // namespace

std::vector<KnownError> math_errors() {
    return {
        {.name = "two cuDNNs",
         .needles = {"CUDNN_STATUS_SUBLIBRARY", "cuDNN version incompatibility", "CUDNN_STATUS_VERSION_MISMATCH",
                     "cuDNN version mismatch", "but source was compiled with: "},
         .meaning =
             "Two versions of cuDNN met in this process, that of PyTorch's packages and another: a system's copy "
             "(libcudnn of apt), one on LD_LIBRARY_PATH, or a package that is too old or too new.",
         .claims = {"004-05"},
         .remedies = {look(which_copies), without_path,
                      "{torch}   (a new environment, with the cuDNN that it was built with)",
                      look("dpkg -l | grep libcudnn   (a system's copy is found without LD_LIBRARY_PATH too)"),
                      machine(
                          "sudo apt remove PACKAGE   (the one of that list, if no other program needs it; undo: sudo "
                          "apt install PACKAGE)")},
         .read = read_cudnn_versions},
        {.name = "cuDNN not found",
         .needles = {"Unable to load any of {libcudnn", "Could not load library libcudnn", "Cannot load symbol cudnn",
                     "Unable to find libcudnn", "Could not locate cudnn", "Could not load library cudnn",
                     "Could not locate zlibwapi.dll"},
         .meaning =
             "A program looked for the libraries of cuDNN of one version and found none: they are not installed, "
             "of another major version, or not on its library path. It is not a lack of memory.",
         .claims = {"004-05"},
         .remedies = {look("pip list | grep cudnn; ldconfig -p | grep cudnn"),
                      environment("pip install nvidia-cudnn-cu12   (undo: pip uninstall nvidia-cudnn-cu12)"),
                      path_of_cudnn},
         .read = read_wanted_cudnn},
        {.name = "no cuDNN algorithm",
         .needles = {"Unable to find a valid cuDNN algorithm", "No valid execution plans", "No execution plans support",
                     "GET was unable to find an engine", "Unable to find an engine to execute this computation",
                     "FIND was unable to find an engine"},
         .meaning =
             "cuDNN found no way to run this convolution: most often there was no memory left for its workspace, "
             "else its type or shape has none on this GPU, or its libraries do not fit.",
         .claims = {"004-05"},
         .remedies = {look("nvidia-smi   (is the GPU's memory full?)"), "use a smaller batch",
                      "torch.backends.cudnn.enabled = False   (tells whether it is cuDNN)", look(which_copies)},
         .certain = false},
        {.name = "cuDNN fails",
         .needles = {"CUDNN_STATUS_NOT_INITIALIZED", "CUDNN_STATUS_INTERNAL_ERROR", "CUDNN_STATUS_ALLOC_FAILED",
                     "CUDNN_STATUS_EXECUTION_FAILED", "CUDNN_STATUS_NOT_SUPPORTED", "CUDNN_STATUS_MAPPING_ERROR",
                     "CUDNN_STATUS_BAD_PARAM", "CUDNN_STATUS_ARCH_MISMATCH"},
         .meaning =
             "cuDNN could not start or work: most often there was no memory left for its handle or workspace, else "
             "its libraries are of several versions.",
         .claims = {"004-05"},
         .remedies = {look("nvidia-smi   (is the GPU's memory full?)"), without_path,
                      "torch.backends.cudnn.enabled = False   (tells whether it is cuDNN)"},
         .rank = Rank::symptom,
         .certain = false},
        {.name = "no memory left for cuBLAS",
         .needles = {"CUBLAS_STATUS_NOT_INITIALIZED", "CUBLAS_STATUS_ALLOC_FAILED",
                     "cublas runtime error : resource allocation failed",
                     "cublas runtime error : library not "
                     "initialized"},
         .meaning = "cuBLAS could not make its handle: most often the GPU's memory is full, by this program or others; "
                    "else an earlier kernel had already failed (an index out of range).",
         .claims = {"001-11"},
         .remedies = {look("nvidia-smi   (is the GPU's memory full?)"), "use a smaller batch", blocking},
         .applies = says_out_of_memory,
         .rank = Rank::symptom,
         .certain = false},
        {.name = "cuBLAS of another version",
         .needles = {"CUBLAS_STATUS_INVALID_VALUE", "CUBLAS_STATUS_NOT_SUPPORTED", "CUBLAS_STATUS_ARCH_MISMATCH"},
         .meaning =
             "cuBLAS refuses the call as invalid: most often another version of it than PyTorch's is loaded from "
             "LD_LIBRARY_PATH; else the type (bfloat16, float8) or shape is not possible on this GPU, or an "
             "index was out of range before. It is not a lack of memory.",
         .remedies = {without_path, look(which_copies), blocking},
         .rank = Rank::symptom,
         .certain = false},
        {.name = "cuBLAS fails",
         .needles = {"CUBLAS_STATUS_NOT_INITIALIZED", "CUBLAS_STATUS_EXECUTION_FAILED", "CUBLAS_STATUS_INTERNAL_ERROR",
                     "CUBLAS_STATUS_MAPPING_ERROR",
                     "the GPU program failed to "
                     "execute",
                     "CUSOLVER_STATUS_", "CUSPARSE_STATUS_", "CUFFT_INTERNAL_ERROR", "CUFFT_ALLOC_FAILED"},
         .meaning = "A kernel of NVIDIA's library did not run: most often an earlier kernel had already failed (an "
                    "index out of range), else a foreign version of the library is loaded, or the hardware fails.",
         .claims = {"001-12"},
         .remedies = {blocking, "run the same line on the CPU   (its message names a wrong index)", without_path,
                      look("sudo dmesg | grep -i xid")},
         .rank = Rank::symptom,
         .certain = false},
    };
}

}  // namespace tocuda::doctor
