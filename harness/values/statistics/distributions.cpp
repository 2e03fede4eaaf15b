// tocuda, Apache-2.0.
// Student's and the beta distribution use the incomplete beta function (its continued fraction, evaluated by Lentz's
// method), chi-squared the incomplete gamma function. Quantiles are roots found by bracketing.
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

// Returns the part of the beta distribution below x. y = 1 - x is passed separately, because the difference would lose
// digits near 1.
double beta_cumulative(double a, double b, double x, double y) {
    if (x <= 0) return 0;
    if (y <= 0) return 1;
    const double front =
        std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, y) / b;
}

// Returns the part of the gamma distribution of scale 1 below x: a series on the left, a continued fraction on the
// right.
double gamma_cumulative(double a, double x) {
    if (x <= 0) return 0;
    const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
    constexpr int most_terms = 10000;
    if (x < a + 1) {
        double term = 1 / a;
        double sum = term;
        for (int n = 1; n < most_terms && term > sum * 1e-17; ++n) sum += term *= x / (a + n);
        return front * sum;
    }
    double before = x + 1 - a;
    double denominator = 1 / before;
    double product = denominator;
    double numerator = 1e300;
    for (int n = 1; n < most_terms; ++n) {
        const double part = -n * (n - a);
        before += 2;
        denominator = 1 / (part * denominator + before);
        numerator = before + part / numerator;
        product *= denominator * numerator;
        if (std::abs(denominator * numerator - 1) < 1e-15) break;
    }
    return 1 - front * product;
}

// Returns the root of a falling function of positive numbers. Searches in the logarithm of the number, in which tails
// are nearly straight: brackets the root, then applies the secant, or halves the bracket where that does not help (the
// Illinois method).
template <class Falling>
double root_above_zero(const Falling& falling) {
    constexpr double farthest = 690;  // in logarithms: from 1e-300 to 1e300
    double low = 0;
    double high = 0;
    double at_low = falling(1.0);
    double at_high = at_low;
    for (double step = 0.5; at_high > 0 && high < farthest; step *= 1.5) {
        low = high;
        at_low = at_high;
        high = std::min(high + step, farthest);
        at_high = falling(std::exp(high));
    }
    for (double step = 0.5; at_low <= 0 && low > -farthest; step *= 1.5) {
        high = low;
        at_high = at_low;
        low = std::max(low - step, -farthest);
        at_low = falling(std::exp(low));
    }
    double last = low;
    for (int i = 0; i < 300 && low < high; ++i) {
        double next = (low * at_high - high * at_low) / (at_high - at_low);
        if (!(next > low && next < high)) next = low + (high - low) / 2;
        const double value = falling(std::exp(next));
        const bool is_same_side = (value > 0) == (last == low);
        if (value > 0) {
            low = next;
            at_low = value;
            if (is_same_side) at_high /= 2;
        } else {
            high = next;
            at_high = value;
            if (is_same_side) at_low /= 2;
        }
        if (value == 0 || std::abs(next - last) <= 2e-16 * std::max(1.0, std::abs(next))) return std::exp(next);
        last = next;
    }
    return std::exp(high);
}

void must_be_probability(double probability) {
    if (!(probability > 0 && probability < 1))
        throw std::invalid_argument("the probability of a quantile must lie between 0 and 1");
}

void must_be_freedom(double freedom) {
    if (!(freedom > 0)) throw std::invalid_argument("degrees of freedom must be above 0");
}

// Returns the probability of a value beyond +-|value|.
double student_tails(double value, double freedom) {
    const double square = value * value;
    return beta_cumulative(freedom / 2, 0.5, freedom / (freedom + square), square / (freedom + square));
}

}  // namespace

double normal_cumulative(double value) { return std::erfc(-value / std::numbers::sqrt2) / 2; }

double student_cumulative(double value, double freedom) {
    if (!(freedom > 0)) throw std::invalid_argument("degrees of freedom must be above 0");
    const double tail = student_tails(value, freedom) / 2;
    return value > 0 ? 1 - tail : tail;
}

double normal_quantile(double probability) {
    must_be_probability(probability);
    const double tail = std::min(probability, 1 - probability);
    const double value = root_above_zero([&](double at) { return std::log(normal_cumulative(-at)) - std::log(tail); });
    return probability < 0.5 ? -value : probability > 0.5 ? value : 0;
}

double student_quantile(double probability, double freedom) {
    must_be_probability(probability);
    must_be_freedom(freedom);
    if (probability == 0.5) return 0;
    const double tails = std::log(2 * std::min(probability, 1 - probability));
    const double value = root_above_zero([&](double at) { return std::log(student_tails(at, freedom)) - tails; });
    return probability < 0.5 ? -value : value;
}

double chi_squared_quantile(double probability, double freedom) {
    must_be_probability(probability);
    must_be_freedom(freedom);
    return root_above_zero(
        [&](double at) { return std::log(probability) - std::log(gamma_cumulative(freedom / 2, at / 2)); });
}

double beta_quantile(double probability, double a, double b) {
    must_be_probability(probability);
    double low = 0;
    double high = 1;
    for (int i = 0; i < 200; ++i) {
        const double middle = (low + high) / 2;
        if (middle == low || middle == high) break;
        (beta_cumulative(a, b, middle, 1 - middle) < probability ? low : high) = middle;
    }
    return high;
}

double fair_coins_cumulative(int most, int tries) {
    double sum = 0;
    for (int heads = 0; heads <= std::min(most, tries); ++heads)
        sum += std::exp(std::lgamma(tries + 1.0) - std::lgamma(heads + 1.0) - std::lgamma(tries - heads + 1.0) -
                        tries * std::numbers::ln2);
    return std::min(sum, 1.0);
}

}  // namespace tocuda
