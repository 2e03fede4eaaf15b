// tocuda, Apache-2.0.
// What one tool printed about a machine, as it was judged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "doctor/checks.hpp"
#include "doctor/message/dump_lines.hpp"

namespace tocuda::doctor {

struct Dump {
    std::string tool{};  // "collect_env"
    Findings findings{};
    std::vector<std::string_view> not_seen{};  // what the checks would also look at
    std::string read{};                        // "8x NVIDIA H100, driver 550.90.07, torch 2.6.0+cu124"
    std::string driver{};                      // its version, if it is in the paste
};

// Each output of the tool in plain lines, in their order.
std::vector<Dump> environments_in(const Lines& lines);
std::vector<Dump> gpu_tables_in(const Lines& lines);   // nvidia-smi
std::vector<Dump> gpu_queries_in(const Lines& lines);  // nvidia-smi -q
std::vector<Dump> buses_in(const Lines& lines);        // lspci

// "8x NVIDIA H100, NVIDIA A10"
std::string counted_names(const std::vector<std::string>& names);

// "4 GPUs", "1 GPU"
std::string gpus_counted(std::size_t number);

}  // namespace tocuda::doctor
