// tocuda, Apache-2.0.
// A judge's rulings on the claims of one scenario.
#pragma once

#include <string>
#include <vector>

#include "model/verdict.hpp"

namespace tocuda {

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
