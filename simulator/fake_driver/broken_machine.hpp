// tocuda, Apache-2.0.
// How the fake driver is set up by the environment, in whole numbers: TOCUDA_DRIVER is its version, TOCUDA_DRIVER_INIT
// the result of cuInit. With TOCUDA_DRIVER_GPUS it obeys CUDA_VISIBLE_DEVICES, which chooses among that many GPUs.
#pragma once

#include <optional>
#include <string_view>

namespace tocuda::simulator {

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
    // Returns nullopt if one of them is not a whole number.
    static std::optional<BrokenMachine> of(const Variables& variables);
};

// True if the list names at least one of `devices` GPUs. The first entry decides, because later ones only add to it.
bool names_a_device(std::string_view list, int devices);

}  // namespace tocuda::simulator
