// tocuda, Apache-2.0.
// The order that a guardian receives and the report that it sends, with their encoding as bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// The descriptors that a guardian starts with. The order comes in memory, not as arguments or environment, because a
// child's LD_PRELOAD must not affect its guardian.
struct GuardianDescriptors {
    static constexpr int child_input = 0;
    static constexpr int report = 1;
    static constexpr int child_stderr = 2;
    static constexpr int child_says = 3;
    static constexpr int control = 4;  // its end of file orders a stop; a killed tocuda causes it too
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
    bool told = false;      // the control pipe ended before the child; the supervisor knows why
    std::string stopped{};  // why the guardian ended it, or why it did not start

    bool operator==(const Report&) const = default;
};

std::string to_bytes(const Order& order);
std::optional<Order> order_from(std::string_view bytes);
std::string to_bytes(const Report& report);
std::optional<Report> report_from(std::string_view bytes);  // nullopt if incomplete

}  // namespace tocuda
