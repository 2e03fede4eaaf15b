// tocuda, Apache-2.0.
// The distributions that the intervals and tests use.
#pragma once

namespace tocuda {

double normal_cumulative(double value);
double normal_quantile(double probability);  // probability in (0, 1)
double student_cumulative(double value, double freedom);
double student_quantile(double probability, double freedom);      // probability in (0, 1)
double chi_squared_quantile(double probability, double freedom);  // probability in (0, 1)
double beta_quantile(double probability, double a, double b);     // probability in (0, 1)
// Returns the probability that at most `most` of `tries` fair coins show heads.
double fair_coins_cumulative(int most, int tries);

}  // namespace tocuda
