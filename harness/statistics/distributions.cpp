// tocuda, Apache-2.0.
// Student's distribution through the incomplete beta function (its continued fraction, evaluated by Lentz's method).
#include "statistics/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace tocuda {
namespace {

double beta_fraction(double a, double b, double x) {
    constexpr double least = 1e-300;
    constexpr int most_terms = 1000;
    const auto away_from_zero = [](double value) { return std::abs(value) < least ? least : value; };
    double numerator = 1;
    double denominator = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    double product = denominator;
    for (int m = 1; m < most_terms; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        denominator = 1 / away_from_zero(1 + even * denominator);
        numerator = away_from_zero(1 + even / numerator);
        product *= denominator * numerator;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        denominator = 1 / away_from_zero(1 + odd * denominator);
        numerator = away_from_zero(1 + odd / numerator);
        const double factor = denominator * numerator;
        product *= factor;
        if (std::abs(factor - 1) < 1e-15) break;
    }
    return product;
}

// The part of the beta distribution below x; y = 1 - x is given apart, because near 1 the difference would be lost.
double beta_cumulative(double a, double b, double x, double y) {
    if (x <= 0) return 0;
    if (y <= 0) return 1;
    const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

// How likely a value is beyond +-|value|.
double student_tails(double value, double freedom) {
    const double square = value * value;
    return beta_cumulative(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square));
}

}  // namespace

double normal_cumulative(double value) { return std::erfc(-value / std::numbers::sqrt2) / 2; }

double student_cumulative(double value, double freedom) {
    if (!(freedom > 0)) throw std::invalid_argument("Student's distribution has more than no degrees of freedom");
    const double tail = student_tails(value, freedom) / 2;
    return value > 0 ? 1 - tail : tail;
}

double student_quantile(double probability, double freedom) {
    if (!(probability > 0 && probability < 1)) throw std::invalid_argument("a quantile is asked for between 0 and 1");
    if (!(freedom > 0)) throw std::invalid_argument("Student's distribution has more than no degrees of freedom");
    const double tails = 2 * std::min(probability, 1 - probability);
    double high = 1;
    while (student_tails(high, freedom) > tails && high < 1e300) high *= 2;
    double low = 0;
    for (int i = 0; i < 200 && low < high; ++i) {
        const double middle = low + (high - low) / 2;
        if (middle == low || middle == high) break;
        (student_tails(middle, freedom) > tails ? low : high) = middle;
    }
    return probability < 0.5 ? -high : probability > 0.5 ? high : 0;
}

double fair_coins_cumulative(int most, int tries) {
    double sum = 0;
    for (int heads = 0; heads <= std::min(most, tries); ++heads)
        sum += std::exp(std::lgamma(tries + 1.0) - std::lgamma(heads + 1.0) - std::lgamma(tries - heads + 1.0) - tries * std::numbers::ln2);
    return std::min(sum, 1.0);
}

}  // namespace tocuda
