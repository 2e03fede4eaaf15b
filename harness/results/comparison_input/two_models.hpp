// tocuda, Apache-2.0.
// What two models of GPUs do, side by side. Whoever asks which is faster needs no test: they differ, and by how much is
// the answer. Pure.
#pragma once

#include <span>

#include "comparison_input/gathering.hpp"
#include "model/change_report.hpp"

namespace tocuda {

// Why a row is not paired whose GPU only one side has.
inline constexpr auto on_another_gpu = "measured on a GPU that the other side does not have";

// If each side measured GPUs of one model, and not the same, their rows become `report.models`, and no list says any
// more that they were not compared. Only rows of equal names: measured in the same way, by the same clock.
void show_two_models(const RowNames& names, std::span<const GatheredSection> before,
                     std::span<const GatheredSection> after, ChangeReport& report);

}  // namespace tocuda
