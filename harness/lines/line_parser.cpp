// tocuda, Apache-2.0.
#include "lines/line_parser.hpp"

#include "lines/dom.hpp"
#include "lines/samples_dom.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

static_assert(line_padding >= simdjson::SIMDJSON_PADDING);

Device to_device(std::string_view text) {
    for (const auto device : {Device::none, Device::simulated, Device::real})
        if (word(device) == text) return device;
    throw json::Malformed("'" + std::string(text) + "' is not a valid device");
}

void refuse_control_characters(const Value& value, std::string_view name) {
    if (const auto* text = std::get_if<std::string>(&value.held)) json::refuse_control_characters(*text, name);
    if (const auto* values = std::get_if<Values>(&value.held))
        for (const auto& one : *values) refuse_control_characters(one, name);
}

void refuse_control_characters(const MeasurementRow& row) {
    json::refuse_control_characters(row.benchmark, "benchmark");
    json::refuse_control_characters(row.id, "id");
    json::refuse_control_characters(row.samples.gpu, "gpu");
    json::refuse_control_characters(row.samples.peer, "peer");
    for (const auto& [name, value] : row.samples.parameters) {
        json::refuse_control_characters(name, "parameters");
        refuse_control_characters(value, name);
    }
}

MeasurementRow to_measurement(const dom::Fields& fields) {
    MeasurementRow row{.benchmark = dom::field<std::string>(fields, "benchmark"),
                       .id = dom::field<std::string>(fields, "id"),
                       .device = to_device(dom::field<std::string_view>(fields, "device")),
                       .stand_in = dom::words_or_none(fields, "stand_in"),
                       .round = dom::amount<int>(fields, "round"),
                       .process = dom::amount<int>(fields, "process"),
                       .samples = dom::to_samples(fields)};
    refuse_control_characters(row);
    return row;
}

template <class Read>
std::string wrong_with(Read read) {
    try {
        read();
        return "";
    } catch (const json::Malformed& malformed) {
        return visible(malformed.what());
    }
}

}  // namespace

struct LineParser::Parsed {
    simdjson::dom::parser parser{};
    std::optional<dom::Fields> fields{};
    std::string_view kind{};
};

LineParser::LineParser() : parsed(std::make_unique<Parsed>()) {}
LineParser::~LineParser() = default;
LineParser::LineParser(LineParser&&) noexcept = default;
LineParser& LineParser::operator=(LineParser&&) noexcept = default;

std::string LineParser::take(std::string_view padded) {
    parsed->fields.reset();
    return wrong_with([&] {
        parsed->fields = dom::parsed_object(parsed->parser, padded);
        parsed->kind = dom::field<std::string_view>(*parsed->fields, "kind");
        json::refuse_control_characters(parsed->kind, "kind");
    });
}

std::string_view LineParser::kind() const { return parsed->kind; }

std::string LineParser::to(MeasurementRow& row) const {
    return wrong_with([&] { row = to_measurement(*parsed->fields); });
}

std::string LineParser::to(Samples& samples) const {
    return wrong_with([&] { samples = dom::to_samples(*parsed->fields); });
}

}  // namespace tocuda
