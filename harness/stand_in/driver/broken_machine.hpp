// tocuda, Apache-2.0.
// What the broken machine's driver says of itself. The environment tells it in whole numbers: TOCUDA_DRIVER is its
// version, TOCUDA_DRIVER_INIT cuInit's answer; with TOCUDA_DRIVER_GPUS it heeds CUDA_VISIBLE_DEVICES, which chooses
// among so many.
#pragma once

#include <optional>
#include <string_view>

namespace tocuda::stand_in {

struct BrokenMachine {
    bool understood = false;
    int version = 0;
    int answer_to_init = 0;
    int devices = 1;

    using Variable = std::optional<std::string_view>;
    struct Variables {
        Variable version{}, init{}, gpus{}, visible_devices{};
    };
    static BrokenMachine of_environment();
    // Nothing where a number is none.
    static std::optional<BrokenMachine> of(const Variables& variables);
};

// True where the list names at least one of `devices` GPUs: its first entry decides, as later ones only add to it.
bool names_a_device(std::string_view list, int devices);

}  // namespace tocuda::stand_in
