// tocuda, Apache-2.0.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

Functions no_functions() { return {}; }

// clang-format off
// Of two errors that begin at the same place the first is taken: those of a program before the general ones.
constexpr KnownFamily every_family[] = {
    {"import", import_functions,
#include "doctor/message/known/import.txt"
    },
    {"tensorflow", tensorflow_functions,
#include "doctor/message/known/tensorflow.txt"
    },
    {"tensorrt", tensorrt_functions,
#include "doctor/message/known/tensorrt.txt"
    },
    {"array", array_functions,
#include "doctor/message/known/array.txt"
    },
    {"llama", llama_functions,
#include "doctor/message/known/llama.txt"
    },
    {"media", media_functions,
#include "doctor/message/known/media.txt"
    },
    {"science", science_functions,
#include "doctor/message/known/science.txt"
    },
    {"tool", tool_functions,
#include "doctor/message/known/tool.txt"
    },
    {"driver", driver_functions,
#include "doctor/message/known/driver.txt"
    },
    {"old_driver", old_driver_functions,
#include "doctor/message/known/old_driver.txt"
    },
    {"library", library_functions,
#include "doctor/message/known/library.txt"
    },
    {"symbol", symbol_functions,
#include "doctor/message/known/symbol.txt"
    },
    {"math", math_functions,
#include "doctor/message/known/math.txt"
    },
    {"memory", memory_functions,
#include "doctor/message/known/memory.txt"
    },
    {"kernel", kernel_functions,
#include "doctor/message/known/kernel.txt"
    },
    {"refused", refused_functions,
#include "doctor/message/known/refused.txt"
    },
    {"access", access_functions,
#include "doctor/message/known/access.txt"
    },
    {"compiler", compiler_functions,
#include "doctor/message/known/compiler.txt"
    },
    {"build", build_functions,
#include "doctor/message/known/build.txt"
    },
    {"usage", usage_functions,
#include "doctor/message/known/usage.txt"
    },
    {"training", training_functions,
#include "doctor/message/known/training.txt"
    },
    {"tensor", tensor_functions,
#include "doctor/message/known/tensor.txt"
    },
    {"version", version_functions,
#include "doctor/message/known/version.txt"
    },
    {"framework", framework_functions,
#include "doctor/message/known/framework.txt"
    },
    {"serving", serving_functions,
#include "doctor/message/known/serving.txt"
    },
    {"server", server_functions,
#include "doctor/message/known/server.txt"
    },
    {"launch", launch_functions,
#include "doctor/message/known/launch.txt"
    },
    {"collective", no_functions,
#include "doctor/message/known/collective.txt"
    },
    {"group", group_functions,
#include "doctor/message/known/group.txt"
    },
    {"network", network_functions,
#include "doctor/message/known/network.txt"
    },
    {"mpi", mpi_functions,
#include "doctor/message/known/mpi.txt"
    },
    {"install", install_functions,
#include "doctor/message/known/install.txt"
    },
    {"package", package_functions,
#include "doctor/message/known/package.txt"
    },
    {"conflict", conflict_functions,
#include "doctor/message/known/conflict.txt"
    },
    {"extension", extension_functions,
#include "doctor/message/known/extension.txt"
    },
    {"setup", setup_functions,
#include "doctor/message/known/setup.txt"
    },
    {"fabric", fabric_functions,
#include "doctor/message/known/fabric.txt"
    },
    {"nvml", nvml_functions,
#include "doctor/message/known/nvml.txt"
    },
    {"system", system_functions,
#include "doctor/message/known/system.txt"
    },
    {"xid", xid_functions,
#include "doctor/message/known/xid.txt"
    },
    {"container", container_functions,
#include "doctor/message/known/container.txt"
    },
    {"cluster", cluster_functions,
#include "doctor/message/known/cluster.txt"
    },
    {"wsl", wsl_functions,
#include "doctor/message/known/wsl.txt"
    },
    {"windows", windows_functions,
#include "doctor/message/known/windows.txt"
    },
    {"virtual", virtual_functions,
#include "doctor/message/known/virtual.txt"
    },
    {"system_package", system_package_functions,
#include "doctor/message/known/system_package.txt"
    },
    {"display", display_functions,
#include "doctor/message/known/display.txt"
    },
    {"jetson", jetson_functions,
#include "doctor/message/known/jetson.txt"
    },
    {"runtime", runtime_functions,
#include "doctor/message/known/runtime.txt"
    },
};
// clang-format on

[[noreturn]] void refuse(std::string_view what, std::string_view word) {
    throw std::invalid_argument(fmt::format("{} '{}'", what, word));
}

template <class Value, std::size_t Count>
Value one_of(const std::array<std::pair<std::string_view, Value>, Count>& known, std::string_view word,
             std::string_view what) {
    const auto found = std::ranges::find(known, word, &std::pair<std::string_view, Value>::first);
    if (found == known.end()) refuse(what, word);
    return found->second;
}

