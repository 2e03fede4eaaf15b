// tocuda, Apache-2.0.
// Programs on ggml, and CTranslate2: llama.cpp, Ollama, KoboldCpp, LM Studio, whisper.cpp, faster-whisper.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

void read_code_of_ollama(std::string_view text, std::size_t, Explanation& told) {
    if (const auto code = number_after(text, "init failure: "))
        told.arithmetic.push_back(fmt::format("the driver answered {} at its start", *code));
}

// "failed to allocate buffer of size 437944320", "requires more system memory (9.1 GiB) than is available (5.0 GiB)"
void read_memory_of_host(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 200, 300);
    const auto needed = amount_after(message, "more system memory (");
    const auto there = amount_after(message, "than is available (");
    if (needed && there)
        told.arithmetic.push_back(fmt::format("{} are needed, {} are free", amount_text(*needed), amount_text(*there)));
    else if (const auto bytes = number_after(message, "buffer of size "); bytes && *bytes > 0)
        told.arithmetic.push_back(fmt::format("{} of the host's memory were to be had", amount_text(*bytes)));
    if (!origin_of(text).windows) return;
    told.remedies = {
        "close other programs, or use a smaller model or quantization   (Q4_K_M)",
        {"enlarge the page file: System, Advanced, Performance, Virtual memory   (undo: the old size)", Scope::machine},
        "use a smaller context   (Ollama: num_ctx; llama.cpp: -c 4096)"};
}

