// tocuda, Apache-2.0.
#include "tables/listing_table.hpp"

namespace tocuda {
namespace {

constexpr std::size_t runs_column = 36;
constexpr std::size_t summary_column = 46;

std::string heading(const char* what, const char* summary, const Paper& paper) {
    return paper.faint(pad(pad(what, runs_column) + "runs here", summary_column) + summary) + "\n";
}

template <class AnyListed>
std::string line_of(const std::string& name, const AnyListed& listed, const std::string& summary, const Paper& paper) {
    const bool fits = columns_of(name) < runs_column;
    const auto head =
        pad(pad(fits ? name : "", runs_column - 1) + " " + (listed.runnable == "none" ? "no GPU" : listed.runnable),
            summary_column - 1) +
        " ";
    auto text = (fits ? "" : wrap(name, 0, 2, paper.columns()) + "\n") + head +
                wrap(summary, summary_column, summary_column, paper.columns()) + "\n";
    if (listed.runnable == "no")
        text += paper.faint(std::string(4, ' ') + wrap(listed.because, 4, 4, paper.columns())) + "\n";
    return text;
}

}  // namespace

std::string listing_table(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks,
                          const Paper& paper) {
    std::string text;
    if (!scenarios.empty()) text += heading("scenario", "what it does", paper);
    for (const auto& listed : scenarios) text += line_of(listed.scenario.name, listed, listed.scenario.summary, paper);
    if (!benchmarks.empty())
        text += (text.empty() ? "" : "\n") + heading("benchmark", "what it measures (clock)", paper);
    for (const auto& listed : benchmarks)
        text += line_of(listed.benchmark.name, listed,
                        listed.benchmark.summary + " (" + std::string(word(listed.benchmark.clock)) + ")", paper);
    return text;
}

}  // namespace tocuda
