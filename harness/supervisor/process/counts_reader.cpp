// tocuda, Apache-2.0.
#include "process/counts_reader.hpp"

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <tuple>

#include "simulator/schema/counts.hpp"

namespace tocuda {
namespace {

template <std::size_t room>
std::string text_of(const std::array<char, room>& text) {
    return {text.begin(), std::find(text.begin(), text.end(), '\0')};
}

void add(const SharedCounts& from, SimulationCounts& to) {
    for (std::size_t i = 0; i < std::min(to.gpus.size(), from.gpus.size()); ++i) {
        auto& gpu = to.gpus[i];
        gpu.peak_allocated_bytes = std::max(gpu.peak_allocated_bytes, from.gpus[i].peak_allocated_bytes.load());
        gpu.peak_reserved_bytes = std::max(gpu.peak_reserved_bytes, from.gpus[i].peak_reserved_bytes.load());
    }
    to.host_to_device_bytes += from.host_to_device_bytes;
    to.device_to_host_bytes += from.device_to_host_bytes;
    to.device_to_device_bytes += from.device_to_device_bytes;
    to.peer_bytes += from.peer_bytes;
    to.peak_pinned_bytes += from.peak_pinned_bytes;
    to.peak_pageable_bytes += from.peak_pageable_bytes;
    to.recordings_cut += from.recordings_cut;
    to.memory_questions += from.memory_questions;
    to.compiled += from.compiled;
    to.computed += from.computed;
    to.read_back_not_computed += from.read_back_not_computed;
    to.read_back_not_known += from.read_back_not_known;
    for (std::size_t i = 0; i < std::min<std::size_t>(from.not_computed_kinds, from.not_computed.size()); ++i) {
        const auto& kind = from.not_computed[i];
        to.not_computed[{text_of(kind.name), text_of(kind.line)}] += kind.count;
    }
    for (std::size_t i = 0; i < from.faults.size(); ++i) to.faults[i] += from.faults[i];
    std::istringstream names(text_of(from.unsupported));
    for (std::string name; std::getline(names, name);) to.unsupported.insert(name);
}

}  // namespace

SimulationCounts counts_in(const std::filesystem::path& folder, std::size_t gpus) {
    SimulationCounts counts;
    counts.gpus.resize(gpus);
    counts.faults.resize(std::tuple_size_v<decltype(SharedCounts::faults)>);
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const auto shared = std::make_unique<SharedCounts>();
        std::ifstream in(entry.path(), std::ios::binary);
        in.read(reinterpret_cast<char*>(shared.get()), sizeof *shared);
        if (in.gcount() == sizeof *shared && shared->version == SharedCounts::this_version) add(*shared, counts);
    }
    return counts;
}

}  // namespace tocuda
