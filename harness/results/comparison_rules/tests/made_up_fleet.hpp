// tocuda, Apache-2.0.
// Makes up what a fleet measures before and after a change of known size: effects of hosts, boots, GPUs and processes,
// calm to rough, with tails or not. Shares no code with the rules that it tests. Nothing here was measured.
#pragma once

#include <cstdint>
#include <vector>

#include "model/comparison.hpp"

namespace tocuda::made_up {

enum class Tails { normal, heavy, two_modes, drifting };

struct FleetNoise {
    double boot = 0.002;  // standard deviation of boots, common to the GPUs of a host; of two modes: apart by 10 of it
    double gpu = 0.0005;  // of each GPU in each boot
    double process = 0.001;  // of each process
    double alike = 0;        // the part of a boot's variance that all rows have in common
    double afterwards = 1;   // how many times the boot's noise of the history the two sides have
    Tails tails = Tails::normal;
    double bad_boots = 0;  // the part of boots that is slower in all rows, whatever their noise
    double bad_by = 0.03;
};

struct FleetShape {
    int rows = 50;
    int hosts = 1;
    int gpus = 1;
    int processes = 3;
    int boots = 1;    // a side
    int history = 0;  // boots of each host before
};

// By host and GPU, each with its history.
using FleetRow = std::vector<std::vector<ComparedRow>>;

// What changed: the part by which a host's GPUs are slower afterwards.
using ChangeOf = double (*)(int row, int host, int gpu);

std::vector<FleetRow> fleet(const FleetShape& shape, const FleetNoise& noise, std::uint64_t seed, ChangeOf change);

}  // namespace tocuda::made_up
