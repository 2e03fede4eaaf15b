// tocuda, Apache-2.0.
// The verdicts on a claim, and a judge's rulings.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// The verdicts on a claim.
enum class Verdict {
    reproduced,    // what the document says was observed
    refuted,       // it was observed not to happen
    partial,       // part of it holds, or it holds in some variants only
    inconclusive,  // the evidence does not decide
    skipped,       // a need was not met
    broken,        // the scenario itself failed
};

inline constexpr std::array<std::string_view, 6> verdict_words{"reproduced",   "refuted", "partial",
                                                               "inconclusive", "skipped", "broken"};

constexpr std::string_view word(Verdict verdict) { return verdict_words[static_cast<std::size_t>(verdict)]; }

constexpr std::optional<Verdict> verdict_of(std::string_view text) {
    for (std::size_t i = 0; i < verdict_words.size(); ++i)
        if (verdict_words[i] == text) return static_cast<Verdict>(i);
    return std::nullopt;
}

// Decided verdicts say something about the claim; the others say something about this machine or this run.
constexpr bool is_decided(Verdict verdict) {
    return verdict == Verdict::reproduced || verdict == Verdict::refuted || verdict == Verdict::partial;
}

// What people look for after an upgrade: a broken scenario, or a decided verdict other than the declared one.
constexpr bool is_unexpected(Verdict verdict, Verdict expected) {
    return verdict == Verdict::broken || (is_decided(verdict) && verdict != expected);
}

// A judge's rulings on the claims of one scenario.
struct Ruling {
    std::string claim;
    Verdict verdict = Verdict::inconclusive;
    std::string because;
};

struct Judgement {
    std::vector<Ruling> rulings{};

    // The first ruling on a claim counts: a judge reads from the strongest evidence to the weakest.
    void operator()(const std::string& claim, Verdict verdict, const std::string& because) {
        if (!has(claim)) rulings.push_back({claim, verdict, because});
    }
    void reproduced(const std::string& claim, const std::string& because) {
        (*this)(claim, Verdict::reproduced, because);
    }
    void refuted(const std::string& claim, const std::string& because) { (*this)(claim, Verdict::refuted, because); }
    void partial(const std::string& claim, const std::string& because) { (*this)(claim, Verdict::partial, because); }
    void inconclusive(const std::string& claim, const std::string& because) {
        (*this)(claim, Verdict::inconclusive, because);
    }
    bool has(const std::string& claim) const {
        for (const auto& ruling : rulings)
            if (ruling.claim == claim) return true;
        return false;
    }
};

}  // namespace tocuda
