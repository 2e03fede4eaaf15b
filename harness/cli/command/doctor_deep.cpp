// tocuda, Apache-2.0.
// Each process sees only the GPUs that it is about, so that it makes no context on another.
#include "command/doctor_deep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <random>

#include "engine/engine.hpp"
#include "json_lines/worker_lines.hpp"
#include "machine/text_file.hpp"
#include "process/child.hpp"
#include "request/catalogue.hpp"

namespace tocuda {
namespace {

using doctor::FirstByteSeen;

constexpr auto with_kernels = "tocuda-cuda";
constexpr auto with_libtorch = "tocuda-torch";

struct Said {
    std::string text;
    Outcome outcome;
    std::string stderr_tail;

    std::string unless_normal() const { return outcome.normal() ? "" : describe_end(outcome); }
};

class Workers {
public:
    explicit Workers(const DeepRequest& request) : how(request), catalogue(load_catalogue(worker_folders())) {}

    // Why this worker cannot be used; empty if it can.
    std::string why_not(const std::string& name) const {
        const auto* worker = find(name);
        if (!worker) {
            const auto told = std::ranges::find_if(
                catalogue.left_out, [&](const std::string& line) { return line.starts_with(name + ":"); });
            return told == catalogue.left_out.end() ? name + " is not there" : *told;
        }
        const auto& why = worker->trouble.empty() ? worker->unmet : worker->trouble;
        return why.empty() ? "" : name + ": " + why;
    }

    Said ask(const std::string& name, std::vector<std::string> words, const std::string& visible,
             const std::string& waiting) const {
        const auto& worker = *find(name);
        words.insert(words.begin(), program_of(worker, !how.simulation.empty()));
        auto [said, ended] = tocuda::ask({.command = std::move(words),
                                          .simulation = how.simulation,
                                          .base = worker.environment,
                                          .variables = {{"CUDA_VISIBLE_DEVICES", visible}},
                                          .seconds = how.seconds},
                                         waiting);
        return {std::move(said), ended.outcome, ended.stderr_tail};
    }

private:
    const Worker* find(const std::string& name) const {
        const auto found = std::ranges::find(catalogue.workers, name, &Worker::name);
        return found == catalogue.workers.end() ? nullptr : &*found;
    }

    const DeepRequest& how;
    Catalogue catalogue;
};

FirstByteSeen first_byte(const Workers& workers, int gpu, const std::string& visible) {
    const auto said = workers.ask(with_kernels, {"first-byte", fmt::format("{:.9f}", now())}, visible,
                                  fmt::format("waiting for the first byte on cuda:{}", gpu));
    return doctor::first_byte_of(gpu, said.text, said.unless_normal());
}

doctor::DtypesSeen dtypes(const Workers& workers, int gpu, const std::string& visible) {
    const auto said = workers.ask(with_libtorch, {"observe", "dtype/every_type", "default"}, visible,
                                  fmt::format("moving a tensor of each dtype to cuda:{}", gpu));
    doctor::DtypesSeen seen{.gpu = gpu};
    seen.evidence.outcome = said.outcome;
    seen.evidence.stderr_tail = said.stderr_tail;
    for (const auto& text : lines_of(said.text))
        if (const auto line = observe_line(text))
            if (const auto* observation = std::get_if<Observation>(&*line))
                seen.evidence.observations.push_back(*observation);
    return seen;
}

// As CUDA_VISIBLE_DEVICES names them; instances of MIG cannot be peers.
struct Tried {
    int number = 0;
    std::string uuid{};

    bool can_be_peer() const { return !uuid.starts_with("MIG-"); }
};

std::vector<Tried> tried_of(const doctor::Seen& seen) {
    std::vector<Tried> tried;
    for (const int gpu : doctor::gpus_to_try(seen)) {
        const auto found = std::ranges::find(seen.probe.gpus, gpu, &Gpu::index);
        if (found != seen.probe.gpus.end() && found->uuid) tried.push_back({gpu, *found->uuid});
    }
    return tried;
}

std::vector<doctor::PeerSeen> peers(const Workers& workers, const std::vector<Tried>& tried) {
    std::vector<doctor::PeerSeen> peers;
    std::random_device random;
    for (const auto& from : tried)
        for (const auto& to : tried) {
            if (from.number == to.number || !from.can_be_peer() || !to.can_be_peer()) continue;
            const auto said = workers.ask(with_kernels, {"peer-truth", std::to_string(random() % 1'000'000)},
                                          from.uuid + "," + to.uuid,
                                          fmt::format("sending from cuda:{} to cuda:{}", from.number, to.number));
            peers.push_back(doctor::peer_of(from.number, to.number, said.text, said.unless_normal()));
        }
    return peers;
}

}  // namespace

doctor::DeepSeen look_deep(const doctor::Seen& seen, const DeepRequest& how) {
    const Workers workers(how);
    doctor::DeepSeen deep;
    const auto has = [&](const char* worker) {
        const auto why = workers.why_not(worker);
        if (!why.empty()) deep.missing.push_back(why);
        return why.empty();
    };
    const bool kernels = has(with_kernels);
    const bool libtorch = has(with_libtorch);
    auto tried = tried_of(seen);
    if (kernels)
        for (const auto& gpu : tried) deep.first_bytes.push_back(first_byte(workers, gpu.number, gpu.uuid));
    // A GPU on which no byte arrives is not tried any further.
    for (const auto& one : deep.first_bytes)
        if (!is_well(one)) std::erase_if(tried, [&](const Tried& gpu) { return gpu.number == one.gpu; });
    if (libtorch)
        for (const auto& gpu : tried) deep.dtypes.push_back(dtypes(workers, gpu.number, gpu.uuid));
    if (kernels) deep.peers = peers(workers, tried);
    return deep;
}

}  // namespace tocuda
