// tocuda, Apache-2.0.
// Each process sees only the GPUs that it is about, so that it makes no context on another.
#include "command/doctor_deep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <random>

#include "engine/engine.hpp"
#include "json_lines/worker_lines.hpp"
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
        if (worker == nullptr) {
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
        // The build whose kernels run on the CPU, if there is one.
        const auto simulated = worker.program.string() + "-simulated";
        const bool on_cpu = !how.simulation.empty() && std::filesystem::exists(simulated);
        words.insert(words.begin(), on_cpu ? simulated : worker.program.string());
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

std::string monotonic_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return fmt::format("{}.{:09}", now.tv_sec, now.tv_nsec);
}

FirstByteSeen first_byte(const Workers& workers, int gpu, const std::string& visible) {
    const auto said = workers.ask(with_kernels, {"first-byte", monotonic_now()}, visible,
                                  fmt::format("waiting for the first byte on cuda:{}", gpu));
    return doctor::first_byte_of(gpu, said.text, said.unless_normal());
}

doctor::DtypesSeen dtypes(const Workers& workers, int gpu, const std::string& visible) {
    const auto said = workers.ask(with_libtorch, {"observe", "dtype/every_type", "default"}, visible,
                                  fmt::format("moving a tensor of each dtype to cuda:{}", gpu));
    doctor::DtypesSeen seen{.gpu = gpu};
    seen.evidence.outcome = said.outcome;
    seen.evidence.stderr_tail = said.stderr_tail;
    for (std::size_t at = 0; at < said.text.size();) {
        const auto end = std::min(said.text.find('\n', at), said.text.size());
        const auto line = observe_line(std::string_view(said.text).substr(at, end - at));
        if (line)
            if (const auto* observation = std::get_if<Observation>(&*line))
                seen.evidence.observations.push_back(*observation);
        at = end + 1;
    }
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
    const bool kernels = workers.why_not(with_kernels).empty();
    const bool libtorch = workers.why_not(with_libtorch).empty();
    doctor::DeepSeen deep;
    for (const char* worker : {with_kernels, with_libtorch})
        if (auto why = workers.why_not(worker); !why.empty()) deep.missing.push_back(std::move(why));
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
