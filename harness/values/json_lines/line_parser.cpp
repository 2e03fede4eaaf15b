// tocuda, Apache-2.0.
#include "json_lines/line_parser.hpp"

#include "json_lines/model_fields.hpp"

namespace tocuda {
namespace {

static_assert(line_padding >= simdjson::SIMDJSON_PADDING);

template <class Read>
Expected<void> unless_malformed(Read read) {
    try {
        read();
        return {};
    } catch (const dom::Malformed& malformed) {
        return problem(visible(malformed.what()));
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

Expected<void> LineParser::take(std::string_view padded) {
    parsed->fields.reset();
    return unless_malformed([&] {
        parsed->fields = dom::parsed_object(parsed->parser, padded);
        parsed->kind = dom::field<std::string_view>(*parsed->fields, "kind");
        dom::refuse_control_characters(parsed->kind, "kind");
    });
}

std::string_view LineParser::kind() const { return parsed->kind; }

Expected<void> LineParser::to(MeasurementRow& row) const {
    return unless_malformed([&] { row = dom::to<MeasurementRow>(*parsed->fields); });
}

}  // namespace tocuda