std::vector<KnownError> errors_of_ggml() {
    return {
        {.name = "llama.cpp without CUDA",
         .needles = {"no usable GPU found, --gpu-layers", "ot compiled with GPU offload support",
                     "compiled without support for GPU offload", "compiled without GPU support",
                     "Current LLAMA_MAX_DEVICES=1", "whisper_backend_init_gpu: no GPU found",
                     "no usable GPU found, --n-gpu-layers"},
         .meaning = "This build of llama.cpp, or of its Python package, has no CUDA, or finds no GPU: it uses the CPU.",
         .remedies =
             {look("nvidia-smi; nvcc --version"),
              "CMAKE_ARGS=-DGGML_CUDA=on pip install --no-cache-dir --force-reinstall llama-cpp-python==VERSION   "
              "(EXTENSION built anew in this environment; undo: pip install it without CMAKE_ARGS)",
              "cmake -B build -DGGML_CUDA=ON && cmake --build build   (llama.cpp itself)"},
         .applies = [](std::string_view text, std::size_t) { return !contains(text, "failed to initialize CUDA"); }},
        {.name = "llama.cpp: model not split by rows",
         .needles = {"does not support split buffers"},
         .meaning = "llama.cpp was to split each tensor over the GPUs, which this device or version does not do.",
         .remedies = {"llama-server --split-mode layer ...   (whole layers on each GPU; the default)",
                      "llama-server --split-mode none --main-gpu 0 ...   (all on one GPU, if it fits)"}},
        {.name = "llama.cpp without CUDA",
         .needles = {"BLAS = 0", "LLAMA_CUBLAS is deprecated", "LLAMA_CUDA is deprecated"},
         .meaning =
             "This llama.cpp was built without CUDA: its options are called -DGGML_CUDA=ON now, and pip takes an "
             "earlier wheel from its cache unless it is told not to.",
         .remedies =
             {"CMAKE_ARGS=-DGGML_CUDA=on pip install --no-cache-dir --force-reinstall llama-cpp-python==VERSION  "
              " (EXTENSION built anew in this environment; undo: pip install it without CMAKE_ARGS)",
              look("nvcc --version; nvidia-smi   (the toolkit is needed to build it)"),
              "cmake -B build -DGGML_CUDA=ON && cmake --build build   (llama.cpp itself)"},
         .near = {"AVX2 = ", "llama", "ggml"},
         .rank = Rank::symptom},
        {.name = "ggml without code for this GPU",
         .needles = {"ggml-cuda was compiled without support for the current GPU architecture"},
         .meaning = "This build has CUDA, and no code for the compute capability of this GPU.",
         .remedies = {look("nvidia-smi --query-gpu=name,compute_cap --format=csv   (XY is 86 for 8.6)"),
                      "use another build of the program   (newest release, or its one for older GPUs: "
                      "koboldcpp-oldpc, Vulkan)",
                      "cmake -B build -DGGML_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=XY && cmake --build build"}},
        {.name = "no host memory for the model",
         .needles = {"unable to allocate CPU buffer", "failed to allocate CPU buffer",
                     "ggml_backend_cpu_buffer_type_alloc_buffer: failed", "requires more system memory (",
                     "unable to allocate CUDA_Host buffer"},
         .meaning = "The host's memory is full, not that of the GPU: what does not fit on the GPU, and buffers for it, "
                    "are there.",
         .remedies = {look("free -h"), "use a smaller model or quantization   (Q4_K_M)",
                      "llama-server --mmap -c 4096 -ngl 99 ...   (without --no-mmap and --mlock; a smaller context, "
                      "more layers on the GPU)"},
         .read = read_memory_of_host},
        {.name = "LM Studio cannot load the model",
         .needles = {"The model has crashed without additional information", "Failed to load the model",
                     "Try a different model and/or config", "Try loading the model with a different config"},
         .meaning = "The runtime of LM Studio ended while it loaded or ran the model, and does not say why: most often "
                    "the memory of the GPU is too small for it, or the runtime does not fit the driver or the GPU.",
         .remedies = {"lower \"GPU offload\" to 0, then raise it; lower the context length   (in the model's settings)",
                      "choose another runtime: Settings, Runtime   (CUDA 12, CUDA, Vulkan, CPU; update them there)",
                      look("nvidia-smi   (free memory; the driver's CUDA Version)")},
         .near = {"ifferent model and/or config", "LM Studio", "lmstudio", "GGUF", "gguf", "\xf0\x9f\xa5\xb2"},
         .rank = Rank::symptom},
        {.name = "ctranslate2 without cuDNN",
         .needles = {"on GPU currently requires the cuDNN library"},
         .meaning = "This CTranslate2 was built with CUDA and without cuDNN, which the convolutions of Whisper need.",
         .remedies = {"cmake -B build -DWITH_CUDA=ON -DWITH_CUDNN=ON ... && cmake --build build   (CTranslate2 built "
                      "again, with cuDNN's headers installed; then its folder python, too)",
                      look("python -c 'import ctranslate2 as c; print(c.__version__, c.__file__, "
                           "c.get_cuda_device_count())'"),
                      "WhisperModel(..., device='cpu')"}},
    };
}

// "exit status 0xc0000135", "signal: killed"
void read_end_of_runner(std::string_view text, std::size_t at, Explanation& told) {
    struct End {
        std::string_view sign, means;
    };
    constexpr auto ends = std::to_array<End>(
        {{"0xc0000135", "0xc0000135: a library (DLL) is missing, as of CUDA: install Ollama anew, whole"},
         {"0xc0000139", "0xc0000139: a library lacks a function: the driver or the Visual C++ runtime is too old"},
         {"0xc0000409", "0xc0000409: it ended itself after an error of CUDA, most often with the GPU's memory full"},
         {"0xc0000005", "0xc0000005: a crash in compiled code, as a driver that is too old or faulty"},
         {"0xc000001d", "0xc000001d: an instruction that this CPU does not have"},
         {"signal: killed", "killed: the system ended it, most often because the host's memory was full"},
         {"signal: segmentation", "a crash in compiled code"},
         {"signal: illegal instruction", "an instruction that this CPU does not have"},
         {"CUDA error", "an error of CUDA ended it"}});
    const auto message = text_near(text, at, 0, 200);
    for (const auto& [sign, means] : ends)
        if (contains(message, sign)) return told.arithmetic.emplace_back(means), void();
}

