// tocuda, Apache-2.0.
// Builds of packages that pip, uv and Poetry do not find: those that do not exist, and those for another Python or
// system.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wheels.hpp"

namespace tocuda::doctor {
namespace {

using TorchVersion = std::pair<int, int>;

constexpr auto which_python =
    "python -c 'import sys, struct, platform; print(sys.version, 8 * struct.calcsize(\"P\"), platform.machine())'   "
    "(64 bits? a version that has builds?)";

// "torch" of "torch==2.1.2+cu118 (from versions: ...", "triton" of "triton>=3.0".
std::string_view name_at(std::string_view text) { return text.substr(0, text.find_first_of("=<>~! ([;{,\r\n")); }

// "2.1.2+cu118" of it; empty if it is not asked for by one version.
std::string_view version_at(std::string_view text) {
    text.remove_prefix(std::min(name_at(text).size(), text.size()));
    if (!text.starts_with("==")) return "";
    text.remove_prefix(2);
    const auto version = text.substr(0, text.find_first_not_of("0123456789.+abcdeprostuv"));
    return version.substr(0, version.find_last_not_of('.') + 1);
}

std::string python_range(TorchVersion torch) {
    const auto [oldest, newest] = pythons_of(torch);
    return fmt::format("PyTorch {}.{} has builds for Python 3.{} to 3.{}", torch.first, torch.second, oldest, newest);
}

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const auto& word : words) all += (all.empty() ? "" : ", ") + word;
    return all;
}

// Where the builds for one CUDA are: an index for each, and one page for those of before 1.11.
std::string index_of(TorchVersion torch, std::string_view build) {
    if (build.empty()) return "";
    if (torch < TorchVersion{1, 11}) return " -f https://download.pytorch.org/whl/torch_stable.html";
    return fmt::format(" --index-url https://download.pytorch.org/whl/{}", build);
}

// pip install into a new environment of that Python; 0: the one that is there.
std::string install_into_new(const Origin& origin, int python, std::string_view what) {
    if (origin.uv)
        return fmt::format("uv venv fresh{} && uv pip install --python fresh {}",
                           python == 0 ? "" : fmt::format(" --python 3.{}", python), what);
    if (origin.conda || (python != 0 && !origin.windows))
        return fmt::format("conda create -n fresh python{} pip && conda run -n fresh pip install {}",
                           python == 0 ? "" : fmt::format("=3.{}", python), what);
    if (origin.windows)
        return fmt::format("{} -m venv fresh && fresh\\Scripts\\pip install {}",
                           python == 0 ? "python" : fmt::format("py -3.{}", python), what);
    return fmt::format("python3 -m venv fresh && fresh/bin/pip install {}", what);
}

// What is asked for: "torch==2.1.2+cu118", its PyTorch, and what the index has.
struct Asked {
    std::string_view package{}, version{}, build{}, listed{};
    TorchVersion torch{};
    std::string_view first_listed() const { return listed.substr(0, listed.find_first_of(", ")); }
    bool has_other_build_listed() const { return contains(listed, "+cu") || contains(listed, "+cpu"); }
};

std::optional<Asked> asked_at(std::string_view text, std::size_t at) {
    constexpr std::string_view label = "satisfies the requirement ";
    const auto begin = text.substr(0, at + label.size()).rfind(label);
    if (begin == std::string_view::npos) return std::nullopt;
    const auto message = text.substr(begin + label.size(), 6000);
    Asked asked{.package = name_at(message), .version = version_at(message)};
    const auto torch = torch_of(asked.package, asked.version);
    if (!torch) return std::nullopt;
    asked.torch = *torch;
    if (const auto plus = asked.version.find('+'); plus != std::string_view::npos)
        asked.build = asked.version.substr(plus + 1);
    const auto line = message.substr(0, message.find('\n'));
    asked.listed = between(line, "(from versions: ", ")").value_or("");
    return asked;
}

std::string exact(const Asked& asked, std::string_view build) {
    const auto number = asked.version.substr(0, asked.version.find('+'));
    return fmt::format("{}=={}{}{}{}", asked.package, number, build.empty() ? "" : "+", build,
                       index_of(asked.torch, build));
}

void tell_of_newer_python(const Asked& asked, const Origin& origin, int python, Explanation& told) {
    if (python != 0)
        told.arithmetic.push_back(
            fmt::format("the list begins with {}, as for Python 3.{}", asked.first_listed(), python));
    told.arithmetic.push_back(python_range(asked.torch));
    told.meaning =
        "This version has no build for the Python that asks: it was published before that Python was. The list names "
        "those that have one.";
    told.remedies = {fmt::format("{}   (a new environment with a Python that it has builds for)",
                                 install_into_new(origin, pythons_of(asked.torch).second, exact(asked, asked.build))),
                     "{torch}   (or the newest, in a new environment: where the program takes it)",
                     {"python --version; python -m pip --version   (the pip of that Python?)", Scope::look}};
}

