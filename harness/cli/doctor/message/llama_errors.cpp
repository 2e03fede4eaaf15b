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

bool was_built_without(std::string_view text, std::size_t) { return !contains(text, "failed to initialize CUDA"); }

}  // namespace

Functions llama_functions() {
    return {.readings = {{"read_memory_of_host", read_memory_of_host},
                         {"read_code_of_ollama", read_code_of_ollama},
                         {"read_end_of_runner", read_end_of_runner},
                         {"read_package_of_ollama", read_package_of_ollama}},
            .conditions = {{"was_built_without", was_built_without}}};
}

}  // namespace tocuda::doctor