// Distributions whose package has no CUDA in it, and another one that has.
void read_package_of_ollama(std::string_view text, std::size_t, Explanation& told) {
    constexpr auto found =
        "ollama ps; journalctl -u ollama | grep -iE 'cuda|gpu|inference compute'   (then: the share on the GPU, while "
        "a "
        "model is loaded; what does not fit in its memory runs on the CPU)";
    const auto origin = origin_of(text);
    if (origin.windows) {
        told.remedies = {
            {"ollama ps; findstr /i \"cuda gpu\" %LOCALAPPDATA%\\Ollama\\server.log   (the share on the GPU, while a "
             "model is loaded; what it found at its start)",
             Scope::look},
            {"nvidia-smi   (is the GPU there, and has it memory for the model?)", Scope::look},
            {"update Ollama and the driver   (undo: install the old versions)", Scope::machine}};
        return;
    }
    if (contains_any(text, {"ollama-cuda", "docker run", "docker compose"})) return;
    if (origin.distribution == Distribution::arch)
        told.remedies = {
            {"pacman -Q | grep ollama   (Arch's package ollama runs on the CPU alone; ollama-cuda is what adds CUDA)",
             Scope::look},
            {"sudo pacman -S ollama-cuda && sudo systemctl restart ollama   (undo: sudo pacman -R ollama-cuda)",
             Scope::machine},
            {found, Scope::look}};
    else if (origin.distribution == Distribution::nixos)
        told.remedies = {{"services.ollama.package = pkgs.ollama-cuda;   (in configuration.nix, then nixos-rebuild "
                          "switch; undo: nixos-rebuild switch --rollback)",
                          Scope::machine},
                         {found, Scope::look}};
}

