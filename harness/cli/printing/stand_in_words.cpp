// tocuda, Apache-2.0.
#include "printing/stand_in_words.hpp"

#include <fmt/core.h>

#include <array>
#include <sstream>
#include <string_view>
#include <utility>

namespace tocuda {
namespace {

// The results of cuInit that scenarios choose.
std::string_view meaning_of(int code) {
    constexpr std::array<std::pair<int, std::string_view>, 3> known{
        {{34, "stub library"}, {100, "no device"}, {999, "unknown error"}}};
    for (const auto& [one, text] : known)
        if (one == code) return text;
    return "";
}

std::string driver_words(std::istringstream& words) {
    int version = 0;
    if (!(words >> version)) return "no driver (libcuda.so.1 cannot be loaded)";
    auto text = fmt::format("a fake driver: version {}.{}", version / 1000, version % 1000 / 10);
    std::string what;
    int number = 0;
    words >> what >> number;
    if (what == "visible") return text + ", obeys CUDA_VISIBLE_DEVICES";
    if (what != "init") return text;
    const auto meaning = meaning_of(number);
    return fmt::format("{}, cuInit answers {}{}", text, number, meaning.empty() ? "" : fmt::format(" ({})", meaning));
}

}  // namespace

std::string stand_in_words(const std::string& entry) {
    std::istringstream words(entry);
    std::string what;
    words >> what;
    if (what == "driver") return driver_words(words);
    if (what == "runtime") return "SIMULATED " + entry.substr(std::string_view("runtime ").size());
    return what == "recorder" ? "with the recorder" : entry;
}

}  // namespace tocuda