void tell_of_no_wheel_at_all(const Asked& asked, const Origin& origin, Explanation& told) {
    told.meaning =
        "pip finds no PyTorch build for this Python at all: it has 32 bits, is newer than all builds (or older), is "
        "that of Alpine, or the index that pip asks is another one.";
    told.certain = false;
    if (contains(asked.listed, "0.1.2"))
        told.arithmetic.emplace_back(
            "0.1.2 is an empty package from before PyTorch's first builds: its only source package");
    told.arithmetic.push_back(python_range(asked.torch));
    told.remedies = {
        {which_python, Scope::look},
        fmt::format("{}   (a 64-bit Python that it has builds for, in a new environment)",
                    install_into_new(origin, pythons_of(asked.torch).second, exact(asked, asked.build))),
        {"python -m pip config list; python -m pip --version   (which index, and the pip of which Python?)",
         Scope::look}};
}

// The build for that CUDA does not exist, or the index that was named is that of another.
void tell_of_other_builds(const Asked& asked, const Origin& origin, const std::vector<std::string>& builds,
                          Explanation& told) {
    told.meaning =
        "There is no such build: each version of PyTorch is published for a few versions of CUDA, each on an index of "
        "its own. The driver runs any that is not newer than it.";
    told.arithmetic.push_back(
        fmt::format("PyTorch {}.{} was published for {}", asked.torch.first, asked.torch.second, joined(builds)));
    told.remedies = {fmt::format("{}   (in a new environment; or another of these)",
                                 install_into_new(origin, 0, exact(asked, builds.back()))),
                     "{torch}   (or the newest, in a new environment)",
                     {"nvidia-smi   (\"CUDA Version\": the newest that the driver runs)", Scope::look}};
}

void tell_of_unnamed_index(const Asked& asked, const Origin& origin, Explanation& told) {
    told.meaning =
        "Builds for one CUDA (\"+cu118\") are on PyTorch's own index only, and pip did not look there: no --index-url "
        "names it.";
    told.certain = true;
    const auto index = fmt::format("https://download.pytorch.org/whl/{}", asked.build);
    told.remedies = {fmt::format("{}   (in a new environment)", install_into_new(origin, 0, exact(asked, asked.build))),
                     fmt::format("pip install -r requirements.txt --extra-index-url {}   (in that environment: looks "
                                 "there, too)",
                                 index)};
}

void tell_of_macos(const Asked& asked, Explanation& told) {
    told.meaning =
        "macOS has no builds for CUDA: leave out the \"+cu...\". PyTorch uses Apple's GPUs as the device 'mps'.";
    const auto number = asked.version.substr(0, asked.version.find('+'));
    told.remedies = {
        fmt::format("python3 -m venv fresh && fresh/bin/pip install {}=={}", asked.package, number),
        "sed -i '' 's/+cu[0-9]*//; /--extra-index-url/d' requirements.txt   (a copy of the file: a list that "
        "is for CUDA)",
        "run it on a machine with an NVIDIA GPU   (what has no other way than CUDA)"};
}

// "ERROR: Could not find a version that satisfies the requirement torch==2.1.2+cu118 (from versions: 1.11.0, ...)"
void read_missing_build(std::string_view text, std::size_t at, Explanation& told) {
    const auto asked = asked_at(text, at);
    if (!asked) return;
    const auto origin = origin_of(text);
    const auto builds = builds_of(asked->torch);
    const auto first = torch_of(asked->package, asked->first_listed());
    const bool of_one_index = contains(asked->first_listed(), "+");
    const bool exists = asked->build.empty() || builds.empty() || std::ranges::count(builds, asked->build) > 0;
    if (origin.macos && contains(asked->version, "+cu")) return tell_of_macos(*asked, told);
    if (asked->listed.empty()) return;
    if (asked->listed == "none" || contains(asked->listed, "0.1.2"))
        return tell_of_no_wheel_at_all(*asked, origin, told);
    if (first && *first > asked->torch && !of_one_index)
        return tell_of_newer_python(*asked, origin, asked->package == "torch" ? python_since(*first) : 0, told);
    if ((!exists || (first && of_one_index)) && !builds.empty())
        return tell_of_other_builds(*asked, origin, builds, told);
    if (!asked->build.empty() && !asked->has_other_build_listed()) return tell_of_unnamed_index(*asked, origin, told);
    told.arithmetic.push_back(python_range(asked->torch));
}

