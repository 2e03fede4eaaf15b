// tocuda, Apache-2.0.
#include "json_lines/simulate_document.hpp"

#include "json_lines/json.hpp"

namespace tocuda {

std::string simulate_document(const SimulationCounts& counts) {
    json::Json document{{"gpus", json::Json::array()},
                        {"bytes",
                         {{"host_to_device", counts.host_to_device_bytes},
                          {"device_to_host", counts.device_to_host_bytes},
                          {"device_to_device", counts.device_to_device_bytes},
                          {"peer", counts.peer_bytes}}},
                        {"compiled", counts.compiled},
                        {"computed", counts.computed},
                        {"not_computed", json::Json::array()},
                        {"read_back_not_computed", counts.read_back_not_computed},
                        {"read_back_not_known", counts.read_back_not_known},
                        {"unsupported", counts.unsupported}};
    for (std::size_t i = 0; i < counts.gpus.size(); ++i) {
        const auto& gpu = counts.gpus[i];
        document["gpus"].push_back({{"index", i},
                                    {"peak_allocated_bytes", gpu.peak_allocated_bytes},
                                    {"peak_reserved_bytes", gpu.peak_reserved_bytes}});
    }
    for (const auto& [what, count] : counts.not_computed) {
        json::Json row{{"operator", what.first}, {"count", count}, {"line", nullptr}};
        if (!what.second.empty()) row["line"] = what.second;
        document["not_computed"].push_back(row);
    }
    return json::pretty(document);
}

}  // namespace tocuda
