// tocuda, Apache-2.0.
#include "fake_driver/broken_machine.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace tocuda::simulator {
namespace {

constexpr int no_device = 100;

std::optional<int> number_of(std::string_view word) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size() || number < 0) return std::nullopt;
    return number;
}

BrokenMachine::Variable environment(const char* name) {
    const char* value = std::getenv(name);
    if (!value) return std::nullopt;
    return value;
}

}  // namespace

bool names_a_device(std::string_view list, int devices) {
    const std::string_view first = list.substr(0, list.find(','));
    if (first.starts_with("GPU-") || first.starts_with("MIG-")) return true;
    const auto index = number_of(first);
    return index.has_value() && *index < devices;
}

std::optional<BrokenMachine> BrokenMachine::of(const Variables& variables) {
    const auto version = number_of(variables.version.value_or(""));
    const auto init = number_of(variables.init.value_or("0"));
    const auto gpus = number_of(variables.gpus.value_or("1"));
    if (!version || !init || !gpus) return std::nullopt;
    BrokenMachine machine{.understood = true, .version = *version, .answer_to_init = *init, .devices = *gpus};
    const auto& visible = variables.visible_devices;
    const bool sees_none = variables.gpus && visible && !names_a_device(*visible, *gpus);
    if (sees_none && *init == 0) machine.answer_to_init = no_device;
    return machine;
}

BrokenMachine BrokenMachine::of_environment() {
    const auto machine = of({environment("TOCUDA_DRIVER"), environment("TOCUDA_DRIVER_INIT"),
                             environment("TOCUDA_DRIVER_GPUS"), environment("CUDA_VISIBLE_DEVICES")});
    if (machine) return *machine;
    std::fputs(
        "tocuda: fake driver: TOCUDA_DRIVER must be a version such as 13000; TOCUDA_DRIVER_INIT and "
        "TOCUDA_DRIVER_GPUS, if set, must be whole numbers\n",
        stderr);
    return {};
}

}  // namespace tocuda::simulator
