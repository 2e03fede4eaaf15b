// tocuda, Apache-2.0.
// Compares verdicts and error texts of two sides, by scenario and claim.
#include <map>
#include <set>
#include <tuple>

#include "comparison_input/error_text.hpp"
#include "comparison_input/paired_rows.hpp"

namespace tocuda {
namespace {

// scenario, variant, device, and the claim or the key
using Place = std::tuple<std::string, std::string, Device, std::string>;
using Verdicts = std::map<Place, std::set<Verdict>>;
// By normalised text, the first of the original texts: that one is shown.
using Texts = std::map<Place, std::map<std::string, std::string>>;

Verdicts verdicts_of(std::span<const GatheredSection> sections) {
    Verdicts verdicts;
    for (const auto& section : sections)
        for (const auto& [scenario, variant, device, claim, verdict] : section.claims) {
            auto& seen = verdicts[{scenario, variant, device, claim}];
            if (verdict != Verdict::skipped) seen.insert(verdict);
        }
    return verdicts;
}

Texts texts_of(std::span<const GatheredSection> sections) {
    Texts texts;
    for (const auto& section : sections)
        for (const auto& [scenario, variant, device, key, text] : section.texts) {
            auto& seen = texts[{scenario, variant, device, key}];
            const auto [found, is_new] = seen.try_emplace(without_particulars(text), text);
            if (!is_new && text < found->second) found->second = text;
        }
    return texts;
}

void compare_verdicts(const Verdicts& before, const Verdicts& after, ClaimChanges& changes) {
    for (const auto& [place, old_seen] : before) {
        const auto found = after.find(place);
        const auto new_seen = found == after.end() ? std::set<Verdict>{} : found->second;
        if (old_seen.empty() || new_seen.empty()) {
            changes.one_side += old_seen.empty() && new_seen.empty() ? 0 : 1;
            continue;
        }
        ++changes.compared;
        if (old_seen.size() > 1 || new_seen.size() > 1) {
            ++changes.varying;
        } else if (old_seen != new_seen) {
            const auto& [scenario, variant, device, claim] = place;
            changes.verdicts.push_back({claim, scenario, variant, device, std::string(word(*old_seen.begin())),
                                        std::string(word(*new_seen.begin()))});
        }
    }
    for (const auto& [place, seen] : after)
        if (!before.contains(place) && !seen.empty()) ++changes.one_side;
}

void compare_texts(const Texts& before, const Texts& after, ClaimChanges& changes) {
    for (const auto& [place, old_seen] : before) {
        const auto found = after.find(place);
        if (found == after.end() || old_seen.size() > 1 || found->second.size() > 1) continue;
        const auto& [old_words, old_text] = *old_seen.begin();
        const auto& [new_words, new_text] = *found->second.begin();
        if (old_words == new_words) continue;
        const auto& [scenario, variant, device, key] = place;
        changes.texts.push_back({scenario, variant, device, key, old_text, new_text});
    }
}

}  // namespace

ClaimChanges claim_changes(std::span<const GatheredSection> before, std::span<const GatheredSection> after) {
    ClaimChanges changes;
    compare_verdicts(verdicts_of(before), verdicts_of(after), changes);
    compare_texts(texts_of(before), texts_of(after), changes);
    return changes;
}

}  // namespace tocuda
