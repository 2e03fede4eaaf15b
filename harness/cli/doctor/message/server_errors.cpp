// tocuda, Apache-2.0.
// Servers of models beside vLLM and SGLang: text-generation-inference, text-embeddings-inference, LMDeploy,
// TensorRT-LLM, Triton.
#include <fmt/core.h>

#include <array>
#include <cstdint>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto image_of_embeddings = "ghcr.io/huggingface/text-embeddings-inference";

// "Runtime compute cap 120 is not compatible with compile time compute cap 80"
void read_image_of_embeddings(std::string_view text, std::size_t at, Explanation& told) {
    struct Image {
        std::int64_t capability;
        std::string_view tag;
    };
    constexpr auto images = std::to_array<Image>({{75, "turing-1.9"},
                                                  {80, "1.9"},
                                                  {86, "86-1.9"},
                                                  {89, "89-1.9"},
                                                  {90, "hopper-1.9"},
                                                  {100, "100-1.9"},
                                                  {120, "120-1.9"}});
    const auto message = text_near(text, at, 0, 200);
    const auto here = number_after(message, "untime compute cap ");
    const auto built = number_after(message, "compile time compute cap ");
    if (!here || !built) return;
    told.arithmetic.push_back(fmt::format("the GPU has compute capability {}.{}, and it was built for {}.{}",
                                          *here / 10, *here % 10, *built / 10, *built % 10));
    if (*here < 75) {
        told.meaning =
            "text-embeddings-inference needs compute capability 7.5 (T4, RTX 20) or newer, and this GPU is older.";
        told.remedies = {fmt::format("docker run {}:cpu-1.9 ...   (on the CPU)", image_of_embeddings),
                         "use sentence-transformers or Ollama   (they run on older GPUs)"};
        return;
    }
    if (*here == *built)
        told.arithmetic.emplace_back(
            "they are equal: this version has no kernels for that GPU, whatever it is built for");
    for (const auto& [capability, tag] : images)
        if (capability == *here) {
            told.remedies = {
                fmt::format("docker run --gpus all {}:{} ...   (the image for this GPU)", image_of_embeddings, tag),
                fmt::format("docker build . -f Dockerfile-cuda --build-arg CUDA_COMPUTE_CAP={}   (in its "
                            "sources)",
                            *here)};
            return;
        }
}

// "[TM][ERROR] Assertion fail: D:\a\lmdeploy\lmdeploy\src/turbomind/models/llama/Barrier.h:20"
void read_of_turbomind(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains(line_around(text, at), "Barrier.h")) return;
    told.meaning = "TurboMind, LMDeploy's engine, has no tensor parallelism on Windows: there it runs on one GPU only.";
    told.remedies = {"lmdeploy serve api_server ... --tp 1   (one GPU)",
                     "wsl --install   (several GPUs: LMDeploy in WSL 2)"};
}

// An engine for two GPUs is run by two processes.
void read_ranks(std::string_view text, std::size_t at, Explanation& told) {
    const auto before = text_near(text, at, 3000, 200);
    const auto ranks = number_after(before, "MPI size: ");
    const auto engine = number_after(before, "Engine world size (");
    if (ranks)
        told.arithmetic.push_back(fmt::format("it was started as {} process{}", *ranks, *ranks == 1 ? "" : "es"));
    if (!engine) return;
    told.remedies = {fmt::format("mpirun -n {} --allow-run-as-root python3 run.py ...", *engine),
                     "trtllm-build of a checkpoint with --tp_size 1   (for one GPU)"};
}

std::vector<KnownError> errors_of_hugging_face() {
    return {
        {.name = "image of text-embeddings-inference for another GPU",
         .needles = {"untime compute cap "},
         .meaning =
             "Each image of text-embeddings-inference is for one generation of GPUs, and this one is for another.",
         .remedies = {look("nvidia-smi --query-gpu=name,compute_cap --format=csv"),
                      "take the image for that capability   (turing-, 86-, 89-, hopper-, 120- before the version)"},
         .read = read_image_of_embeddings,
         .in_line = {"compile time compute cap"}},
    };
}

std::vector<KnownError> errors_of_triton() {
    return {
        {.name = "Triton cannot load an engine",
         .needles = {"unable to create TensorRT engine", "unable to load plan file to auto complete config",
                     "Failed to deserialize cuda engine", "Internal: unable to load plan file"},
         .meaning =
             "The server could not load a TensorRT engine: an engine runs only with the version of TensorRT that "
             "built it, on GPUs of the same compute capability. The server's own line above names the reason.",
         .remedies =
             {"docker run --gpus all nvcr.io/nvidia/tensorrt:YY.MM-py3 trtexec --onnx=model.onnx "
              "--saveEngine=model.plan   (YY.MM as of the server's image, on this GPU)",
              look("docker logs SERVER 2>&1 | grep -E '\\[TRT\\]|E[0-9]{4}'   (version tag, or incompatible device?)")},
         .rank = Rank::symptom},
        {.name = "Triton: a model did not load",
         .needles = {"failed to load all models", "Stub process '", "Stub process \"",
                     "Failed to initialize Python stub"},
         .meaning =
             "The server ends because a model could not be loaded; the table of models, or a line that begins with E, "
             "says why.",
         .remedies = {look("docker logs SERVER 2>&1 | grep -E '^E[0-9]{4}|UNAVAILABLE'   (the reason)"),
                      "docker run --gpus all --shm-size=1g ...   (Python backend: its stub needs shared memory)",
                      "tritonserver --exit-on-error=false ...   (starts with the other models)"},
         .near = {"triton", "Triton"},
         .rank = Rank::echo},
    };
}

}  // namespace

