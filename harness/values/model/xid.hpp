// tocuda, Apache-2.0.
// The messages about GPUs that NVIDIA's kernel module writes to the kernel's log.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/words.hpp"

namespace tocuda {

struct Xid {
    int number = 0;
    std::string address{};  // of the GPU: "0000:3b:00"
    int times = 1;

    bool operator==(const Xid&) const = default;
};

// In the order of the log: "NVRM: Xid (PCI:0000:3b:00): 31, pid=1234, ..."
inline std::vector<Xid> xids_in(std::string_view text) {
    constexpr std::string_view begin = "NVRM: Xid (PCI:";
    std::vector<Xid> found;
    for (auto at = text.find(begin); at != std::string_view::npos; at = text.find(begin)) {
        text.remove_prefix(at + begin.size());
        const auto address_end = text.find("): ");
        const auto number_end = address_end == std::string_view::npos ? address_end : text.find(',', address_end);
        if (number_end == std::string_view::npos) break;
        const auto number = whole_number<int>(text.substr(address_end + 3, number_end - address_end - 3));
        if (number) found.push_back({*number, std::string(text.substr(0, address_end))});
    }
    return found;
}

}  // namespace tocuda
