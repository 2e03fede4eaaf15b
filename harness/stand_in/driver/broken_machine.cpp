// tocuda, Apache-2.0.
// Reads TOCUDA_DRIVER and CUDA_VISIBLE_DEVICES for the broken machine's driver.
#include "driver/broken_machine.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace tocuda::stand_in {
namespace {

constexpr int no_device = 100;

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    while (true) {
        const auto begin = text.find_first_not_of(' ');
        if (begin == std::string_view::npos) return words;
        text.remove_prefix(begin);
        const auto length = text.find(' ');
        words.push_back(text.substr(0, length));
        if (length == std::string_view::npos) return words;
        text.remove_prefix(length);
    }
}

std::optional<int> number_of(std::string_view word) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size() || number < 0) return std::nullopt;
    return number;
}

std::optional<std::string_view> environment(const char* name) {
    const char* value = std::getenv(name);
    if (value == nullptr) return std::nullopt;
    return value;
}

}  // namespace

bool names_a_device(std::string_view list, int devices) {
    const std::string_view first = list.substr(0, list.find(','));
    if (first.starts_with("GPU-") || first.starts_with("MIG-")) return true;
    const auto index = number_of(first);
    return index.has_value() && *index < devices;
}

std::optional<BrokenMachine> BrokenMachine::parse(std::string_view text, std::optional<std::string_view> visible) {
    const auto words = words_of(text);
    if (words.empty()) return std::nullopt;
    const auto version = number_of(words[0]);
    if (!version) return std::nullopt;
    BrokenMachine machine{.understood = true, .version = *version};
    if (words.size() == 1) return machine;
    if (words[1] == "init" && words.size() == 3) {
        const auto code = number_of(words[2]);
        if (!code) return std::nullopt;
        machine.answer_to_init = *code;
        return machine;
    }
    if (words[1] == "visible" && words.size() <= 3) {
        const auto devices = words.size() == 3 ? number_of(words[2]) : 1;
        if (!devices) return std::nullopt;
        machine.devices = *devices;
        if (visible && !names_a_device(*visible, *devices)) machine.answer_to_init = no_device;
        return machine;
    }
    return std::nullopt;
}

BrokenMachine BrokenMachine::of_environment() {
    const auto text = environment("TOCUDA_DRIVER");
    if (!text) {
        std::fputs("tocuda: stand-in driver: TOCUDA_DRIVER is not set; say \"VERSION [init CODE | visible [GPUS]]\"\n", stderr);
        return {};
    }
    const auto machine = parse(*text, environment("CUDA_VISIBLE_DEVICES"));
    if (machine) return *machine;
    std::fprintf(stderr, "tocuda: stand-in driver: TOCUDA_DRIVER=\"%s\" is not \"VERSION [init CODE | visible [GPUS]]\"\n",
               std::string(*text).c_str());
    return {};
}

}  // namespace tocuda::stand_in
