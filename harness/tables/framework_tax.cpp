// tocuda, Apache-2.0.
#include "tables/framework_tax.hpp"

#include <fmt/core.h>

#include <cmath>

#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

std::string what_it_is(const FrameworkTax& tax) {
    std::string text;
    for (const auto& [name, value] : tax.parameters) text += (text.empty() ? "" : " ") + named_value(name, value);
    return text;
}

}  // namespace

std::string tax_table(const std::vector<FrameworkTax>& taxes, const Paper& paper) {
    if (taxes.empty()) return "";
    auto text = "\n" + paper.strong("the framework's tax") +
                paper.faint("  time through LibTorch minus that of the runtime alone") + "\n";
    for (const auto& tax : taxes) {
        const auto head = "  " + tax.benchmark + " " + what_it_is(tax);
        const bool fits = columns_of(head) < 56;
        const auto sign = tax.extra_seconds < 0 ? "-" : "+";
        text += (fits ? pad(head, 56)
                      : wrap(head.substr(2), 2, 4, paper.columns()).insert(0, "  ") + "\n" + std::string(56, ' '));
        text += tax.extra_seconds == 0
                    ? fmt::format("{:>12}\n", "none")
                    : fmt::format("{:>12} {:>10}\n", sign + seconds_text(std::abs(tax.extra_seconds)),
                                  fmt::format("{:+.1f} %", 100 * (tax.ratio - 1)));
    }
    return text;
}

}  // namespace tocuda
