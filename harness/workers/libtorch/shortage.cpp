// tocuda, Apache-2.0.
#include "libtorch/shortage.hpp"

#include <c10/util/Exception.h>

#include <cstdio>
#include <map>
#include <optional>
#include <string_view>

#include "libtorch/cuda_runtime.hpp"

namespace tocuda {
namespace {

constexpr double gibibyte = 1024.0 * 1024 * 1024;
constexpr int not_supported = 801;

struct Amount {
    double bytes = 0;
    std::string words{};  // as LibTorch writes it: "312.50 MiB"
};

// The amount after `words`, in LibTorch's message.
std::optional<Amount> amount_after(const std::string& message, std::string_view words) {
    static const std::map<std::string, double> units{
        {"bytes", 1}, {"KiB", 1024}, {"MiB", 1024.0 * 1024}, {"GiB", gibibyte}};
    const auto at = message.find(words);
    if (at == std::string::npos) return std::nullopt;
    double number = 0;
    char unit[8] = "";
    const auto* text = message.c_str() + at + words.size();
    if (std::sscanf(text, "%lf %7[A-Za-z]", &number, unit) != 2 || !units.contains(unit)) return std::nullopt;
    const std::string rest = text;
    return Amount{number * units.at(unit), rest.substr(0, rest.find(unit) + std::string_view(unit).size())};
}

std::string lacked_by_code(int code) {
    switch (code) {
        case 2:
            return "the GPU's memory did not suffice to begin (error 2)";
        case 46:
            return "the GPU accepts no further process (error 46)";
        case 200:
        case 209:
        case 218:
        case 222:
            return "this LibTorch has no kernels for compute capability " + compute_capability(0).value_or("unknown") +
                   " (error " + std::to_string(code) + ")";
        case not_supported:
            return "this GPU or its driver does not support it (error 801)";
        default:
            return "";
    }
}

}  // namespace

std::string lacked_memory(const std::string& message) {
    // Small requests take 20 MiB from the driver.
    constexpr double largest_step = 20.0 * 1024 * 1024;
    const auto tried = amount_after(message, "Tried to allocate ");
    const auto free = amount_after(message, " of which ");
    const auto total = amount_after(message, "has a total capacity of ");
    const bool capped = message.find(" allowed; ") != std::string::npos;
    if (!tried || !free || !total) return capped ? "" : "the GPU's memory did not suffice to begin";
    if (capped && free->bytes > tried->bytes + largest_step) return "";
    return "the GPU's memory did not suffice to begin: " + free->words + " of " + total->words + " was free";
}

std::string lacked_by_this_exception() {
    try {
        throw;
    } catch (const c10::OutOfMemoryError& error) {
        return lacked_memory(error.what_without_backtrace());
    } catch (const c10::AcceleratorError& error) {
        return lacked_by_code(static_cast<int>(error.get_error_code()));
    } catch (const c10::Error& error) {
        // LibTorch throws errors of the driver's own functions without their code.
        const std::string_view message = error.what_without_backtrace();
        return message.find("CUDA driver error: operation not supported") == message.npos
                   ? ""
                   : lacked_by_code(not_supported);
    } catch (...) {
        return "";
    }
}

std::string lacking(const Needs& needs) {
    if (needs.free_gib <= 0) return "";
    const auto memory = gpu_memory();
    if (!memory) return "";
    const auto free = static_cast<double>(memory->free_bytes) / gibibyte;
    if (free >= needs.free_gib) return "";
    char text[128];
    std::snprintf(text, sizeof text, "the GPU had only %.2f of %.2f GiB free; %g GiB is needed", free,
                  static_cast<double>(memory->total_bytes) / gibibyte, needs.free_gib);
    return text;
}

}  // namespace tocuda