// uv: "You're on Linux (`manylinux_2_39_aarch64`), but `torch` (v2.6.0+cu124) only has wheels for the following ..."
void tell_of_systems(const std::string& line, Explanation& told) {
    const auto here = between(line, "You're on ", "), but").value_or("");
    told.meaning = "This version of PyTorch has no wheel for this system and processor on the index that uv asks.";
    if (!here.empty()) told.arithmetic.push_back(fmt::format("the system here: {})", here));
    told.remedies = {
        {which_python, Scope::look},
        "uv venv fresh && uv pip install --python fresh --torch-backend=auto torch   (the newest, in a new "
        "environment)"};
    if (contains(here, "aarch64"))
        told.remedies.insert(told.remedies.begin(),
                             "uv venv fresh && uv pip install --python fresh torch --index-url "
                             "https://download.pytorch.org/whl/cu128   (Linux on ARM: builds with CUDA since 2.7)");
    if (contains(here, "x86_64") && !contains(line.substr(line.find("following platform")), "x86_64"))
        told.remedies.insert(
            told.remedies.begin(),
            "uv lock --upgrade-package torch && uv sync   (the lock names the version without \"+cu...\" "
            "or \"+cpu\", which is for other systems; undo: git checkout uv.lock)");
    if (contains(here, "aarch64")) return;
    told.remedies.emplace_back(
        "environments = [\"sys_platform == 'linux' and platform_machine == 'x86_64'\"]   (in pyproject.toml, under "
        "[tool.uv]: a lock for the systems that have one)");
}

// "torch (2.5.1+cu124)" of Poetry, "torch==2.2.0" of uv, behind the needle or before it in its line.
void read_missing_wheel(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = flattened(text_near(text, at, 300, 400), 700);
    const auto origin = origin_of(text);
    std::string_view version;
    for (const std::string_view label : {"torch (", "torch==", "torch (v"})
        for (auto found = line.find(label); found != std::string::npos; found = line.find(label, found + 1))
            if (const auto number = leading_version(std::string_view(line).substr(found + label.size()));
                is_version(number) && version.empty())
                version = number;
    if (origin.macos)
        told.arithmetic.emplace_back("Macs with an Intel processor have builds up to PyTorch 2.2, and none for CUDA");
    if (version.empty()) return;
    if (contains(line, "only has wheels for the following platform")) return tell_of_systems(line, told);
    const auto torch = version_of(version);
    told.arithmetic.push_back(python_range(torch));
    const auto python = pythons_of(torch).second;
    told.remedies = {
        origin.uv || contains(text, "uv pip") || contains(text, "can conclude")
            ? fmt::format(
                  "uv venv fresh --python 3.{0} && uv pip install --python fresh torch=={1}   (a Python that it "
                  "has builds for; in a project: uv python pin 3.{0}, then uv sync)",
                  python, version)
            : fmt::format("poetry env use python3.{} && poetry install   (a Python that it has builds for: another "
                          "environment)",
                          python),
        {which_python, Scope::look},
        "python = \">=3.10,<3.13\"   (in pyproject.toml: no Python for which a package has no builds)"};
}

constexpr auto fits_no_triton =
    "pip install triton-windows   (Windows, for which PyPI has no triton; undo: pip uninstall it)";

// "triton (from versions: none)", "triton<3,>=2.0.0 (from versions: 3.2.0, ...)"
void read_missing_package(std::string_view text, std::size_t at, Explanation& told) {
    constexpr std::string_view label = "satisfies the requirement ";
    const auto message = text.substr(at).starts_with(label) ? text.substr(at + label.size(), 4000) : "";
    const auto name = name_at(message);
    const auto listed = between(message.substr(0, message.find('\n')), "(from versions: ", ")").value_or("");
    const auto origin = origin_of(text);
    if (name == "triton" && (listed == "none" || listed.empty())) {
        told.meaning =
            "PyPI has triton for Linux only (x86-64 and, since 3.4, ARM): pip on Windows or macOS finds none. PyTorch "
            "brings the one that it needs, and most programs run without it elsewhere.";
        told.remedies = {{fits_no_triton, Scope::environment},
                         "take the line \"triton\" out of requirements.txt   (where the program does not need it)",
                         "pip install torch   (Linux: brings its own triton; in a new environment)"};
        return;
    }
    if (name == "triton") {
        told.meaning =
            "This triton has no build for the Python that asks; each PyTorch brings the triton that it needs.";
        told.remedies = {"take the version of triton out of requirements.txt   (torch asks for the right one)",
                         fmt::format("{}   (or an older Python, in a new environment)",
                                     install_into_new(origin, 11, "-r requirements.txt"))};
        return;
    }
    const auto sources = extension_in(name);
    if (contains(sources, "/") && listed.size() < 5) {
        told.meaning = "This package is not on PyPI: pip builds it from its sources, of a repository or a folder.";
        told.remedies = {
            {fmt::format(
                 "pip install --no-build-isolation ./{}   (the folder of that name, with ./ before it; undo: pip "
                 "uninstall it)",
                 name),
             Scope::environment},
            {fmt::format(
                 "pip install --no-build-isolation {}   (where the folder is empty: git submodule update --init "
                 "--recursive first; undo: pip uninstall it)",
                 sources),
             Scope::environment}};
        return;
    }
    if (name.starts_with("nvidia-") && origin.windows) {
        told.arithmetic.emplace_back("a list that `pip freeze` made on Linux: Windows' torch brings these libraries");
        told.remedies = {"take the lines nvidia-* and triton out of requirements.txt   (a copy of it)", "{torch}"};
        return;
    }
    const auto version = version_at(message);
    const auto first = listed.substr(0, listed.find_first_of(", "));
    if (is_version(version) && is_version(first) && version_of(version) < version_of(first)) {
        told.arithmetic.push_back(
            fmt::format("the list begins with {}: older ones were published before this Python was", first));
        told.remedies = {{which_python, Scope::look},
                         fmt::format("{}   (an older Python, in a new environment)",
                                     install_into_new(origin, 10, fmt::format("{}=={}", name, version))),
                         {fmt::format("python -m pip install {}   (the newest that this Python has; undo: pip "
                                      "uninstall it)",
                                      name),
                          Scope::environment}};
        return;
    }
    if (!listed.empty() && listed != "none")
        told.arithmetic.push_back(fmt::format("for this Python and system the index has {} in other versions: {}", name,
                                              listed.substr(0, 60)));
}

