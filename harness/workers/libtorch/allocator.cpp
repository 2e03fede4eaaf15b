// tocuda, Apache-2.0.
// Uses the interface that all of LibTorch's device allocators share.
#include "libtorch/allocator.hpp"

#include <ATen/DeviceAccelerator.h>
#include <c10/core/CachingDeviceAllocator.h>

#include <cstdio>
#include <string>
#include <variant>

namespace tocuda {
namespace {

constexpr std::size_t aggregate = 0;  // the small and the large pool together

// As LibTorch writes amounts.
std::string in_words(std::int64_t mebibytes) {
    constexpr std::int64_t in_a_gibibyte = 1024;
    char text[32];
    if (mebibytes < in_a_gibibyte) std::snprintf(text, sizeof text, "%.2f MiB", static_cast<double>(mebibytes));
    else std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(mebibytes) / in_a_gibibyte);
    return text;
}

// The limit in LibTorch's message: "... is free. 64.00 MiB allowed; Of the allocated memory ..."; empty if it names
// none.
std::string allowed_in(const std::string& message) {
    const auto end = message.find(" allowed; ");
    if (end == std::string::npos) return "";
    const auto unit = message.rfind(' ', end - 1);
    const auto number = unit == std::string::npos ? unit : message.rfind(' ', unit - 1);
    return number == std::string::npos ? "" : message.substr(number + 1, end - number - 1);
}

}  // namespace

AllocatorFigures allocator_figures(int device) {
    const auto stats = at::getDeviceAllocator(at::kCUDA)->getDeviceStats(static_cast<c10::DeviceIndex>(device));
    return {stats.allocated_bytes[aggregate].current,
            stats.reserved_bytes[aggregate].current,
            stats.inactive_split_bytes[aggregate].current,
            stats.num_device_alloc,
            stats.num_alloc_retries,
            stats.num_ooms};
}

void say(Observer& see, const std::string& name, const AllocatorFigures& figures) {
    see(name + ".allocated_mib", figures.allocated_bytes / mebibyte);
    see(name + ".reserved_mib", figures.reserved_bytes / mebibyte);
    see(name + ".inactive_split_mib", figures.inactive_split_bytes / mebibyte);
    see(name + ".device_allocations", figures.device_allocations);
    see(name + ".retries", figures.retries);
    see(name + ".out_of_memory", figures.out_of_memory);
}

void say(Observer& see, const std::string& name, const FreeBlocks& blocks) {
    see(name + ".known", blocks.unknown.empty());
    if (!blocks.unknown.empty()) return;
    see(name + ".free_blocks", blocks.count);
    see(name + ".free_mib", blocks.bytes / mebibyte);
    see(name + ".largest_free_mib", blocks.largest_bytes / mebibyte);
    see(name + ".expandable", blocks.expandable);
}

void empty_cache() { at::getDeviceAllocator(at::kCUDA)->emptyCache(); }

void cap(Observer& see, std::int64_t mebibytes, int device) {
    see("cap", cap_memory(mebibytes * mebibyte, device));
    see("cap.mib", mebibytes);
}

void require_cap(const Evidence& evidence) {
    if (const auto& cap = evidence.text("cap"); !cap.empty()) throw Undecided("the memory could not be capped: " + cap);
    if (!evidence.has("cap.mib")) return;  // an older recording
    const auto asked = in_words(evidence.integer("cap.mib"));
    const auto in_mebibytes = std::to_string(evidence.integer("cap.mib")) + ".00 MiB";  // LibTorch 2.11: 1024.00 MiB
    for (const auto& [key, value, computed] : evidence.observations) {
        const auto* text = std::get_if<std::string>(&value.held);
        const auto allowed = text && key.ends_with(".message") ? allowed_in(*text) : "";
        if (!allowed.empty() && allowed != asked && allowed != in_mebibytes)
            throw Undecided("LibTorch allows itself " + allowed + " under a cap of " + asked);
    }
}

}  // namespace tocuda
