// tocuda, Apache-2.0.
// Encodes orders and reports as fields that end in a zero byte, which no argument or environment variable can contain.
#include "process/order.hpp"

#include <charconv>
#include <cstddef>

namespace tocuda {
namespace {

constexpr std::string_view order_head = "tocuda order 1";
constexpr std::string_view report_head = "tocuda report 1";

class Fields {
public:
    void add(std::string_view text) { (bytes += text) += '\0'; }
    void add(std::int64_t number) { add(std::string_view(std::to_string(number))); }
    void add(double number) {
        char text[64];
        const auto end = std::to_chars(text, text + sizeof text, number).ptr;
        add(std::string_view(text, static_cast<std::size_t>(end - text)));
    }
    void add(const std::vector<std::string>& list) {
        add(static_cast<std::int64_t>(list.size()));
        for (const auto& text : list) add(std::string_view(text));
    }
    std::string take() { return std::move(bytes); }

private:
    std::string bytes;
};

class Reading {
public:
    explicit Reading(std::string_view all) : rest(all) {}

    std::string text() {
        const auto end = rest.find('\0');
        if (end == std::string_view::npos) {
            failed = true;
            return {};
        }
        std::string field(rest.substr(0, end));
        rest.remove_prefix(end + 1);
        return field;
    }
    template <class Number>
    Number number() {
        const auto field = text();
        Number value{};
        const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
        if (problem != std::errc{} || end != field.data() + field.size()) failed = true;
        return value;
    }
    std::vector<std::string> list() {
        std::vector<std::string> texts;
        for (auto left = number<std::int64_t>(); left > 0 && !failed; --left) texts.push_back(text());
        return texts;
    }
    bool whole() const { return !failed && rest.empty(); }

private:
    std::string_view rest;
    bool failed = false;
};

}  // namespace

std::string to_bytes(const Order& order) {
    Fields fields;
    fields.add(order_head);
    fields.add(order.command);
    fields.add(order.environment);
    fields.add(order.seconds);
    fields.add(order.resident_bytes);
    return fields.take();
}

std::optional<Order> order_from(std::string_view bytes) {
    Reading reading(bytes);
    if (reading.text() != order_head) return std::nullopt;
    Order order;
    order.command = reading.list();
    order.environment = reading.list();
    order.seconds = reading.number<double>();
    order.resident_bytes = reading.number<std::int64_t>();
    return reading.whole() && !order.command.empty() ? std::optional(std::move(order)) : std::nullopt;
}

std::string to_bytes(const Report& report) {
    Fields fields;
    fields.add(report_head);
    fields.add(std::string_view(report.ended));
    fields.add(std::int64_t{report.code});
    fields.add(report.seconds);
    fields.add(std::int64_t{report.outlived});
    fields.add(report.peak_resident_bytes);
    fields.add(std::int64_t{report.told});
    fields.add(std::string_view(report.stopped));
    return fields.take();
}

std::optional<Report> report_from(std::string_view bytes) {
    Reading reading(bytes);
    if (reading.text() != report_head) return std::nullopt;
    Report report;
    report.ended = reading.text();
    report.code = reading.number<int>();
    report.seconds = reading.number<double>();
    report.outlived = reading.number<int>();
    report.peak_resident_bytes = reading.number<std::int64_t>();
    report.told = reading.number<int>() != 0;
    report.stopped = reading.text();
    return reading.whole() ? std::optional(std::move(report)) : std::nullopt;
}

}  // namespace tocuda