bool is_package_for_gpus(std::string_view text, std::size_t at) {
    const auto rest = text.substr(at, 120);
    const auto name = rest.substr(rest.find("requirement ") + 12, 40);
    const auto word = name_at(name);
    return !contains(word, " ") && (names_package_for_gpus(word) || word.starts_with("nvidia-") ||
                                    contains(word, "cumm") || contains_any(word, {"cuda", "-cu1", "jaxlib"}));
}

// "sageattention-2.2.0+cu128torch2.7.1-cp310-cp310-win_amd64.whl is not a supported wheel on this platform."
void read_wheel(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    const auto place = static_cast<std::size_t>(text.data() + at - line.data());
    auto file = line.substr(0, line.substr(0, place).find_last_not_of(" '\"`") + 1);
    file = file.substr(file.find_last_of(" /\\'\"`") + 1);  // npos + 1 is 0
    if (const auto cp = file.find("-cp3"); cp != std::string_view::npos) {
        const auto python = number_after(file.substr(cp, 8), "-cp3");
        if (python && contains(file, "-abi3-"))
            told.arithmetic.push_back(fmt::format("the file is for Python 3.{} and newer", *python));
        else if (python)
            told.arithmetic.push_back(fmt::format("the file is for Python 3.{} alone (cp3{})", *python, *python));
    }
    const std::string_view system = contains(file, "win_amd64") ? "64-bit Windows"
                                    : contains(file, "aarch64") ? "Linux on ARM (aarch64)"
                                    : contains(file, "linux_x86_64") || contains(file, "manylinux") ? "Linux on x86-64"
                                    : contains(file, "macosx")                                      ? "macOS"
                                                                                                    : "";
    if (!system.empty()) told.arithmetic.push_back(fmt::format("and for {}", system));
}

bool is_wheel_for_gpus(std::string_view text, std::size_t at) {
    return contains_any(
        line_around(text, at),
        {"torch", "+cu", "cuda", "flash_attn", "xformers", "triton", "tensorrt", "sageattention", "spconv", "mmcv",
         "bitsandbytes", "deepspeed", "jaxlib", "onnxruntime", "cupy", "llama_cpp", "mamba", "causal_conv1d"});
}

void read_32_bits(std::string_view text, std::size_t, Explanation& told) {
    if (contains_any(text, {"-32\\", "-32/", "win32", "32 bit", "32-bit"}))
        told.arithmetic.emplace_back("the path or the text names a Python of 32 bits: PyTorch has none for it");
}

bool is_no_build(std::string_view text, std::size_t at) {
    const auto rest = text.substr(at, 80);
    const auto name = name_at(rest.substr(rest.find("torch")));
    return name.substr(0, name.find_first_of(" .")) == "torch" || name.starts_with("torchvision") ||
           name.starts_with("torchaudio");
}

}  // namespace

Functions package_functions() {
    return {.readings = {{"read_missing_build", read_missing_build},
                         {"read_missing_wheel", read_missing_wheel},
                         {"read_32_bits", read_32_bits},
                         {"read_missing_package", read_missing_package},
                         {"read_wheel", read_wheel}},
            .conditions = {{"is_no_build", is_no_build},
                           {"is_package_for_gpus", is_package_for_gpus},
                           {"is_wheel_for_gpus", is_wheel_for_gpus}}};
}

}  // namespace tocuda::doctor
