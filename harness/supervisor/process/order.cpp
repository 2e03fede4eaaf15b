// tocuda, Apache-2.0.
// Encodes orders and reports as fields that end in a zero byte, which no argument or environment variable can contain.
// One list of fields writes and reads them.
#include "process/order.hpp"

#include <charconv>
#include <concepts>
#include <cstddef>

namespace tocuda {
namespace {

void for_each_field(auto& order, auto each)
    requires requires { order.command; }
{
    each(order.command);
    each(order.environment);
    each(order.seconds);
    each(order.resident_bytes);
}

void for_each_field(auto& report, auto each)
    requires requires { report.ended; }
{
    each(report.ended);
    each(report.code);
    each(report.seconds);
    each(report.outlived);
    each(report.peak_resident_bytes);
    each(report.told);
    each(report.stopped);
}

void append(std::string& bytes, std::string_view text) { (bytes += text) += '\0'; }
void append(std::string& bytes, std::integral auto number) { append(bytes, std::string_view(std::to_string(number))); }
void append(std::string& bytes, double number) {
    char text[64];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    append(bytes, std::string_view(text, static_cast<std::size_t>(end - text)));
}
void append(std::string& bytes, const std::vector<std::string>& list) {
    append(bytes, list.size());
    for (const auto& text : list) append(bytes, text);
}

// These return false if `rest` does not begin with such a field.
bool take(std::string_view& rest, std::string& text) {
    const auto end = rest.find('\0');
    if (end == std::string_view::npos) return false;
    text = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return true;
}
template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
bool take(std::string_view& rest, Number& number) {
    std::string text;
    if (!take(rest, text)) return false;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    return problem == std::errc{} && end == text.data() + text.size();
}
bool take(std::string_view& rest, bool& flag) {
    int number = 0;
    const bool is_taken = take(rest, number);
    flag = number != 0;
    return is_taken;
}
bool take(std::string_view& rest, std::vector<std::string>& list) {
    std::size_t count = 0;
    if (!take(rest, count)) return false;
    for (std::string text; list.size() < count; list.push_back(text))
        if (!take(rest, text)) return false;
    return true;
}

template <class Part>
std::string bytes_of(std::string_view head, const Part& part) {
    std::string bytes;
    append(bytes, head);
    for_each_field(part, [&](const auto& field) { append(bytes, field); });
    return bytes;
}

template <class Part>
std::optional<Part> part_from(std::string_view head, std::string_view bytes) {
    std::string found;
    if (!take(bytes, found) || found != head) return std::nullopt;
    Part part;
    bool is_taken = true;
    for_each_field(part, [&](auto& field) { is_taken = is_taken && take(bytes, field); });
    return is_taken && bytes.empty() ? std::optional(std::move(part)) : std::nullopt;
}

constexpr std::string_view order_head = "tocuda order 1";
constexpr std::string_view report_head = "tocuda report 1";

}  // namespace

std::string to_bytes(const Order& order) { return bytes_of(order_head, order); }

std::optional<Order> order_from(std::string_view bytes) {
    auto order = part_from<Order>(order_head, bytes);
    return order && !order->command.empty() ? std::move(order) : std::nullopt;
}

std::string to_bytes(const Report& report) { return bytes_of(report_head, report); }

std::optional<Report> report_from(std::string_view bytes) { return part_from<Report>(report_head, bytes); }

}  // namespace tocuda
