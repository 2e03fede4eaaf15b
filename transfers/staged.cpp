// tocuda, Apache-2.0.
// Plain memory through page-locked buffers that several threads fill or empty.
#include "transfers/staged_copier.hpp"

#include <map>

#include "transfers/known_word.hpp"
#include "transfers/one_way.hpp"

namespace tocuda::transfers::staged {
namespace {

// One copier for each pair of threads and chunk; they are few.
class Copiers {
public:
    StagedCopier& of(const Parameters& set) {
        const StagedShape shape{.threads = static_cast<std::size_t>(whole(set, "threads")), .chunk_bytes = static_cast<std::size_t>(whole(set, "chunk"))};
        auto& copier = known[{shape.threads, shape.chunk_bytes}];
        if (!copier) copier = std::make_unique<StagedCopier>(shape);
        return *copier;
    }

private:
    std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<StagedCopier>> known{};
};

std::string in_words(const StagedCopier& copier, const Parameters& set) {
    if (!StagedCopier::stages(bytes_of(set))) return "below " + std::to_string(worth_staging) + " bytes: one call of the runtime";
    const auto cut = cut_for(bytes_of(set), copier.threads(), static_cast<std::size_t>(whole(set, "chunk")));
    return std::to_string(copier.threads()) + " threads, chunks of " + std::to_string(cut.chunk_bytes) + " bytes";
}

class Staged final : public OneWay {
public:
    Staged(const std::vector<Parameters>& sets, Direction way) : OneWay(sets, way, pageable_memory) {}

    std::string why_skipped(const Parameters& set) const override {
        if (whole(set, "threads") > most_asked_threads) return "at most " + std::to_string(most_asked_threads) + " threads are used";
        if (whole(set, "chunk") > most_asked_chunk) return "a chunk has at most " + std::to_string(most_asked_chunk) + " bytes";
        if (const auto chunk = whole(set, "chunk"); chunk != 0 && chunk < least_asked_chunk)
            return "a chunk has at least " + std::to_string(least_asked_chunk) + " bytes, or is 0 for what suits the size";
        const auto why = why_unknown_word(set, "pages", {"touched", "fresh"});
        return why.empty() ? OneWay::why_skipped(set) : why;
    }

protected:
    void operate(Trial& trial, const Parameters& set) override {
        auto& copier = copiers.of(set);
        const auto bytes = bytes_of(set);
        trial.call = [this, bytes, &copier] { copier.copy(passage.to(), passage.from(), bytes, passage.direction); };
        if (text(set, "pages") == "fresh") trial.prepare = [this, bytes] { passage.renew_host_pages(bytes); };
        trial.flags.push_back(in_words(copier, set));
    }

private:
    static constexpr std::int64_t most_asked_threads = 256;
    static constexpr std::int64_t least_asked_chunk = 4 * kib;
    static constexpr std::int64_t most_asked_chunk = 64 * mib;
    Copiers copiers{};
};

Measurable staged(Direction direction) {
    return {.benchmark = {.name = name_of(direction, "staged"),
                          .summary = std::string("copy plain memory through page-locked buffers that several threads serve, ") + aim(direction),
                          .clock = Clock::host,
                          .parameters = {{"bytes", powers_of_four(gib)}, {"pages", {"touched"}}, {"threads", {0}}, {"chunk", {0}}},
                          .quick = {{"bytes", {64 * mib}}},
                          .full = {{"bytes", {mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib, gib, 4 * gib}}, {"pages", {"touched", "fresh"}},
                                   {"threads", {0, 1, 4, 8}}, {"chunk", {0, mib}}},
                          .needs = {.gpus = 1}},
            .set_up = [=](const std::vector<Parameters>& sets) { return std::make_unique<Staged>(sets, direction); }};
}

const RegisteredBenchmark to_the_gpu{staged(Direction::host_to_device)};
const RegisteredBenchmark to_the_host{staged(Direction::device_to_host)};

}  // namespace
}  // namespace tocuda::transfers::staged
