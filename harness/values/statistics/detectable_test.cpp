// tocuda, Apache-2.0.
// The detectable change against a simulation of the comparison that it describes.
#include "statistics/detectable.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <vector>

#include "statistics/distributions.hpp"

namespace tocuda {
namespace {

class Normal {
public:
    double operator()(double spread) {
        const double radius =
            std::sqrt(-2 * std::log((static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0));
        return spread * radius *
               std::cos(2 * std::numbers::pi * static_cast<double>(random() >> 11) / 9007199254740992.0);
    }

private:
    std::mt19937_64 random{20261121};
};

struct Side {
    double mean = 0;
    double squares = 0;
};

Side side(Normal& normal, int processes, double spread, double shift) {
    std::vector<double> logarithms;
    Side result;
    for (int i = 0; i < processes; ++i) {
        logarithms.push_back(shift + normal(spread));
        result.mean += logarithms.back() / processes;
    }
    for (const double value : logarithms) result.squares += (value - result.mean) * (value - result.mean);
    return result;
}

// Returns how often the comparison finds a change of this size.
double found(int processes, double spread, double change, const Question& question) {
    constexpr int tries = 20000;
    Normal normal;
    const double critical = student_quantile(1 - question.level / 2 / question.family, 2.0 * (processes - 1));
    int times = 0;
    for (int i = 0; i < tries; ++i) {
        const auto before = side(normal, processes, spread, 0);
        const auto after = side(normal, processes, spread, std::log1p(change));
        const double pooled = std::sqrt((before.squares + after.squares) / (2.0 * (processes - 1)) * 2 / processes);
        const double difference = after.mean - before.mean;
        if (difference > critical * pooled && difference > std::log1p(question.margin)) ++times;
    }
    return static_cast<double>(times) / tries;
}

constexpr double four_standard_errors = 0.009;

TEST(Detectable, IsFoundNineTimesInTenIfTheSpreadDecides) {
    for (const int processes : {3, 6, 20})
        for (const double spread : {0.01, 0.2}) {
            const double change = detectable_change(spread, processes);
            EXPECT_NEAR(found(processes, spread, change, {}), 0.9, four_standard_errors)
                << processes << " " << spread << " " << change;
        }
}

TEST(Detectable, IsFoundNineTimesInTenIfTheMarginDecides) {
    const double change = detectable_change(0.0005, 6);
    EXPECT_GT(change, 0.005);
    EXPECT_LT(change, 0.006);
    EXPECT_NEAR(found(6, 0.0005, change, {}), 0.9, four_standard_errors);
}

TEST(Detectable, FamilyOfRowsSharesTheLevel) {
    const Question question{.family = 100};
    const double change = detectable_change(0.01, 6, question);
    EXPECT_GT(change, 1.5 * detectable_change(0.01, 6));
    EXPECT_NEAR(found(6, 0.01, change, question), 0.9, four_standard_errors);
}

TEST(Detectable, IsTheMarginWithoutSpread) {
    EXPECT_EQ(detectable_change(0, 6), 0.005);
    EXPECT_EQ(detectable_change(std::vector<double>{2, 2, 2}), 0.005);
}

TEST(Detectable, ShrinksWithTheRootOfTheProcesses) {
    EXPECT_NEAR(detectable_change(0.01, 400, {.margin = 0}) / detectable_change(0.01, 1600, {.margin = 0}), 2, 0.02);
}

TEST(Detectable, UsesTheSpreadOfLogarithms) {
    const std::vector<double> medians{1.00, 1.02, 0.99, 1.01, 1.00, 0.98};
    std::vector<double> times_thousand;
    for (const double value : medians) times_thousand.push_back(1000 * value);
    ASSERT_TRUE(detectable_change(medians));
    EXPECT_NEAR(*detectable_change(medians), *detectable_change(times_thousand), 1e-12);
    EXPECT_NEAR(*detectable_change(medians), detectable_change(0.01415, 6), 1e-4);
}

TEST(Detectable, OneProcessOrAnInvalidTimeGivesNone) {
    EXPECT_FALSE(detectable_change(std::vector<double>{1}));
    EXPECT_FALSE(detectable_change(std::vector<double>{1, 0}));
    EXPECT_FALSE(detectable_change(std::vector<double>{1, -1}));
    EXPECT_FALSE(detectable_change(std::vector<double>{1, std::nan("")}));
    EXPECT_THROW(detectable_change(0.1, 1), std::invalid_argument);
}

}  // namespace
}  // namespace tocuda
