// tocuda, Apache-2.0.
// Addresses on the PCI bus, which everybody writes differently: CUDA "00000000:1a:00.0", NVML "00000000:1A:00.0", Linux
// "0000:1a:00.0", the kernel's log "0000:1a:00".
#pragma once

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace tocuda {

struct PciAddress {
    int domain = 0;
    int bus = 0;
    int slot = 0;
    int function = 0;

    auto operator<=>(const PciAddress&) const = default;
};

// nullopt if the text is no address.
inline std::optional<PciAddress> pci_address(std::string_view text) {
    PciAddress address;
    const std::array<std::pair<int*, std::string_view>, 4> parts{
        {{&address.domain, ":"}, {&address.bus, ":"}, {&address.slot, "."}, {&address.function, ""}}};
    for (const auto& [part, end] : parts) {
        const auto [stopped, wrong] = std::from_chars(text.data(), text.data() + text.size(), *part, 16);
        if (wrong != std::errc{}) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(stopped - text.data()));
        if (text.empty() && (part == &address.slot || part == &address.function)) return address;
        if (end.empty() || !text.starts_with(end)) return std::nullopt;
        text.remove_prefix(1);
    }
    return std::nullopt;
}

// Whether both are addresses, and the same one.
inline bool same_place(std::string_view one, std::string_view other) {
    const auto address = pci_address(one);
    return address && address == pci_address(other);
}

}  // namespace tocuda
