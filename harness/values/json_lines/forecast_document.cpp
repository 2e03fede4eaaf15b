// tocuda, Apache-2.0.
#include <cmath>

#include "json_lines/documents.hpp"
#include "json_lines/json.hpp"

namespace tocuda {
namespace {

using json::Json;

// An estimate, to the millisecond.
double rounded(double seconds) { return std::round(1000 * seconds) / 1000; }

Json words_or_null(const std::string& words) { return words.empty() ? Json(nullptr) : Json(words); }

Json of_unit(const UnitForecast& unit) {
    return {{"benchmark", unit.benchmark},
            {"group", unit.group},
            {"gpus", unit.gpus},
            {"sets", unit.sets},
            {"processes", unit.processes},
            {"seconds", rounded(unit.seconds)},
            {"sets_in_time", unit.sets_in_time},
            {"because", words_or_null(unit.because)}};
}

}  // namespace

std::string forecast_document(const Forecast& forecast, Device device, double budget_seconds) {
    auto units = Json::array();
    for (const auto& unit : forecast.units) units.push_back(of_unit(unit));
    auto skipped = Json::array();
    for (const auto& unit : forecast.skipped)
        skipped.push_back({{"benchmark", unit.benchmark}, {"gpus", unit.gpus}, {"because", unit.because}});
    return json::pretty({{"forecast", true},
                         {"device", word(device)},
                         {"budget_seconds", budget_seconds > 0 ? Json(budget_seconds) : Json(nullptr)},
                         {"processes_least", forecast.least},
                         {"benchmarks", forecast.benchmarks},
                         {"sets", forecast.sets},
                         {"processes", forecast.processes},
                         {"seconds", rounded(forecast.seconds)},
                         {"in_time",
                          {{"sets", forecast.sets_in_time},
                           {"processes", forecast.processes_in_time},
                           {"seconds", rounded(forecast.seconds_in_time)}}},
                         {"units", units},
                         {"skipped", skipped}});
}

}  // namespace tocuda
