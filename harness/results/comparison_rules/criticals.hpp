// tocuda, Apache-2.0.
// Critical values, cached because many rows need the same ones.
#pragma once

#include <cmath>
#include <map>
#include <utility>

#include "statistics/distributions.hpp"

namespace tocuda {

class Criticals {
public:
    // Two-sided. Without degrees of freedom: of a known variance.
    double student(double level, double freedom) {
        return once({level, freedom}, [&] {
            return freedom > 0 ? student_quantile(1 - level / 2, freedom) : normal_quantile(1 - level / 2);
        });
    }
    // How much larger than the observed spread the true one may be: the limit in 9 of 10 cases.
    double spread_at_most(double freedom) {
        return once({-1, freedom}, [&] { return std::sqrt(freedom / chi_squared_quantile(0.1, freedom)); });
    }

private:
    template <class Work>
    double once(std::pair<double, double> question, const Work& work) {
        const auto [found, is_new] = known.try_emplace(question, 0);
        if (is_new) found->second = work();
        return found->second;
    }

    std::map<std::pair<double, double>, double> known{};
};

}  // namespace tocuda