std::vector<KnownError> errors_of_ollama() {
    return {
        {.name = "Ollama finds no GPU",
         .needles = {"no compatible GPUs were discovered", "unable to load cuda driver library",
                     "no nvidia devices detected by library", "cuda driver library failed to",
                     "cuda driver library init failure"},
         .meaning = "Ollama looked for a GPU and found none that it can use: its log says why further up; after "
                    "suspend it is nvidia_uvm, in a container the missing --gpus.",
         .remedies = {look("journalctl -u ollama | grep -iE 'cuda|gpu|nvidia'; nvidia-smi"),
                      "docker run --gpus=all ...   (in a container)",
                      others("sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm && sudo systemctl restart ollama "
                             "  (after suspend; it refuses while any program uses a GPU)")},
         .read = read_code_of_ollama,
         .rank = Rank::echo,
         .certain = false},
        {.name = "Ollama without its GPU libraries",
         .needles = {"\"compatible gpu libraries\" compatible=[]"},
         .meaning = "Ollama found none of the libraries that run models on a GPU: the program was copied without its "
                    "folder lib/ollama, or its installation is not whole.",
         .remedies = {look("ls /usr/local/lib/ollama /usr/lib/ollama   (cuda_v12 or cuda_v13 there?)"),
                      machine("curl -fsSL https://ollama.com/install.sh | sh   (installs it anew, whole)")}},
        {.name = "driver too old for Ollama",
         .needles = {"your nvidia driver is too old or missing", "symbol lookup for cu"},
         .meaning = "Ollama found the driver's library, and that is too old for it: a function is missing in it.",
         .remedies = {look("nvidia-smi   (Driver Version)"),
                      machine("install NVIDIA's current driver, then start Ollama anew   (undo: the version that "
                              "nvidia-smi showed)")}},
        {.name = "Ollama's installer saw no GPU",
         .needles = {"Install lspci or lshw to automatically detect"},
         .meaning = "Ollama's installer looks for GPUs with lspci or lshw, and neither is there, as in containers. "
                    "Ollama itself may find the GPU all the same: if nvidia-smi shows it, nothing is amiss.",
         .remedies = {look("nvidia-smi; ollama ps   (GPU in its column PROCESSOR, while a model is loaded)"),
                      machine("apt install pciutils lshw, and run the installer again   (undo: apt remove pciutils "
                              "lshw)")},
         .rank = Rank::notice},
        {.name = "Ollama without its part for CUDA",
         .needles = {"Invalid OLLAMA_LLM_LIBRARY", "runners=[cpu]", "runners=\"[cpu]\""},
         .meaning = "This Ollama has no libraries for CUDA, or OLLAMA_LLM_LIBRARY asks for one by a name that it does "
                    "not have: it was not unpacked whole, or is built without. It goes on with the CPU.",
         .remedies = {"unset OLLAMA_LLM_LIBRARY   (then it chooses by itself)",
                      look("ls $(dirname $(command -v ollama))/../lib/ollama   (cuda_v12 or the like must be there)"),
                      machine("curl -fsSL https://ollama.com/install.sh | sh   (or unpack its archive whole)")}},
        {.name = "Ollama: the runner ended",
         .needles = {"llama runner process has terminated", "llama runner process no longer running",
                     "error starting llama runner", "llama runner exited",
                     "timed out waiting for llama runner to start", "model runner has unexpectedly stopped"},
         .meaning =
             "The process that runs the model ended or did not start in time; its own error stands further up in "
             "Ollama's log.",
         .remedies = {look("ollama's log   (journalctl -u ollama; Windows: %LOCALAPPDATA%\\Ollama\\server.log; docker "
                           "logs: the lines with CUDA, error or ggml before this one)"),
                      "use a smaller model or context   (num_ctx, num_gpu)",
                      "OLLAMA_LOAD_TIMEOUT=15m ollama serve   (if it timed out: a slow disk)",
                      machine("update Ollama and the driver   (undo: install the old version)")},
         .read = read_end_of_runner,
         .applies = [](std::string_view text,
                       std::size_t at) { return !contains(line_around(text, at), ": CUDA error: "); },
         .rank = Rank::symptom},
        {.name = "Ollama uses the CPU",
         .needles = {"library=cpu variant", "id=cpu library=cpu", "inference compute\" id=0 library=cpu",
                     "entering low vram mode", "offloaded 0/"},
         .meaning = "Ollama found no GPU that it can use, or the model does not fit on it: it runs on the CPU.",
         .remedies = {look("nvidia-smi; ollama ps   (GPU in its column PROCESSOR, while a model is loaded)"),
                      look("journalctl -u ollama | grep -iE 'cuda|gpu|nvidia'   (why it was left out)"),
                      "docker run --gpus=all ...   (in a container)"},
         .near = {"ollama", "OLLAMA", "level=", "llama"},
         .rank = Rank::notice},
        {.name = "Ollama uses the CPU",
         .needles = {"100% CPU",           "high CPU",       "CPU usage",       "ot using GPU", "ot using the GPU",
                     "ot use GPU",         "ot use the GPU", "ot using my GPU", "ot utilizing", "ot detecting",
                     "using CPU",          "using the CPU",  "uses CPU",        "uses the CPU", "instead of GPU",
                     "instead of the GPU", "only CPU",       "on CPU only",     "nly uses CPU", "GPU is not used",
                     "GPU not used"},
         .meaning = "Ollama runs on the CPU: it has no libraries for CUDA, found no GPU when it started, or the model "
                    "does not fit on it.",
         .remedies = {look("ollama ps; journalctl -u ollama | grep -iE 'cuda|gpu|inference compute'   (the share on "
                           "the GPU, while a model is loaded; what it found at its start)"),
                      look("ls $(dirname $(command -v ollama))/../lib/ollama   (cuda_v12 or cuda_v13 there?)"),
                      machine("curl -fsSL https://ollama.com/install.sh | sh   (if not: installs it anew, whole)"),
                      "docker run --gpus=all ...   (in a container)"},
         .read = read_package_of_ollama,
         .near = {"ollama", "Ollama"},
         .rank = Rank::notice},
    };
}

}  // namespace

std::vector<KnownError> llama_errors() {
    auto all = errors_of_ggml();
    auto of_ollama = errors_of_ollama();
    std::ranges::move(of_ollama, std::back_inserter(all));
    return all;
}

}  // namespace tocuda::doctor
