// tocuda, Apache-2.0.
#include "lines/documents.hpp"

#include "lines/benchmark_json.hpp"
#include "lines/json.hpp"
#include "lines/recorded_json.hpp"
#include "lines/scenario_json.hpp"
#include "model/document.hpp"

namespace tocuda {
namespace {

using json::Json;

Json of_listed(const Listed& listed) {
    Json object = json::of_scenario(listed.scenario);
    object["family"] = family(listed.scenario);
    object["worker"] = listed.worker;
    for (auto& claim : object["claims"]) claim["source"] = source_of(claim["id"].get<std::string>());
    object["runnable"] = listed.runnable;
    object["because"] = listed.because;
    return object;
}

}  // namespace

std::string list_document(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks) {
    auto list = Json::array();
    for (const auto& listed : scenarios) list.push_back(of_listed(listed));
    auto measured = Json::array();
    for (const auto& listed : benchmarks) {
        measured.push_back(json::of_benchmark(listed.benchmark));
        measured.back()["worker"] = listed.worker;
        measured.back()["runnable"] = listed.runnable;
        measured.back()["because"] = listed.because;
    }
    return json::pretty({{"scenarios", list}, {"benchmarks", measured}});
}

std::string show_document(const std::vector<Shown>& scenarios) {
    auto list = Json::array();
    for (const auto& shown : scenarios) {
        list.push_back(of_listed(shown.listed));
        list.back()["last"] = Json::array();
        for (const auto& row : shown.last) list.back()["last"].push_back(json::of_row(row));
    }
    return json::pretty(list.size() == 1 ? list.front() : Json{{"scenarios", list}});
}

}  // namespace tocuda
