// tocuda, Apache-2.0.
// What a guardian is told, and what it reports: two values, and the bytes that carry them from process to process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// The descriptors a guardian starts with. The child's order comes as memory, not as arguments or environment: a child's LD_PRELOAD
// must not touch its guardian.
struct GuardianDescriptors {
    static constexpr int child_input = 0;
    static constexpr int report = 1;
    static constexpr int child_stderr = 2;
    static constexpr int child_says = 3;
    static constexpr int control = 4;  // its end of file is the order to stop, and what a killed tocuda leaves
    static constexpr int order = 5;
};

struct Order {
    std::vector<std::string> command;
    std::vector<std::string> environment;
    double seconds = 0;
    std::int64_t resident_bytes = 0;

    bool operator==(const Order&) const = default;
};

struct Report {
    std::string ended;  // as in Outcome
    int code = 0;
    double seconds = 0;
    int outlived = 0;
    std::int64_t peak_resident_bytes = 0;
    bool told = false;      // the control pipe ended before the child did: why, the supervisor knows
    std::string stopped{};  // why the guardian ended it, or why it could not be started

    bool operator==(const Report&) const = default;
};

std::string to_bytes(const Order& order);
std::optional<Order> order_from(std::string_view bytes);
std::string to_bytes(const Report& report);
std::optional<Report> report_from(std::string_view bytes);  // none where it is not whole

}  // namespace tocuda
