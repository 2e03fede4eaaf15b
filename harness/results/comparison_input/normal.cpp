// tocuda, Apache-2.0.
#include "comparison_input/normal.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "comparison_input/run_fields.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

// What recordings that count together have in common besides the model.
using Circumstances =
    std::tuple<std::string, std::set<std::string>, std::optional<std::string>, std::optional<std::string>>;
Circumstances circumstances(const RunLine& run) {
    std::set<std::string> gpus;
    for (const auto& gpu : run.gpus) gpus.insert(gpu.uuid.value_or(""));
    return {driver_text(run.driver), gpus, run.libtorch.version, run.machine.os};
}

// Which rows of NEW the recordings of the same circumstances have, and how many those that have most.
struct RowsInCommon {
    std::map<Circumstances, std::set<std::string>> rows{};
    std::size_t most = 0;
};

RowsInCommon in_common(const std::vector<KeptRecording>& kept) {
    RowsInCommon common;
    for (const auto& one : kept) {
        auto& rows = common.rows[circumstances(one.run)];
        rows.insert(one.common.begin(), one.common.end());
        common.most = std::max(common.most, rows.size());
    }
    return common;
}

// Recordings of the same GPU are of no use if they hold other rows.
auto nearness(const KeptRecording& one, const RunLine& run, const RowsInCommon& common) {
    const auto its = circumstances(one.run);
    const auto& [driver, gpus, libtorch, system] = its;
    const auto [our_driver, our_gpus, our_libtorch, our_system] = circumstances(run);
    const auto rows = common.rows.at(its).size();
    return std::tuple(2 * rows >= common.most, driver == our_driver, gpus == our_gpus, libtorch == our_libtorch,
                      system == our_system, rows, one.run.time);
}

std::string machine_of(const RunLine& run) {
    auto text = models_of(run);
    if (run.device == Device::real) return text + ", driver " + driver_text(run.driver);
    if (run.libtorch.version) text += ", LibTorch " + *run.libtorch.version;
    return text + (run.machine.os ? ", " + *run.machine.os : "");
}

}  // namespace

std::string models_of(const RunLine& run) {
    const std::string generic = "Simulated ";  // how the name of a simulated GPU without a profile begins
    std::set<std::string> models;
    for (const auto& gpu : run.gpus) {
        auto name = gpu.name.value_or("unknown GPU");
        if (run.device == Device::simulated)
            name = "simulated " + (name.starts_with(generic) ? name.substr(generic.size()) : name);
        models.insert(name);
    }
    auto text = joined(models);
    return text.empty() ? "no GPU" : text;
}

Normal normal_for(const RunLine& run, const std::vector<KeptRecording>& kept) {
    const auto models = models_of(run);
    const auto common = in_common(kept);
    const KeptRecording* nearest = nullptr;
    for (const auto& one : kept)
        if (one.run.device == run.device && models_of(one.run) == models &&
            (!nearest || nearness(one, run, common) > nearness(*nearest, run, common)))
            nearest = &one;
    if (!nearest) return {models, {}};
    Normal normal{machine_of(nearest->run), {}};
    for (const auto& one : kept)
        if (one.run.device == run.device && models_of(one.run) == models &&
            circumstances(one.run) == circumstances(nearest->run))
            normal.files.push_back(one.file);
    return normal;
}

}  // namespace tocuda
