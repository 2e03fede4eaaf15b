// tocuda, Apache-2.0.
// Asks a Python with LibTorch to replay recordings on simulated GPUs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "json_lines/documents.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

// What a program with LibTorch takes of a GPU besides: an H100 with driver 580.159.04 and CUDA 13.0, as LibTorch 2.11
// said when it was full. 245 MiB were published with model-metadata of Hugging Face's data sets; training a transformer
// took 767 on an H200.
inline constexpr std::int64_t memory_outside_libtorch = std::int64_t{518} << 20;
inline constexpr std::int64_t memory_outside_uncertain = std::int64_t{518 - 245} << 20;

// A Python, and the folder of the package torch that is used if it has none.
struct Python {
    std::string program{};
    std::string torch{};
};

// TOCUDA_PYTHON, or else what this was built for, which an installed tree does not know.
Python usual_python();

OrExit<std::vector<Replayed>> replayed_by(const Python& python, const ReplayRequest& request);

}  // namespace tocuda
