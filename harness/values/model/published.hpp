// tocuda, Apache-2.0.
// Numbers that others published of a GPU model, and the rows of ours that are held against them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/benchmark.hpp"

namespace tocuda {

// The bytes of a copy once, all bytes that are read or written, or no bytes but operations.
enum class RateOf { payload, touched, operations };
inline constexpr std::array<std::string_view, 3> rate_words{"payload", "touched", "operations"};
constexpr std::string_view word(RateOf rate) { return rate_words[static_cast<std::size_t>(rate)]; }

struct PublishedNumber {
    std::string kind{};  // measured, complaint, limit, best_case
    std::string gpu{};   // as the GPU names itself; empty: the source does not name it
    std::string benchmark{};
    Parameters parameters{};              // that a row must have
    std::optional<std::int64_t> bytes{};  // absent: the source does not say
    std::int64_t gpus = 1;
    double per_second = 0;
    RateOf counts = RateOf::payload;
    std::string by{};
    std::string date{};  // empty: unknown
    std::string address{};
};

// Rows of another tool that measure what a benchmark does.
struct PublishedAlias {
    std::string benchmark{};
    Parameters where{};       // which of its rows
    Parameters stands_for{};  // what the tool's rows do not say
};

// How the numbers of a benchmark are compared.
struct PublishedQuantity {
    std::string benchmark{};
    RateOf counts = RateOf::payload;
    std::optional<std::int64_t> alike_from_bytes{};  // from here on sizes are alike; below, within a factor of four
    bool all_gpus = false;                           // how many GPUs the machine has matters
    std::string look_at{};                           // where a low value comes from
    std::vector<PublishedAlias> also{};
};

struct Published {
    std::vector<PublishedQuantity> quantities{};
    std::vector<PublishedNumber> numbers{};
};

// shown: fewer than three sources. low: more than a tenth below the lowest.
enum class PublishedStanding { shown, within, above, below, low };
inline constexpr std::array<std::string_view, 5> standing_names{"shown", "within", "above", "below", "low"};
constexpr std::string_view word(PublishedStanding standing) {
    return standing_names[static_cast<std::size_t>(standing)];
}

// A row and what is published of the same quantity, model and size.
struct HeldRow {
    std::string benchmark{};
    Parameters parameters{};
    std::string id{};
    std::string gpu{};    // its UUID
    std::string model{};  // its name
    RateOf counts = RateOf::payload;
    double per_second = 0;
    std::optional<double> percent_of_peak{};
    PublishedStanding standing = PublishedStanding::shown;
    int sources = 0;                        // independent ones in the band
    std::vector<PublishedNumber> band{};    // measured, of the same convention
    std::vector<PublishedNumber> others{};  // never judged by
    std::string look_at{};
};

}  // namespace tocuda
