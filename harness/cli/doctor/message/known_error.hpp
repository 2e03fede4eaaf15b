// tocuda, Apache-2.0.
// The errors that explain() knows, by family, and what their functions share.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/explanation.hpp"

namespace tocuda::doctor {

// How near an error is to its cause. Of several in one text the nearest is explained, of equal ones the first.
enum class Rank {
    notice,   // says something about a machine, but nothing that failed: explained if there is nothing else
    echo,     // another process or an earlier call failed, and its own text says why
    symptom,  // several causes have this text
    warned,   // a cause, in a line that only warns
    cause
};

// For texts that have this sign, in lower case, such as the name of a program: takes the place of the general remedies.
struct Hint {
    std::string sign;
    Remedy remedy;
};

// Reads figures from the text, in which a needle is at `at`, and may change the remedies.
using Reading = void (*)(std::string_view text, std::size_t at, Explanation& told);

// Whether the needle at `at` is this error.
using Condition = bool (*)(std::string_view text, std::size_t at);

struct KnownError {
    std::string name;
    std::vector<std::string> needles{};  // any of them identifies the error; at least four characters
    std::string meaning{};
    std::vector<std::string> claims{};
    // "{torch}" in one is the command that installs PyTorch, "{torch cu126}" that of a build.
    std::vector<Remedy> remedies{};
    std::vector<Hint> hints{};
    Reading read = nullptr;
    Condition applies = nullptr;             // if absent, it always is
    std::vector<std::string> near{};         // and whether one of these stands close by,
    std::vector<std::string> in_line{};      // or in the same line; if empty, none has to,
    std::vector<std::string> not_in_line{};  // and none of these in the same line
    Rank rank = Rank::cause;
    bool harmless = false;  // nothing has failed
    bool certain = true;    // false, as for every symptom: the meaning is the most frequent one
};

// The errors are in known/FAMILY.txt, which is compiled in as it is:
//
//     name of the error
//       text    a needle; in quotation marks if it begins or ends with a space
//       near    words of which one has to stand close by,
//       line    or in the same line
//       not     words that may not stand in that line
//       if      a condition
//       rank    notice, echo, symptom or warned, if it is not a cause
//       harmless
//       unsure
//       means   one or two sentences
//       claim   the id of a claim that shows it
//       look    a remedy that changes nothing; type, env, machine, others: by what it changes
//       where   a sign: the remedies after it are hints
//       read    a reading
//
// A line that begins further right than a key goes on with the line before. Conditions and readings are functions of
// FAMILY_errors.cpp.
struct Functions {
    std::vector<std::pair<std::string_view, Reading>> readings{};
    std::vector<std::pair<std::string_view, Condition>> conditions{};
};

Functions access_functions();
Functions array_functions();
Functions build_functions();
Functions cluster_functions();
Functions compiler_functions();
Functions conflict_functions();
Functions container_functions();
Functions display_functions();
Functions driver_functions();
Functions extension_functions();
Functions fabric_functions();
Functions framework_functions();
Functions group_functions();
Functions import_functions();
Functions install_functions();
Functions jetson_functions();
Functions kernel_functions();
Functions launch_functions();
Functions library_functions();
Functions llama_functions();
Functions math_functions();
Functions media_functions();
Functions memory_functions();
Functions mpi_functions();
Functions network_functions();
Functions nvml_functions();
Functions old_driver_functions();
Functions package_functions();
Functions refused_functions();
Functions runtime_functions();
Functions science_functions();
Functions server_functions();
Functions serving_functions();
Functions setup_functions();
Functions symbol_functions();
Functions system_functions();
Functions system_package_functions();
Functions tensor_functions();
Functions tensorflow_functions();
Functions tensorrt_functions();
Functions tool_functions();
Functions training_functions();
Functions usage_functions();
Functions version_functions();
Functions virtual_functions();
Functions windows_functions();
Functions wsl_functions();
Functions xid_functions();

struct KnownFamily {
    std::string_view name;
    Functions (*functions)();
    const char* text;  // not a string_view: clang gives up on counting so many letters at compile time
};

std::span<const KnownFamily> known_families();

// Throws std::invalid_argument with file and line where the text is not as above.
std::vector<KnownError> errors_of(const KnownFamily& family);

const std::vector<KnownError>& all_known_errors();

// Of a PyTorch that sees no GPU: what the text says of its build, of the driver and of the machine.
void read_build(std::string_view text, std::size_t at, Explanation& told);

// "nvidia-container-cli: ...": what the words after it say.
void read_hook_of_container(std::string_view text, std::size_t at, Explanation& told);

// On a rented machine nobody can change the host's driver: says so, if the text is from one.
void read_rented_host(std::string_view text, std::size_t at, Explanation& told);

// The words after "Last error:", by which NCCL says what failed.
void read_last_error(std::string_view text, std::size_t at, Explanation& told);

// What pip takes for the extension of PyTorch that a text is about: "flash-attn"; empty if it is not known.
std::string extension_in(std::string_view text);

// Of an extension whose library does not fit: the page that has its wheels for the PyTorch that the text names.
void tell_of_wheels(std::string_view text, std::string_view line, Explanation& told);

// Whether words name a package that holds code for GPUs.
bool names_package_for_gpus(std::string_view words);

// Of CUDA in a worker of a DataLoader, where the text shows one.
void tell_of_worker(std::string_view text, Explanation& told);

// Of memory that is full: what the frames before it show that the program was doing, and what helps there.
void tell_of_step(std::string_view text, std::size_t at, Explanation& told);

// Of an index that is out of range, where the text speaks of a model with a vocabulary.
void tell_of_vocabulary(std::string_view text, Explanation& told);

// A package that compiles kernels of its own and that the text names; empty: none.
std::string_view package_with_kernels(std::string_view text);

// The package of pip that has this library, and the folder that it puts it into.
void add_package(std::string_view text, std::string_view library, Explanation& told);

// If the text shows in which folder the library lies: that folder, as the first remedy.
void tell_of_library_in(std::string_view text, std::string_view library, Explanation& told);

// Of a library that is missing: what the program that asks for it needs. Leaves the remedies as they are where it is
// PyTorch.
void tell_of_missing_library(std::string_view text, std::size_t at, std::string_view library, Explanation& told);

// Of libraries that TensorFlow.js, a package of Node, does not find.
void tell_of_tensorflow_js(std::string_view text, Explanation& told);

// If the frames before an error show that memory of the host was to be page-locked: that, instead of the error.
void tell_of_pinning(std::string_view text, std::size_t at, Explanation& told);

constexpr auto write_cdi =
    "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml   (again after each update of the driver; undo: remove "
    "that file)";

constexpr auto own_tensorflow =
    "python3 -m venv fresh && fresh/bin/pip install 'tensorflow[and-cuda]'   (a new environment, with the libraries of "
    "CUDA that this TensorFlow needs)";

}  // namespace tocuda::doctor
