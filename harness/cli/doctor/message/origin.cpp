// tocuda, Apache-2.0.
#include "doctor/message/origin.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "doctor/message/excerpt.hpp"

namespace tocuda::doctor {
namespace {

// Where a log says what it runs on: its begin, and the traceback at its end.
constexpr std::size_t end_of_log = std::size_t{1} << 20;

// "C:\Users"
bool has_windows_path(std::string_view text) {
    for (auto at = text.find(":\\"); at != std::string_view::npos; at = text.find(":\\", at + 1))
        if (at > 0 && std::isalpha(static_cast<unsigned char>(text[at - 1])) != 0) return true;
    return contains(text, "site-packages\\torch");
}

// Of Linux: what has no counterpart that could be typed instead.
constexpr auto of_linux = std::to_array<std::string_view>({"sudo ", "ulimit", "free -h", "df -h", "ldconfig", "ls -l",
                                                           "cat /", "dmesg", "env -u", "grep ", "docker ", "echo $",
                                                           "mount ", "dkms", "mokutil", "unset ", "LD_"});

constexpr auto of_wsl =
    std::to_array<std::string_view>({"WSL2", "WSL 2", "wsl2", "WSL version", "WSL1", "WSL 1", "microsoft-standard",
                                     "/usr/lib/wsl", "Subsystem for Linux", "-Microsoft", "on win10", "on Windows 10"});

// How many letters of "NAME=VALUE " stand at the begin of a command.
std::size_t length_of_assignment(std::string_view command) {
    const auto name = command.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    if (name == 0 || name == std::string_view::npos || command[name] != '=') return 0;
    const auto end = command.find(' ', name);
    return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace

Origin origin_of(std::string_view text) {
    Origin origin;
    for (const auto part :
         {text.substr(0, end_of_log), text.size() > end_of_log ? text.substr(text.size() - end_of_log) : ""}) {
        origin.windows = origin.windows || has_windows_path(part) || contains(part, "[WinError");
        origin.uv =
            origin.uv || contains(part, "/.venv/lib/python") || contains(part, "uv run") || contains(part, "uv pip");
        origin.conda = origin.conda || contains(part, "conda");
        origin.wsl = origin.wsl || std::ranges::any_of(of_wsl, [&](auto sign) { return contains(part, sign); });
    }
    return origin;
}

std::string install_torch(const Origin& origin, const std::string& build) {
    if (origin.uv)
        return fmt::format("uv venv fresh && uv pip install --python fresh --torch-backend={} torch",
                           build.empty() ? "auto" : build);
    // For Windows the package index has builds for the CPU only.
    const auto wanted = build.empty() && origin.windows ? "cu128" : build;
    const auto index = wanted.empty() ? "" : " --index-url https://download.pytorch.org/whl/" + wanted;
    if (origin.conda)
        return fmt::format("conda create -n fresh python pip && conda run -n fresh pip install torch{}", index);
    if (origin.windows) return fmt::format("python -m venv fresh && fresh\\Scripts\\pip install torch{}", index);
    return fmt::format("python3 -m venv fresh && fresh/bin/pip install torch{}", index);
}

std::string fitting(const std::string& command, const Origin& origin) {
    if (!origin.windows) return command;
    if (contains(command, "LD_LIBRARY_PATH") || contains(command, "/usr/")) return "";
    constexpr std::string_view set = "export ";
    if (command.starts_with(set)) return "set " + command.substr(set.size());
    if (std::ranges::any_of(of_linux, [&](auto begin) { return command.starts_with(begin); })) return "";
    if (contains(command, "$(")) return "";
    if (const auto pipe = command.find(" | grep"); pipe != std::string::npos) return command.substr(0, pipe);
    std::string settings;
    auto rest = std::string_view(command);
    for (auto length = length_of_assignment(rest); length > 0; length = length_of_assignment(rest)) {
        settings += fmt::format("set {}&& ", rest.substr(0, length - 1));
        rest.remove_prefix(length);
    }
    return settings + std::string(rest);
}

}  // namespace tocuda::doctor
