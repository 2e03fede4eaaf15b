// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <cctype>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/out_of_memory.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto who = "nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (who holds the memory)";

void read_gpu_memory(std::string_view text, std::size_t at, Explanation& told) {
    explain_memory(memory_told(text, at), told);
    tell_of_step(text, at, told);
    const auto origin = origin_of(text);
    if ((!origin.runs("vLLM") && !origin.runs("SGLang")) ||
        !contains_any(text, {"load_model", "load_weights", "make_layers(", "initialize_model", "create_weights"}))
        return;
    told.arithmetic.emplace_back("it failed while the weights were loaded: they do not fit");
    told.remedies = {"use a quantized or smaller model   (AWQ, GPTQ, FP8)",
                     origin.runs("vLLM") ? "vllm serve ... --tensor-parallel-size 2   (more GPUs share the weights)"
                                         : "python -m sglang.launch_server ... --tp 2   (more GPUs share the weights)",
                     origin.runs("vLLM")
                         ? "vllm serve ... --cpu-offload-gb 8   (part of them stays in the host's memory)"
                         : "python -m sglang.launch_server ... --cpu-offload-gb 8"};
    if (!contains(text_near(text, at, 60, 0), "Capture cuda graph failed")) return;
    if (told.remedies.empty()) told.remedies.emplace_back(who, Scope::look);
    told.arithmetic.emplace_back("SGLang had given the rest to weights and cache before it captured CUDA graphs");
    told.remedies.insert(told.remedies.begin(), Remedy("python -m sglang.launch_server --mem-fraction-static 0.8 "
                                                       "--cuda-graph-max-bs 16 ...   (lower than now, each)"));
}

// Where no tensor was asked for yet, and where memory of the host was to be locked.
void read_outside(std::string_view text, std::size_t at, Explanation& told) {
    const bool of_start = contains(text_near(line_around(text, at), 0, 0, 2000), "cudaGetDeviceCount");
    if (of_start || (contains(text, "cudaGetDeviceCount()") && contains(text, "Error 2: out of memory"))) {
        told.error = "CUDA does not start: out of memory";
        told.meaning =
            "CUDA answers 2 (out of memory) at its very start, before anything was asked of the GPU: too many GPUs at "
            "once for WSL 2, a limit of addresses or memory of the process, or a GPU that others fill.";
        told.remedies = {"CUDA_VISIBLE_DEVICES=0 python ...   (tells whether it is the number of GPUs)",
                         {"ulimit -v; free -h   (limits; in WSL: memory= in .wslconfig)", Scope::look},
                         {who, Scope::look}};
    } else if (contains_any(text_near(text, at, 400, 0), {"pin_memory=True", ".pin_memory()"}) ||
               contains_any(text_near(text, at, 1500, 0), {"pin memory thread", "_pin_memory_loop", "pin_memory.py"})) {
        told.error = "no host memory to pin";
        told.meaning =
            "Memory of the host was to be page-locked (pin_memory), and the driver could not: this is not the GPU's "
            "memory. WSL 2 gives half of Windows' memory, and less of it to pin.";
        told.remedies = {
            {"free -h; ulimit -l   (is so much free, and may it be locked?)", Scope::look},
            origin_of(text).runs("Ultralytics") ? "PIN_MEMORY=false yolo train ...   (slower copies, no limit)"
                                                : "pin_memory=False   (on the line that fails or in the DataLoader: "
                                                  "slower copies, no limit)",
            {"memory=48GB   (in .wslconfig in Windows, then wsl --shutdown; undo: the old line)", Scope::others}};
    } else {
        for (const auto* one : {who, "use a smaller batch"})
            told.remedies.emplace_back(one, one == who ? Scope::look : Scope::command);
        const auto known = told.remedies.size();
        tell_of_step(text, at, told);
        if (told.remedies.size() == known) told.remedies.clear();
    }
}

void read_host_request(std::string_view text, std::size_t at, Explanation& told) {
    const auto bytes = number_after(text.substr(at, 200), "tried to allocate");
    if (!bytes) return;
    told.figures.push_back({"requested", *bytes, "bytes"});
    told.arithmetic.push_back(fmt::format("{} of host memory in one piece; compare `free -h`", amount_text(*bytes)));
}

// "could not allocate pinned host memory of size: 34359738368", "failed to alloc 34359738368 bytes on host"
void read_pinned(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 60, 200);
    auto bytes = number_after(message, "of size");
    if (!bytes) bytes = number_after(message, "failed to alloc ");
    if (!bytes) bytes = amount_after(message, "failed to allocate ");
    if (!bytes || *bytes <= 0) return;
    told.figures.push_back({"requested", *bytes, "bytes"});
    told.arithmetic.push_back(fmt::format("{} of host memory were to be locked", amount_text(*bytes)));
}

// A traceback that quotes a program's own line, such as `if "CUDA out of memory" in str(error)`, is no error.
bool is_not_quoted(std::string_view text, std::size_t at) {
    return at == 0 || (text[at - 1] != '"' && text[at - 1] != '\'');
}

// "Triton Error [CUDA]: out of memory", "OutOfMemoryError: out of resource: ... Required: ... Hardware limit" is
// another kind of memory.
bool is_of_the_gpu(std::string_view text, std::size_t at) {
    constexpr std::string_view numbered = "cuda execution failed with error 2";
    if (text.substr(at).starts_with(numbered) && !text_near(text, at + numbered.size(), 0, 1).empty() &&
        std::isdigit(static_cast<unsigned char>(text[at + numbered.size()])) != 0)
        return false;
    const auto around = text_near(text, at, 200, 300);
    return is_not_quoted(text, at) && !contains(around, "out of resource") && !contains(around, "HIP");
}

void read_pinned_workers(std::string_view text, std::size_t, Explanation& told) {
    if (!contains(text, "expected 2, got 0")) return;
    told.meaning =
        "PyTorch 1.7 fails at the end of an epoch where persistent_workers and pin_memory are both on "
        "(pytorch#48370); 1.8 and newer do not.";
    told.certain = true;
    told.remedies = {"DataLoader(..., persistent_workers=False)   (or pin_memory=False)",
                     "{torch}   (1.8 or newer, in a new environment)"};
}

}  // namespace

Functions memory_functions() {
    return {.readings = {{"tell_of_step", tell_of_step},
                         {"read_gpu_memory", read_gpu_memory},
                         {"read_outside", read_outside},
                         {"read_host_request", read_host_request},
                         {"read_pinned", read_pinned},
                         {"read_pinned_workers", read_pinned_workers}},
            .conditions = {{"is_not_quoted", is_not_quoted}, {"is_of_the_gpu", is_of_the_gpu}}};
}

}  // namespace tocuda::doctor