std::vector<KnownError> server_errors() {
    auto all = errors_of_hugging_face();
    const auto of_triton = errors_of_triton();
    all.insert(all.end(), of_triton.begin(), of_triton.end());
    const std::vector<KnownError> others{
        {.name = "Triton: the process of a Python model ended",
         .needles = {"Stub process", "Failed to initialize stub", "stub process exited unexpectedly"},
         .meaning = "Triton runs each Python model in a process of its own, and that one ended: it crashed, the host's "
                    "memory or /dev/shm was full, or its environment is for another Python than the stub.",
         .remedies = {"tritonserver --log-verbose=1 ...   (the model's own error stands before this)",
                      "docker run --shm-size=1g ...   (a container has 64 MB, and the models share it)",
                      look("sudo dmesg | grep -iE 'oom|killed process|segfault'; df -h /dev/shm; free -h"),
                      look("python3 --version   (in the image: the version that EXECUTION_ENV_PATH must have, or build "
                           "a stub for yours)")},
         .in_line = {"not healthy", "unhealthy", "nitialize stub", "exited unexpectedly"},
         .rank = Rank::echo},
        {.name = "Xinference: no GPU is left",
         .needles = {"No available slot found for the model"},
         .meaning = "Xinference gives each model GPUs of its own, and counts those it has, not their memory: all are "
                    "given away, or fewer are there than n_gpu asks for.",
         .remedies = {look("xinference list; nvidia-smi -L; echo \"[$CUDA_VISIBLE_DEVICES]\"   (which models have "
                           "them?)"),
                      {"xinference terminate --model-uid UID   (a model that is not needed)", Scope::others},
                      "xinference launch --gpu-idx 0 ...   (onto a GPU that has a model; both must fit)",
                      "xinference launch --n-gpu 1 ...   (as many as there are; an embedding: --n-gpu None, on the "
                      "CPU)"}},
        {.name = "TensorRT-LLM: other number of processes than of GPUs",
         .needles = {"mpiSize == tp * pp", "Engine world size (", "mpiSize == tp * pp * cp",
                     "MPI worldSize is expected to be equal to tp*pp"},
         .meaning = "The engine was built for several GPUs (tp_size, pp_size), and needs one process for each; it was "
                    "started without mpirun, or by an mpirun of another MPI, so each is alone.",
         .remedies =
             {"mpirun -n 2 --allow-run-as-root python3 run.py ...   (as many as tp_size times pp_size)",
              "python3 scripts/launch_triton_server.py --world_size 2 ...   (in Triton)",
              "trtllm-build of a checkpoint with --tp_size 1   (for one GPU)",
              look("command -v mpirun; python3 -c 'from mpi4py import MPI; print(MPI.Get_library_version())'   (the "
                   "same MPI?)")},
         .read = read_ranks},
        {.name = "TensorRT-LLM: a worker ended",
         .needles = {"Executor worker returned error", "Executor worker died", "Executor worker initialization error",
                     "MPI_ABORT was invoked on rank"},
         .meaning =
             "TensorRT-LLM says only that a process of the model ended; that process' own error stands further up.",
         .remedies = {"paste the log from the first line with [E] or Traceback on",
                      "TLLM_LOG_LEVEL=DEBUG trtllm-serve ...   (says how far it came)",
                      look("nvidia-smi; free -h; df -h /dev/shm   (docker run --ipc=host --ulimit memlock=-1)")},
         .near = {"tensorrt_llm", "TensorRT-LLM", "trtllm"},
         .rank = Rank::echo},
        {.name = "LMDeploy's engine is not there",
         .needles = {"No module named '_turbomind'", "No module named 'lmdeploy.lib", "turbomind is not installed",
                     "Fallback to pytorch engine because turbomind engine is not installed"},
         .meaning = "The compiled part of LMDeploy is not found: the folder of its sources is imported instead of the "
                    "package, or the package was installed without it.",
         .remedies = {look("cd / && python -c 'import lmdeploy; print(lmdeploy.__file__)'   (out of the sources: is it "
                           "site-packages?)"),
                      "python3 -m venv fresh && fresh/bin/pip install lmdeploy   (the wheel with TurboMind)",
                      "lmdeploy serve api_server ... --backend pytorch   (without TurboMind)"}},
        {.name = "LMDeploy: an assertion of its engine",
         .needles = {"Barrier.h", "[TM][ERROR]  Assertion fail", "[TM][FATAL]"},
         .meaning = "A check within TurboMind, LMDeploy's engine, failed: it lacks the model, the type or the GPU.",
         .remedies = {"lmdeploy serve api_server ... --backend pytorch   (its other engine)",
                      "python3 -m venv fresh && fresh/bin/pip install lmdeploy   (a newer one)"},
         .read = read_of_turbomind,
         .near = {"turbomind", "[TM]"},
         .certain = false},
    };
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

}  // namespace tocuda::doctor
