// tocuda, Apache-2.0.
// The smallest change that a comparison would find.
//
// The comparison: n process medians on either side, their logarithms compared by Student's t on 2 (n - 1) degrees of
// freedom with a pooled spread, and a difference reported only if it is significant *and* larger than the margin. With
// s the spread (standard deviation) of the logarithms and e = s * sqrt(2 / n), a true log ratio d is found with the
// probability
//
//     power(d) = E[ Phi((d - max(log(1 + margin), t * e * S / s)) / e) ],
//     S^2 * 2 (n - 1) / s^2 chi-squared,   t = t(1 - level / 2 / family)
//
// (ignoring the other tail, which is below level / 2). The detectable change is exp(d) - 1 where power(d) = 0.9, which
// is exact for log-normal process medians. The spread is that of the processes of one session; times may vary more
// between sessions.
#pragma once

#include <optional>
#include <span>

namespace tocuda {

struct Question {
    double level = 0.01;    // how often equal sides may be called changed, for the whole family
    int family = 1;         // rows tested together, which share the level (Bonferroni, the first step of Holm)
    double power = 0.9;     // how often the change must be found
    double margin = 0.005;  // smaller differences are never called a change
};

// Returns nullopt for fewer than two values or if one is not above zero.
std::optional<double> detectable_change(std::span<const double> process_medians, const Question& question = {});

// The same for a known spread of the logarithms.
double detectable_change(double log_spread, int processes, const Question& question = {});

}  // namespace tocuda
