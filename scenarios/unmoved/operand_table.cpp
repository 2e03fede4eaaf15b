// tocuda, Apache-2.0.
// Tries every combination of a CPU tensor with a CUDA tensor once. Most throw before a byte crosses; allowed are an
// explicit copy, one zero-dimensional operand, and indices. These few bytes are copied without being asked for.
#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "libtorch/attempt.hpp"
#include "libtorch/crossing.hpp"
#include "worker/registered.hpp"

namespace tocuda::unmoved::operand_table {
namespace {

struct Operands {
    at::Tensor host = at::ones({4, 4});
    at::Tensor device = at::ones({4, 4}).to(at::kCUDA);
    at::Tensor host_scalar = at::scalar_tensor(2.0);
    at::Tensor device_scalar = at::scalar_tensor(2.0).to(at::kCUDA);
    at::Tensor host_indices = at::tensor({0, 1}, at::kLong);
    at::Tensor device_indices = at::tensor({0, 1}, at::kLong).to(at::kCUDA);
    at::Tensor host_mask = at::ones({4, 4}, at::kBool);
    at::Tensor device_mask = at::ones({4, 4}, at::kBool).to(at::kCUDA);
};

// mixed: what the document means; the others are what works across devices without or with an explicit copy.
enum class Kind { mixed, scalar_or_indices, explicit_copy };

struct Pattern {
    std::string name;
    Kind kind;
    std::function<at::Tensor(const Operands&)> run;
};

std::vector<Pattern> mixed_patterns() {
    return {
        {"add", Kind::mixed, [](const Operands& o) { return at::add(o.host, o.device); }},
        {"add reversed", Kind::mixed, [](const Operands& o) { return at::add(o.device, o.host); }},
        {"add in place", Kind::mixed, [](const Operands& o) { return o.device.clone().add_(o.host); }},
        {"cpu vector and cuda scalar", Kind::mixed, [](const Operands& o) { return at::add(o.host, o.device_scalar); }},
        {"two cpu scalars", Kind::mixed,
         [](const Operands& o) { return at::addcmul(o.device, o.host_scalar, o.host_scalar); }},
        {"addmm", Kind::mixed, [](const Operands& o) { return at::addmm(o.host, o.device, o.host); }},
        {"addmm bias", Kind::mixed, [](const Operands& o) { return at::addmm(o.host, o.device, o.device); }},
        {"matmul", Kind::mixed, [](const Operands& o) { return at::matmul(o.host, o.device); }},
        {"bmm", Kind::mixed, [](const Operands& o) { return at::bmm(o.device.unsqueeze(0), o.host.unsqueeze(0)); }},
        {"where", Kind::mixed, [](const Operands& o) { return at::where(o.device_mask, o.host, o.device); }},
        {"where condition", Kind::mixed, [](const Operands& o) { return at::where(o.host_mask, o.device, o.device); }},
        {"cat", Kind::mixed, [](const Operands& o) { return at::cat({o.device, o.host}); }},
        {"cat reversed", Kind::mixed, [](const Operands& o) { return at::cat({o.host, o.device}); }},
        {"stack", Kind::mixed, [](const Operands& o) { return at::stack({o.device, o.host}); }},
        {"out= on the cpu", Kind::mixed,
         [](const Operands& o) {
             auto out = at::empty({4, 4});
             return at::add_out(out, o.device, o.device);
         }},
        {"out= on the gpu", Kind::mixed,
         [](const Operands& o) {
             auto out = at::empty_like(o.device);
             return at::add_out(out, o.host, o.host);
         }},
        {"cpu tensor, cuda indices", Kind::mixed, [](const Operands& o) { return o.host.index({o.device_indices}); }},
        {"index_select", Kind::mixed, [](const Operands& o) { return at::index_select(o.device, 0, o.host_indices); }},
        {"gather", Kind::mixed, [](const Operands& o) { return at::gather(o.device, 0, o.host_indices.unsqueeze(0)); }},
        {"embedding", Kind::mixed, [](const Operands& o) { return at::embedding(o.host, o.device_indices); }},
        {"masked_fill mask", Kind::mixed, [](const Operands& o) { return at::masked_fill(o.device, o.host_mask, 0); }},
        {"linear", Kind::mixed, [](const Operands& o) { return at::linear(o.device, o.host); }},
        {"mse_loss", Kind::mixed, [](const Operands& o) { return at::mse_loss(o.device, o.host); }},
        {"equal", Kind::mixed, [](const Operands& o) { return at::scalar_tensor(at::equal(o.device, o.host)); }},
    };
}

std::vector<Pattern> allowed_patterns() {
    return {
        {"cuda and one cpu scalar", Kind::scalar_or_indices,
         [](const Operands& o) { return at::mul(o.device, o.host_scalar); }},
        {"cpu scalar first", Kind::scalar_or_indices,
         [](const Operands& o) { return at::sub(o.host_scalar, o.device); }},
        {"number", Kind::scalar_or_indices, [](const Operands& o) { return at::mul(o.device, 2); }},
        {"where with a cpu scalar", Kind::scalar_or_indices,
         [](const Operands& o) { return at::where(o.device_mask, o.device, o.host_scalar); }},
        {"cuda tensor, cpu indices", Kind::scalar_or_indices,
         [](const Operands& o) { return o.device.index({o.host_indices}); }},
        {"copy_ from the cpu", Kind::explicit_copy,
         [](const Operands& o) { return at::empty_like(o.device).copy_(o.host); }},
        {"copy_ from the gpu", Kind::explicit_copy,
         [](const Operands& o) { return at::empty_like(o.host).copy_(o.device); }},
        {"moved, then added", Kind::explicit_copy,
         [](const Operands& o) { return at::add(o.host.to(at::kCUDA), o.device); }},
    };
}

struct Tally {
    std::int64_t tried = 0;
    tocuda::Values refused{};   // "add: c10::Error Expected all tensors ..."
    tocuda::Values allowed{};   // "copy_ from the cpu: cuda:0, 64 bytes to the GPU, 0 back"
    tocuda::Values crossing{};  // names of refused patterns whose bytes crossed anyway
};

bool observe_pattern(const Pattern& pattern, const Operands& operands, Tally& tally) {
    ++tally.tried;
    at::Tensor result;
    const tocuda::CrossingMark mark;
    const auto tried = tocuda::attempt([&] { result = pattern.run(operands); });
    const auto crossed = mark.read();
    const auto to_device = crossed ? crossed->to_device_bytes : 0;
    const auto to_host = crossed ? crossed->to_host_bytes : 0;
    if (tried.threw) {
        const auto code = tried.code != 0 ? " " + std::to_string(tried.code) : "";
        tally.refused.emplace_back(pattern.name + ": " + tried.type + code + " " +
                                   tried.message.substr(0, tried.message.find_first_of(",.\n")));
        if (to_device + to_host > 0) tally.crossing.emplace_back(pattern.name);
    } else {
        tally.allowed.emplace_back(pattern.name + ": " + tocuda::text(result.device()) + ", " +
                                   std::to_string(to_device) + " bytes to the GPU, " + std::to_string(to_host) +
                                   " back");
    }
    return crossed.has_value();
}

void observe(Observer& see) {
    const Operands operands;
    std::map<Kind, Tally> tallies;
    bool recorded = true;
    for (const auto& patterns : {mixed_patterns(), allowed_patterns()})
        for (const auto& pattern : patterns)
            recorded = observe_pattern(pattern, operands, tallies[pattern.kind]) && recorded;
    see("recorded", recorded);
    for (const auto& [kind, name] : {std::pair{Kind::mixed, "mixed"},
                                     {Kind::scalar_or_indices, "scalar_or_indices"},
                                     {Kind::explicit_copy, "explicit_copy"}}) {
        const auto& tally = tallies[kind];
        see(std::string(name) + ".tried", tally.tried);
        see(std::string(name) + ".refused", tally.refused);
        see(std::string(name) + ".allowed", tally.allowed);
        see(std::string(name) + ".refused_yet_crossed", tally.crossing);
    }
}

// Counts the operations that sent an operand to the GPU by themselves.
std::size_t copied_unasked(const tocuda::Values& allowed) {
    return static_cast<std::size_t>(std::count_if(allowed.begin(), allowed.end(), [](const tocuda::Value& line) {
        return std::get<std::string>(line.held).find(", 0 bytes to the GPU") == std::string::npos;
    }));
}

void judge(const Evidence& evidence, Judgement& say) {
    if (!evidence.flag("recorded")) throw tocuda::Undecided("the recorder was not loaded");
    const auto tried = evidence.integer("mixed.tried");
    const auto& granted = evidence.list("mixed.allowed");
    const auto& crossed = evidence.list("mixed.refused_yet_crossed");
    const auto& exceptions = evidence.list("scalar_or_indices.allowed");
    const auto& copies = evidence.list("explicit_copy.allowed");
    const bool all_copies = static_cast<std::int64_t>(copies.size()) == evidence.integer("explicit_copy.tried");
    if (tried < 1 || static_cast<std::int64_t>(evidence.list("mixed.refused").size() + granted.size()) != tried) return;
    for (const auto* group : {"mixed.refused", "scalar_or_indices.refused"})
        for (const auto& refused : evidence.list(group)) {
            const auto words = std::get<std::string>(refused.held);
            if (words.find("c10::AcceleratorError") != std::string::npos)
                throw tocuda::Undecided("the GPU itself refuses an operation: " + words);
        }
    if (!granted.empty() || !crossed.empty()) {
        const auto words = std::to_string(granted.size() + crossed.size()) + " of " + std::to_string(tried) +
                           " mixed operations work, or copy before they throw";
        say.reproduced("003-04", words);
        return say.refuted("003-03", words);
    }
    const auto refusals = std::to_string(tried) + " mixed operations throw";
    const auto copied = copied_unasked(exceptions);
    say("003-04", copied == 0 ? refuted : partial,
        refusals + ", 0 bytes cross; CPU indices and the like are copied: " + std::to_string(copied));
    if (!all_copies)
        say.refuted("003-03", "with an explicit copy " + std::to_string(copies.size()) + " of " +
                                  std::to_string(evidence.integer("explicit_copy.tried")) + " work");
    else
        say("003-03", exceptions.empty() ? reproduced : partial,
            refusals + " without a copy; with a CPU scalar or indices " + std::to_string(exceptions.size()) + " work");
    say("004-13", exceptions.empty() ? reproduced : partial,
        refusals + "; with a scalar or indices on the CPU " + std::to_string(exceptions.size()) + " work");
}

const Registered operand_table{{
    .summary = "combine a CPU tensor with a CUDA tensor in every possible way",
    .observed =
        "32 ways to combine a CPU tensor with a CUDA tensor: what throws, what is allowed, and what crosses the bus",
    .decisive = "each mixed one must throw LibTorch's own error, not the GPU's, before a byte crosses; what is allowed "
                "is listed",
    .claims = {{"003-03", "mixed devices need explicit transfers"},
               {"003-04", "mixed devices are copied silently"},
               {"004-13", "all tensors must be moved"}},
    .variants = {{.name = "default",
                  .fakes = {"recorder"},
                  .expected = {{"003-03", partial}, {"003-04", partial}, {"004-13", partial}}}},
    .needs = {.gpus = 1},
    .observe = observe,
    .judge = judge,
}};

}  // namespace
}  // namespace tocuda::unmoved::operand_table
