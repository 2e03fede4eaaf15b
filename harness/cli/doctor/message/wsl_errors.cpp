// tocuda, Apache-2.0.
// WSL: the GPU and its driver are those of Windows, and a driver inside WSL only hides them.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto current_wsl = "wsl --update   (in Windows; and NVIDIA's current driver for Windows)";
constexpr auto list_drivers = "dpkg -l | grep -iE 'nvidia-(driver|utils|dkms)|libnvidia'   (in WSL there must be none)";
constexpr auto remove_drivers = "sudo apt remove PACKAGES   (those of that list; undo: sudo apt install PACKAGES)";
constexpr auto restart_wsl = "wsl --shutdown   (in Windows; ends everything in WSL)";

// "Microsoft Windows [Version 10.0.19043.1586]", "OS Build 17763"; 0: not shown.
std::int64_t build_of_windows(std::string_view text) {
    constexpr std::int64_t first = 10240;
    for (const std::string_view label : {"[Version 10.0.", "Version 10.0.", "10.0.", "OS Build ", "OS build "})
        if (const auto build = number_after(text, label); build && *build >= first) return *build;
    return 0;
}

// Where WSL or Windows is too old, nothing that is done in WSL helps.
bool tell_of_wsl_without_gpu(std::string_view text, Explanation& told) {
    constexpr std::int64_t oldest = 19044;
    const auto build = build_of_windows(text);
    const bool old = build > 0 && build < oldest;
    if (!old && !contains_any(text, {"-Microsoft", "/lib/modules/3.4.0+"})) return false;
    told.certain = true;
    told.meaning =
        "This WSL has no GPU: WSL 1 never has one, and WSL 2 only on newer builds of Windows. Drivers for Linux do "
        "nothing there.";
    if (old)
        told.arithmetic.push_back(
            fmt::format("this Windows is build {}; GPUs in WSL need {} (Windows 10 21H2) or newer", build, oldest));
    else told.arithmetic.emplace_back("the kernel is that of WSL 1");
    told.remedies = {
        {"wsl --list --verbose; winver   (in Windows: WSL 1 or 2, which build)", Scope::look},
        {"update Windows itself to Windows 11 or 10 21H2, and NVIDIA's driver in Windows", Scope::machine},
        {"wsl --update; wsl --set-version DISTRIBUTION 2   (in Windows, after that; undo: the same with 1)",
         Scope::machine},
        {list_drivers, Scope::look},
        "run the program in Windows itself   (until then)"};
    return true;
}

// The kernel of WSL 1 is Windows itself: it knows no modules, and no GPU.
bool is_wsl_1(std::string_view text) {
    return contains(text, "/lib/modules/3.4.0+") || contains(text, "-Microsoft") ||
           contains(text, "Function not implemented");
}

// Not the title of that column, "TCC/WDDM".
bool shows_tcc(std::string_view text) { return contains_any_word(text, {"TCC ", "TCC\n"}); }

void read_tcc(std::string_view text, std::size_t, Explanation& told) {
    if (!shows_tcc(text)) return;
    told.arithmetic.emplace_back("the GPU is in TCC mode, and WSL shows only those in WDDM mode");
    told.remedies = {
        {"nvidia-smi -i 0 -dm 0   (in Windows, as administrator, then restart it; undo: -dm 1)", Scope::machine},
        {restart_wsl, Scope::others}};
}

bool is_in_wsl(std::string_view text, std::size_t at) {
    const auto around = text_near(text, at, 2000, 2000);
    return is_wsl_1(around) || origin_of(around).wsl;
}

}  // namespace

void tell_of_wsl(std::string_view text, Explanation& told) {
    if (!origin_of(text).wsl || tell_of_wsl_without_gpu(text, told)) return;
    told.meaning =
        "In WSL 2 the driver is that of Windows, and its libraries lie in /usr/lib/wsl/lib: that driver or Windows is "
        "too old, or a Linux driver that was installed in WSL hides them.";
    if (shows_tcc(text))
        told.arithmetic.emplace_back("WSL shows no GPU in TCC mode: nvidia-smi -i 0 -dm 0 (Windows, as administrator)");
    told.remedies = {
        {"ls /usr/lib/wsl/lib; ldconfig -p | grep libcuda   (any other libcuda than that one?)", Scope::look},
        "LD_LIBRARY_PATH=/usr/lib/wsl/lib python ...   (tells whether another libcuda is in the way)",
        {list_drivers, Scope::look},
        {current_wsl, Scope::machine},
        {"update Windows itself to Windows 11 or 10 21H2   (older ones have no GPU in WSL)", Scope::machine},
        {remove_drivers, Scope::machine},
        {restart_wsl, Scope::others}};
}

Functions wsl_functions() { return {.readings = {{"read_tcc", read_tcc}}, .conditions = {{"is_in_wsl", is_in_wsl}}}; }

}  // namespace tocuda::doctor
