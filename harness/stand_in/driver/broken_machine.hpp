// tocuda, Apache-2.0.
// What the broken machine's driver says of itself, read from TOCUDA_DRIVER: "VERSION", "VERSION init CODE", "VERSION visible".
#pragma once

#include <optional>
#include <string_view>

namespace tocuda::stand_in {

struct BrokenMachine {
    bool understood = false;
    int version = 0;
    int answer_to_init = 0;
    int devices = 1;

    static BrokenMachine of_environment();
    // `visible` is CUDA_VISIBLE_DEVICES where it is set.
    static std::optional<BrokenMachine> parse(std::string_view text, std::optional<std::string_view> visible);
};

// True where the list names at least one of `devices` GPUs: its first entry decides, as later ones only add to it.
bool names_a_device(std::string_view list, int devices);

}  // namespace tocuda::stand_in
