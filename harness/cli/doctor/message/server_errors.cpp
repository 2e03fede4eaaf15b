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

}  // namespace

Functions server_functions() {
    return {.readings = {{"read_image_of_embeddings", read_image_of_embeddings},
                         {"read_ranks", read_ranks},
                         {"read_of_turbomind", read_of_turbomind}}};
}

}  // namespace tocuda::doctor
