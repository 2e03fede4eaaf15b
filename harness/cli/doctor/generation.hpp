// tocuda, Apache-2.0.
// What a GPU's PCI id says about it: its generation, which decides the driver that it needs.
#pragma once

#include <array>
#include <string_view>

namespace tocuda::doctor {

// In order of their age.
enum class Generation { unknown, kepler, maxwell, pascal, volta, turing, ampere, hopper, ada, blackwell };

constexpr std::string_view word(Generation generation) {
    constexpr std::array<std::string_view, 10> words{"unknown", "Kepler", "Maxwell", "Pascal", "Volta",
                                                     "Turing",  "Ampere", "Hopper",  "Ada",    "Blackwell"};
    return words[static_cast<std::size_t>(generation)];
}

// "an Ada", "a Hopper"
constexpr std::string_view article(Generation generation) {
    return generation == Generation::ampere || generation == Generation::ada ? "an" : "a";
}

// NVIDIA numbers its GPUs in blocks; the few ids outside their block's generation are old or mobile parts.
constexpr Generation generation_of(int device) {
    struct Block {
        int begin;
        Generation generation;
    };
    constexpr std::array blocks{
        Block{0x0fc0, Generation::kepler},  Block{0x1340, Generation::maxwell},  Block{0x15f0, Generation::pascal},
        Block{0x1600, Generation::maxwell}, Block{0x1b00, Generation::pascal},   Block{0x1d80, Generation::volta},
        Block{0x1e00, Generation::turing},  Block{0x2080, Generation::ampere},   Block{0x2180, Generation::turing},
        Block{0x2200, Generation::ampere},  Block{0x2300, Generation::hopper},   Block{0x2400, Generation::ampere},
        Block{0x2600, Generation::ada},     Block{0x2900, Generation::blackwell}};
    auto found = Generation::unknown;
    for (const auto& block : blocks)
        if (device >= block.begin) found = block.generation;
    return found;
}

// Boards whose GPUs are joined by NVSwitches: cuInit waits for the fabric manager.
constexpr bool needs_fabric_manager(int device) {
    constexpr std::array ids{0x20b0, 0x20b2, 0x20b3, 0x2324, 0x2329, 0x2330, 0x2335, 0x2901, 0x3182};
    for (const int id : ids)
        if (id == device) return true;
    return false;
}

// Boards of racks whose NVSwitches stand in trays of their own, with their own fabric manager.
constexpr bool has_fabric_of_a_rack(int device) { return device == 0x2941 || device == 0x31c2; }

// Names of the boards that are met most in servers; empty for others.
constexpr std::string_view board_name(int device) {
    struct Board {
        int device;
        std::string_view name;
    };
    constexpr std::array boards{
        Board{0x1db1, "V100"},     Board{0x1db6, "V100"},  Board{0x1eb8, "T4"},       Board{0x20b0, "A100"},
        Board{0x20b2, "A100"},     Board{0x20b5, "A100"},  Board{0x20f1, "A100"},     Board{0x2235, "A40"},
        Board{0x2236, "A10"},      Board{0x2330, "H100"},  Board{0x2331, "H100"},     Board{0x2335, "H200"},
        Board{0x233b, "H200 NVL"}, Board{0x2342, "GH200"}, Board{0x2684, "RTX 4090"}, Board{0x26b5, "L40"},
        Board{0x26b9, "L40S"},     Board{0x27b8, "L4"},    Board{0x2901, "B200"},     Board{0x2941, "GB200"},
        Board{0x2b85, "RTX 5090"}, Board{0x3182, "B300"},  Board{0x31c2, "GB300"}};
    for (const auto& board : boards)
        if (board.device == device) return board.name;
    return {};
}

}  // namespace tocuda::doctor
