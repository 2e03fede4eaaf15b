// tocuda, Apache-2.0.
// A kernel that computes on every GPU of the process.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "kernels/compute_load.hpp"
#include "measurement/cuda_objects.hpp"

namespace tocuda {

class LoadOfAll {
public:
    explicit LoadOfAll(int gpus) {
        for (int gpu = 0; gpu < gpus; ++gpu) {
            const OnDevice current(gpu);
            loads.push_back(std::make_unique<ComputeLoad>());
        }
    }
    // Whether each of them computed for as long as `timed` took.
    bool outlasts(const std::function<void()>& timed, std::size_t from = 0) const {
        const OnDevice current(from < loads.size() ? static_cast<int>(from) : 0);
        if (from == loads.size()) {
            timed();
            return true;
        }
        bool others = false;
        const bool this_one = loads[from]->outlasts([&] { others = outlasts(timed, from + 1); });
        return this_one && others;
    }

private:
    std::vector<std::unique_ptr<ComputeLoad>> loads{};
};

}  // namespace tocuda
