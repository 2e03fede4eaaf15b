// tocuda, Apache-2.0.
#include "doctor/message/wheels.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/python/architectures.hpp"

namespace tocuda::doctor {
namespace {

using Version = std::pair<int, int>;

struct WheelFamily {
    std::string_view build;  // the suffix of the version
    Version first;           // of PyTorch, and the last that is known
    Version last;
    std::string_view architectures;
};

// TORCH_CUDA_ARCH_LIST of pytorch/builder's manywheel/build_cuda.sh, later .ci/manywheel/build_cuda.sh of
// pytorch/pytorch; "PyTorch CUDA Support Matrix" of its RELEASE.md; of cu128 and its Volta pytorch#157517 and #182250;
// of cu102 #45028; of cu110 builder#587.
constexpr auto families =
    std::to_array<WheelFamily>({{"cu102", {1, 8}, {1, 12}, "sm_37 sm_50 sm_60 sm_70"},
                                {"cu110", {1, 7}, {1, 7}, "sm_37 sm_50 sm_60 sm_70 sm_75 sm_80"},
                                {"cu111", {1, 8}, {1, 10}, "sm_37 sm_50 sm_60 sm_70 sm_75 sm_80 sm_86"},
                                {"cu113", {1, 10}, {1, 12}, "sm_37 sm_50 sm_60 sm_70 sm_75 sm_80 sm_86"},
                                {"cu116", {1, 12}, {1, 13}, "sm_37 sm_50 sm_60 sm_70 sm_75 sm_80 sm_86"},
                                {"cu117", {1, 13}, {2, 0}, "sm_37 sm_50 sm_60 sm_70 sm_75 sm_80 sm_86"},
                                {"cu118", {2, 0}, {2, 7}, "sm_37 sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"},
                                {"cu121", {2, 1}, {2, 5}, "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"},
                                {"cu124", {2, 4}, {2, 6}, "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"},
                                {"cu126", {2, 6}, {2, 15}, "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"},
                                {"cu128", {2, 7}, {2, 7}, "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"},
                                {"cu128", {2, 8}, {2, 10}, "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"},
                                {"cu128", {2, 11}, {2, 11}, "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"},
                                {"cu129", {2, 8}, {2, 8}, "sm_70 sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"},
                                {"cu130", {2, 9}, {2, 11}, "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"}});

std::vector<std::string> words_in(std::string_view text) {
    std::vector<std::string> words;
    for (auto end = text.find(' '); !text.empty(); end = text.find(' ')) {
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return words;
}

// The newest Python that these and later versions have builds for, as PyPI lists them. (Linux alone has 3.11 since 1.13
// and 3.13 since 2.5.)
struct NewestPython {
    Version torch;
    int python;
};
constexpr auto newest_pythons = std::to_array<NewestPython>(
    {{{2, 9}, 14}, {{2, 6}, 13}, {{2, 2}, 12}, {{2, 0}, 11}, {{1, 11}, 10}, {{1, 7}, 9}, {{1, 4}, 8}, {{0, 4}, 7}});

// As PyTorch itself lists it there: FramePack#702, Applio#1006. Those before CUDA 12 have PTX, too.
std::string_view on_windows(std::string_view build) {
    return build == "cu121" || build == "cu124" || build == "cu126" ? "sm_50 sm_60 sm_61 sm_70 sm_75 sm_80 sm_86 sm_90"
                                                                    : "";
}

struct PublishedIndex {
    std::string_view build;
    int cuda;    // the oldest of a driver that is to use it
    int driver;  // the oldest branch
    std::string_view architectures;
};

// The newest first. Any driver for CUDA 12 runs cu126, and any for CUDA 11 cu118 (minor version compatibility).
constexpr auto indices =
    std::to_array<PublishedIndex>({{"cu132", 13020, 595, "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"},
                                   {"cu130", 13000, 580, "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"},
                                   {"cu128", 12080, 570, "sm_75 sm_80 sm_86 sm_90 sm_100 sm_120"},
                                   {"cu126", 12000, 525, "sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"},
                                   {"cu118", 11000, 450, "sm_37 sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"}});

// The first toolkit with it, and the last where newer ones have dropped it, by the release notes of each.
constexpr auto capabilities_of_nvcc = std::to_array<Toolkits>(
    {{10, "", "6.5"},     {13, "", "6.5"},     {20, "3.2", "8.0"},  {21, "3.2", "8.0"},  {30, "5.0", "10.2"},
     {32, "6.0", "10.2"}, {35, "5.5", "11.8"}, {37, "6.5", "11.8"}, {50, "6.5", "12.9"}, {52, "7.0", "12.9"},
     {53, "7.0", "12.9"}, {60, "8.0", "12.9"}, {61, "8.0", "12.9"}, {62, "8.0", "12.9"}, {70, "9.0", "12.9"},
     {72, "9.2", "12.9"}, {75, "10.0", ""},    {80, "11.0", ""},    {86, "11.1", ""},    {87, "11.4", ""},
     {88, "13.0", ""},    {89, "11.8", ""},    {90, "11.8", ""},    {100, "12.8", ""},   {101, "12.8", "12.9"},
     {103, "12.9", ""},   {110, "13.0", ""},   {120, "12.8", ""},   {121, "12.9", ""}});

bool serves(const PublishedIndex& index, const std::vector<int>& capabilities) {
    const auto architectures = words_in(index.architectures);
    return std::ranges::all_of(capabilities, [&](int capability) {
        return std::ranges::any_of(architectures, [&](const auto& each) { return runs_on(each, capability); });
    });
}

}  // namespace

std::vector<std::string> architectures_of_wheel(std::string_view torch_version, bool for_windows) {
    const auto plus = torch_version.find('+');
    if (plus == std::string_view::npos) return {};
    const auto number = torch_version.substr(0, plus);
    if (number.find_first_not_of("0123456789.") != std::string_view::npos) return {};
    const auto version = version_of(number);
    for (const auto& family : families)
        if (torch_version.substr(plus + 1) == family.build && version >= family.first && version <= family.last)
            return words_in(for_windows ? on_windows(family.build) : family.architectures);
    return {};
}

// Table 3 of https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/
std::optional<int> cuda_of_driver(std::string_view driver) {
    constexpr auto branches = std::to_array<std::pair<int, int>>(
        {{610, 13030}, {595, 13020}, {590, 13010}, {580, 13000}, {575, 12090}, {570, 12080}, {565, 12070},
         {560, 12060}, {555, 12050}, {550, 12040}, {545, 12030}, {535, 12020}, {530, 12010}, {525, 12000},
         {520, 11080}, {515, 11070}, {510, 11060}, {495, 11050}, {470, 11040}, {465, 11030}, {460, 11020},
         {455, 11010}, {450, 11000}, {440, 10020}, {418, 10010}, {410, 10000}, {396, 9020},  {390, 9010},
         {384, 9000},  {367, 8000},  {352, 7050},  {346, 7000},  {340, 6050}});
    if (!is_version(driver)) return std::nullopt;
    const int branch = version_of(driver).first;
    const auto* const found = std::ranges::find_if(branches, [&](const auto& one) { return branch >= one.first; });
    return found == branches.end() ? std::nullopt : std::optional(found->second);
}

int oldest_driver_for(int cuda) {
    constexpr auto minima = std::to_array<std::pair<int, int>>(
        {{13000, 580}, {12000, 525}, {11000, 450}, {10020, 440}, {10010, 418}, {10000, 410}, {9020, 396}, {9000, 384}});
    const auto* const found = std::ranges::find_if(minima, [&](const auto& one) { return cuda >= one.first; });
    return found == minima.end() ? 0 : found->second;
}

const Toolkits* toolkits_for(std::int64_t compute_capability) {
    const auto* const found = std::ranges::find(capabilities_of_nvcc, compute_capability, &Toolkits::capability);
    return found == capabilities_of_nvcc.end() ? nullptr : found;
}

std::optional<int> cuda_named_in(std::string_view text) {
    std::optional<int> oldest;
    const auto take = [&](int cuda) { oldest = std::min(oldest.value_or(cuda), cuda); };
    for (const std::string_view label :
         {"cudatoolkit ", "cudatoolkit=", "cudatoolkit==", "pytorch-cuda=", "torch.version.cuda: "})
        for (auto at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
            const auto version = version_of(leading_version(text.substr(at + label.size())));
            if (version.first >= 7 && version.first < 20) take(version.first * 1000 + version.second * 10);
        }
    if (const auto number = number_after(text, "+ cu"); number && *number >= 75 && *number < 200)
        take(static_cast<int>(*number / 10 * 1000 + *number % 10 * 10));
    for (auto at = text.find("+cu"); at != std::string_view::npos; at = text.find("+cu", at + 1))
        if (const auto number = number_after(text.substr(at, 8), "+cu"); number && *number >= 75 && *number < 200)
            take(static_cast<int>(*number / 10 * 1000 + *number % 10 * 10));
    return oldest;
}

std::optional<Version> torch_named_in(std::string_view text) {
    for (const std::string_view label : {"PyTorch version: ", "orch version: ", "PyTorch: ", "Torch: ", "torch: ",
                                         "torch==", "torch-", "torch ", "PyTorch "})
        for (auto at = text.find(label); at != std::string_view::npos; at = text.find(label, at + 1)) {
            const auto version = version_of(leading_version(text.substr(at + label.size(), 20)));
            if (version.first == 1 || version.first == 2) return version;
        }
    return std::nullopt;
}

std::optional<Version> torch_of(std::string_view package, std::string_view version) {
    constexpr int ahead = 15;  // torchvision 0.15 was published with PyTorch 2.0, and both count on since
    if (!is_version(version)) return std::nullopt;
    const auto [major, minor] = version_of(version);
    if (package == "torch" || (package == "torchaudio" && major >= 2)) return Version{major, minor};
    if (package == "torchaudio" && minor >= 7) return Version{1, minor};
    if (package != "torchvision" || minor < 8) return std::nullopt;
    return minor >= ahead ? Version{2, minor - ahead} : Version{1, minor - 1};
}

bool has_index(std::int64_t cuda) {
    constexpr auto all = std::to_array<int>(
        {75, 80, 90, 91, 92, 100, 101, 102, 110, 111, 113, 115, 116, 117, 118, 121, 124, 126, 128, 129, 130, 132});
    return std::ranges::find(all, cuda) != all.end();
}

std::vector<std::string> builds_of(Version torch) {
    std::vector<std::string> builds;
    for (const auto& family : families)
        if (torch >= family.first && torch <= family.last) builds.emplace_back(family.build);
    return builds;
}

std::pair<int, int> pythons_of(Version torch) {
    const auto* const newest =
        std::ranges::find_if(newest_pythons, [&](const auto& one) { return torch >= one.torch; });
    const int oldest = torch >= Version{2, 15}   ? 11
                       : torch >= Version{2, 9}  ? 10
                       : torch >= Version{2, 5}  ? 9
                       : torch >= Version{2, 0}  ? 8
                       : torch >= Version{1, 11} ? 7
                                                 : 6;
    return {oldest, newest == newest_pythons.end() ? oldest : newest->python};
}

int python_since(Version torch) {
    if (torch == Version{1, 13}) return 11;
    if (torch == Version{2, 5}) return 13;
    const auto* const found = std::ranges::find(newest_pythons, torch, &NewestPython::torch);
    return found == newest_pythons.end() ? 0 : found->python;
}

// By the requirements of each release.
std::string_view xformers_for(std::string_view torch_version) {
    constexpr auto releases = std::to_array<std::pair<std::string_view, std::string_view>>({{"2.0.1", "0.0.22"},
                                                                                            {"2.1.0", "0.0.22.post7"},
                                                                                            {"2.1.1", "0.0.23"},
                                                                                            {"2.1.2", "0.0.23.post1"},
                                                                                            {"2.2.0", "0.0.24"},
                                                                                            {"2.2.1", "0.0.25"},
                                                                                            {"2.2.2", "0.0.25.post1"},
                                                                                            {"2.3.0", "0.0.26.post1"},
                                                                                            {"2.3.1", "0.0.27"},
                                                                                            {"2.4.0", "0.0.27.post2"},
                                                                                            {"2.4.1", "0.0.28.post1"},
                                                                                            {"2.5.1", "0.0.28.post3"},
                                                                                            {"2.6.0", "0.0.29.post2"},
                                                                                            {"2.7.0", "0.0.30"},
                                                                                            {"2.7.1", "0.0.31.post1"},
                                                                                            {"2.8.0", "0.0.32.post2"},
                                                                                            {"2.9.1", "0.0.33.post2"}});
    const auto* const found = std::ranges::find(releases, torch_version.substr(0, torch_version.find('+')),
                                                &std::pair<std::string_view, std::string_view>::first);
    return found == releases.end() ? "" : found->second;
}

WheelChoice wheel_for(std::optional<int> driver_cuda, const std::vector<int>& capabilities) {
    // Without a driver that is known, the build that most drivers run.
    constexpr int most_drivers = 12000;
    for (const auto& index : indices)
        if (driver_cuda.value_or(most_drivers) >= index.cuda && serves(index, capabilities))
            return {std::string(index.build), 0};
    const PublishedIndex* oldest = nullptr;
    for (const auto& index : indices)
        if (serves(index, capabilities) && index.cuda >= (oldest ? most_drivers : 0)) oldest = &index;
    if (!oldest) return {};
    return {std::string(oldest->build), driver_cuda || oldest->driver > 525 ? oldest->driver : 0};
}

}  // namespace tocuda::doctor