template <class Function>
Function named(const std::vector<std::pair<std::string_view, Function>>& functions, std::string_view name) {
    const auto found = std::ranges::find(functions, name, &std::pair<std::string_view, Function>::first);
    if (found == functions.end()) refuse("no such function", name);
    return found->second;
}

Rank rank_called(std::string_view word) {
    constexpr auto ranks = std::to_array<std::pair<std::string_view, Rank>>(
        {{"notice", Rank::notice}, {"echo", Rank::echo}, {"symptom", Rank::symptom}, {"warned", Rank::warned}});
    return one_of(ranks, word, "no such rank");
}

Scope scope_called(std::string_view key) {
    constexpr auto scopes = std::to_array<std::pair<std::string_view, Scope>>({{"look", Scope::look},
                                                                               {"type", Scope::command},
                                                                               {"env", Scope::environment},
                                                                               {"machine", Scope::machine},
                                                                               {"others", Scope::others}});
    return one_of(scopes, key, "no such key");
}

// Words between quotation marks may begin or end with a space, or have a \n.
std::string without_quotes(std::string value) {
    if (value.size() < 2 || value.front() != '"' || value.back() != '"') return value;
    value = value.substr(1, value.size() - 2);
    for (auto at = value.find("\\n"); at != std::string::npos; at = value.find("\\n", at)) value.replace(at, 2, "\n");
    return value;
}

// Reads the errors of a family line by line.
class FamilyReader {
public:
    explicit FamilyReader(const KnownFamily& family) : functions(family.functions()) {}

    std::vector<KnownError> read(std::string_view text) {
        for (; !text.empty(); ++line_number) {
            const auto end = std::min(text.find('\n'), text.size());
            take(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        finish_value();
        return std::move(errors);
    }

    // Where it stopped.
    std::size_t line() const { return key.empty() ? line_number : key_line; }

private:
    Functions functions;
    std::size_t line_number = 1, key_line = 0;
    std::vector<KnownError> errors{};
    std::string key{}, value{};
    std::string sign{};  // of the hint that remedies belong to; empty: they are the error's own

    void take(std::string_view line) {
        const auto begin = line.find_first_not_of(' ');
        constexpr std::size_t key_at = 2;
        if (begin != std::string_view::npos && begin > key_at) {
            if (key.empty()) refuse("no key has this", line);
            value += ' ';
            value += line.substr(begin);
            return;
        }
        finish_value();
        if (begin == std::string_view::npos || line.starts_with('#')) return;
        if (begin == 0) {
            errors.push_back({.name = std::string(line)});
            sign.clear();
            return;
        }
        if (errors.empty()) refuse("no error has this", line);
        const auto end = std::min(line.find(' ', begin), line.size());
        key = line.substr(begin, end - begin);
        value = line.substr(std::min(line.find_first_not_of(' ', end), line.size()));
        key_line = line_number;
    }

    void finish_value() {
        if (!key.empty()) set(errors.back(), key, without_quotes(value));
        key.clear();
    }

    void set(KnownError& error, const std::string& what, std::string words) {
        if (what == "text") error.needles.push_back(std::move(words));
        else if (what == "near") error.near.push_back(std::move(words));
        else if (what == "line") error.in_line.push_back(std::move(words));
        else if (what == "not") error.not_in_line.push_back(std::move(words));
        else if (what == "means") error.meaning = std::move(words);
        else if (what == "claim") error.claims.push_back(std::move(words));
        else if (what == "rank") error.rank = rank_called(words);
        else if (what == "harmless") error.harmless = true;
        else if (what == "unsure") error.certain = false;
        else if (what == "if") error.applies = named(functions.conditions, words);
        else if (what == "read") error.read = named(functions.readings, words);
        else if (what == "where") sign = std::move(words);
        else if (sign.empty()) error.remedies.emplace_back(std::move(words), scope_called(what));
        else error.hints.push_back({sign, {std::move(words), scope_called(what)}});
    }
};

}  // namespace

std::span<const KnownFamily> known_families() { return every_family; }

std::vector<KnownError> errors_of(const KnownFamily& family) {
    FamilyReader reader(family);
    try {
        return reader.read(family.text);
    } catch (const std::invalid_argument& why) {
        throw std::invalid_argument(fmt::format("{}.txt: line {}: {}", family.name, reader.line(), why.what()));
    }
}

const std::vector<KnownError>& all_known_errors() {
    static const auto all = [] {
        std::vector<KnownError> every;
        for (const auto& family : every_family) std::ranges::move(errors_of(family), std::back_inserter(every));
        return every;
    }();
    return all;
}

}  // namespace tocuda::doctor
