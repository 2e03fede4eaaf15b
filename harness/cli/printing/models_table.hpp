// tocuda, Apache-2.0.
// What `compare` prints of two models of GPUs.
#pragma once

#include <string>
#include <vector>

#include "model/change_report.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

// In order of name, and of size within one. Of each benchmark the row of most bytes; `all`: every row.
std::vector<BesideRow> rows_beside(const TwoModels& models, bool all);

// "NVIDIA H200 0.98 to 1.43 times as fast as NVIDIA H100 at the largest size of 31 benchmarks"; empty without rows.
std::string models_words(const TwoModels& models);

std::string short_model(const std::string& name);  // without its maker: "H200"

std::string models_table(const TwoModels& models, bool all, const Paper& paper);

}  // namespace tocuda
