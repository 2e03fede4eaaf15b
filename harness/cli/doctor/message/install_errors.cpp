// tocuda, Apache-2.0.
// What goes wrong while the driver, the toolkit or packages are installed, before anything uses a GPU.
#include <fmt/core.h>

#include <array>
#include <optional>
#include <set>
#include <utility>

#include "doctor/message/driver_state.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto blacklist =
    "printf 'blacklist nouveau\\noptions nouveau modeset=0\\n' | sudo tee /etc/modprobe.d/blacklist-nouveau.conf && "
    "sudo update-initramfs -u   (Fedora: sudo dracut --force; then reboot; undo: remove that file)";

// Of the module's sources, only a line of the compiler that says what is wrong: "/var/lib/dkms/nvidia/...: error: ..."
bool is_of_build(std::string_view text, std::size_t at) {
    const auto rest = text.substr(at);
    const bool path = rest.starts_with('/') || rest.starts_with("NVIDIA-Linux-") || rest.starts_with("common/inc/nv");
    if (!path) return contains_any(text_near(text, at, 3000, 1000), {"nvidia", "NVIDIA", "nVidia", "Nvidia"});
    const auto line = text_near(line_around(text, at), 0, 0, 600);
    return contains_any(line, {": error: ", ": fatal error: ", "] Error "});
}

// The kernels whose folders a text names together with nvidia.ko:
// "/lib/modules/5.15.0-91-generic/updates/dkms/nvidia.ko"
std::set<std::string> kernels_with_module(std::string_view text) {
    constexpr std::string_view folder = "/lib/modules/";
    std::set<std::string> kernels;
    for (auto at = text.find(folder); at != std::string_view::npos; at = text.find(folder, at + 1)) {
        const auto path = text.substr(at + folder.size(), 200);
        const auto rest = path.substr(0, path.find_first_of(" \t\r\n'\""));
        if (contains(rest, "/nvidia.ko")) kernels.insert(std::string(rest.substr(0, rest.find('/'))));
    }
    return kernels;
}

void read_missing_module(std::string_view text, std::size_t, Explanation& told) {
    const auto running = running_kernel_in(text);
    if (!running.empty()) told.arithmetic.push_back(fmt::format("the running kernel is {}", running));
    const auto kernels = kernels_with_module(text);
    for (const auto& kernel : kernels)
        if (kernel != running) told.arithmetic.push_back(fmt::format("a module nvidia is there for {}", kernel));
    if (!kernels.empty() && !running.empty() && !kernels.contains(std::string(running))) told.certain = true;
}

// "version magic '5.4.18-100.fc30.x86_64 SMP mod_unload ' should be '5.4.18-200.fc31.x86_64 SMP mod_unload '"
void read_version_magic(std::string_view text, std::size_t, Explanation& told) {
    const auto built = between(text, "version magic '", " ");
    const auto running = between(text, "' should be '", " ");
    if (!built || !running) return;
    told.arithmetic.push_back(
        fmt::format("the module was built for {}, and the kernel that runs is {}", *built, *running));
    told.remedies = {{build_for_kernel, Scope::machine},
                     {"find /lib/modules/$(uname -r) -name 'nvidia.ko*'; modinfo -F vermagic nvidia   (afterwards: of "
                      "this kernel? an old one in weak-updates or extra goes first)",
                      Scope::look}};
}

// "-> Kernel module load error: No such device", or another word of the kernel's
void read_installer(std::string_view text, std::size_t, Explanation& told) {
    const auto words = between(text, "Kernel module load error: ", "\n");
    if (!words) return;
    const bool no_device = words->starts_with("No such device");
    const bool of_key = contains_any(*words, {"key", "Key", "not permitted"});
    if (!no_device && !of_key) return;
    told.certain = true;
    if (of_key) {
        told.meaning = "The module was built, and Secure Boot does not let it be loaded: its key is not enrolled.";
        told.remedies = {{"mokutil --sb-state", Scope::look},
                         {"sudo ubuntu-drivers install --gpgpu   (Ubuntu: its packages are signed)", Scope::machine},
                         {"sudo sh NVIDIA-Linux-x86_64-VERSION.run --module-signing-secret-key=KEY "
                          "--module-signing-public-key=DER   (a key that mokutil has enrolled)",
                          Scope::machine}};
        return;
    }
    told.meaning =
        "The module was built and loaded, and found no GPU to drive: nouveau or vfio-pci holds it, it is switched off "
        "(laptops), or this version is not for it.";
    told.remedies = {{"lspci -nnk -d 10de:   (which driver has it? no line: switched off)", Scope::look},
                     {blacklist, Scope::machine},
                     {"sudo dmesg | grep -i nvrm   (\"Legacy drivers\": a GPU for an older branch; \"open kernel "
                      "modules\": for the other kind)",
                      Scope::look}};
}

// "Only the versions between 2017 and 2022 (inclusive) are supported!"
void read_newest_msvc(Explanation& told) {
    told.arithmetic.emplace_back(
        "MSVC 14.40 and newer, of Visual Studio 2022 17.10 and newer, are only known to CUDA 12.4 and newer");
    told.remedies = {
        {"nvcc --version; cl   (the toolkit's version, and that of MSVC: 19.40 is 14.40)", Scope::look},
        "vcvarsall.bat x64 -vcvars_ver=14.29   (then build in that window: an older MSVC, if it is installed)",
        {"add \"MSVC v142\" in the Visual Studio Installer   (Individual components; beside the other)",
         Scope::machine},
        "build with a newer CUDA toolkit   (CUDA_PATH and CUDA_HOME name it; of the CUDA major of PyTorch)",
        "NVCC_PREPEND_FLAGS=-allow-unsupported-compiler pip install --no-build-isolation EXTENSION   (may fail later)"};
}

// "gcc versions later than 8 are not supported!", the table of host compilers in the installation guide of each
// toolkit, or the gcc whose headers nvcc does not understand: "/usr/include/c++/11/bits/std_function.h".
std::optional<std::int64_t> newest_gcc(std::string_view text, std::size_t at) {
    const auto said = number_after(text_near(text, at, 0, 120), "gcc versions later than ");
    if (said) return said;
    if (text.substr(at).starts_with("No supported gcc")) return 12;  // Ubuntu's own nvcc, of 24.04
    const auto near = text_near(text, at, 3000, 3000);
    constexpr auto known = std::to_array<std::pair<std::string_view, int>>({{"cuda-13", 15},
                                                                            {"cuda-12.9", 14},
                                                                            {"cuda-12.8", 14},
                                                                            {"cuda-12.7", 13},
                                                                            {"cuda-12.6", 13},
                                                                            {"cuda-12.5", 13},
                                                                            {"cuda-12.4", 13},
                                                                            {"cuda-12", 12},
                                                                            {"cuda-11.8", 11},
                                                                            {"cuda-11.7", 11},
                                                                            {"cuda-11.6", 11},
                                                                            {"cuda-11.5", 11},
                                                                            {"cuda-11.0", 9},
                                                                            {"cuda-11", 10},
                                                                            {"cuda-10", 8}});
    for (const auto& [toolkit, gcc] : known)
        if (contains(near, toolkit)) return gcc;
    const auto used = number_after(line_around(text, at), "/c++/");
    return used ? std::optional(*used - 1) : std::nullopt;
}

void read_newest_gcc(std::string_view text, std::size_t at, Explanation& told) {
    if (contains_any(text.substr(at, 21), {"unsupported Microsoft", "STL1002", "'cudafe++' died"}) &&
        origin_of(text).windows)
        return read_newest_msvc(told);
    const auto newest = newest_gcc(text, at);
    if (!newest || *newest < 4 || *newest > 30) return;
    told.arithmetic.push_back(fmt::format("this nvcc knows gcc up to {}", *newest));
    if (contains(text, "/usr/bin/nvcc"))
        told.arithmetic.emplace_back(
            "/usr/bin/nvcc is that of the distribution, which is often older than PyTorch's CUDA: a toolkit in "
            "/usr/local/cuda-... beside it may fit better");
    if (contains_any(text, {"CMake Error", "CMakeTmp", "cmTC_"})) {
        told.remedies = {
            {"nvcc --version; gcc --version", Scope::look},
            fmt::format("cmake -B build-gcc{0} -DCMAKE_CUDA_HOST_COMPILER=g++-{0} ...   (an empty folder: the choice "
                        "is made at the first call; or CUDAHOSTCXX=g++-{0})",
                        *newest),
            {fmt::format("sudo apt install g++-{0}   (beside the other; undo: sudo apt remove g++-{0})", *newest),
             Scope::machine}};
        return;
    }
    const bool of_pip = contains_any(text, {"pip", "site-packages", "dist-packages", "setup.py", "torch", "egg-info"});
    told.remedies = {
        {"nvcc --version; gcc --version", Scope::look},
        of_pip
            ? fmt::format("CC=gcc-{0} CXX=g++-{0} NVCC_PREPEND_FLAGS='-ccbin g++-{0}' pip install "
                          "--no-build-isolation EXTENSION",
                          *newest)
            : fmt::format("NVCC_PREPEND_FLAGS='-ccbin g++-{0}' make   (or what else built it: nvcc reads it anywhere; "
                          "CUDA's samples: make HOST_COMPILER=g++-{0})",
                          *newest),
        {fmt::format("sudo apt install g++-{0}   (beside the other; undo: sudo apt remove g++-{0})", *newest),
         Scope::machine},
        {"conda install -c conda-forge gxx_linux-64=VERSION   (where the system has no such gcc any more; undo: conda "
         "remove gxx_linux-64)",
         Scope::environment}};
}

// What the installer of the toolkit wrote into its log.
void read_toolkit_installer(std::string_view text, std::size_t at, Explanation& told) {
    const auto around = text_near(text, at, 3000, 3000);
    if (contains_any(around, {"No space left on device", "enough space in /tmp", "Extraction failed"})) {
        told.meaning = "The installer unpacks some 10 GB into /tmp, which is full or too small.";
        told.remedies = {{"df -h /tmp /usr/local", Scope::look},
                         {"sudo sh cuda_VERSION_linux.run --tmpdir=/var/tmp --toolkit   (a folder with 15 GB free; the "
                          "toolkit alone)",
                          Scope::machine}};
    } else if (contains(around, "gcc")) {
        told.meaning =
            "The installer of the toolkit refuses this gcc: none is installed, or it is newer than that toolkit.";
        told.remedies = {
            {"gcc --version", Scope::look},
            {"sudo apt install gcc g++   (if there is none; undo: sudo apt remove gcc g++)", Scope::machine},
            {"sudo sh cuda_VERSION_linux.run --toolkit --override   (with a newer gcc: nvcc then needs -ccbin "
             "and an older one; undo: sudo /usr/local/cuda-VERSION/bin/cuda-uninstaller)",
             Scope::machine}};
    }
}

bool is_failed_installer(std::string_view text, std::size_t at) {
    return contains_any(text_near(text, at, 1500, 1500),
                        {"rror", "ail", "not installed", "Not Installed", "not Installed"});
}

bool is_torch_of_cpu(std::string_view text, std::size_t at) {
    return contains(line_around(text, at), "torch") &&
           !contains(text_near(text, at, 3000, 3000), "used to build PyTorch");
}

bool is_new_compiler(std::string_view text, std::size_t at) {
    const auto version = number_after(text.substr(at, 20), "/c++/");
    return version && *version >= 9 && !contains(line_around(text, at), "static assertion");
}

bool is_for_gpus(std::string_view text, std::size_t at) {
    return contains(text, "--no-build-isolation") || names_package_for_gpus(text_near(text, at, 2000, 500));
}

bool is_unbuilt(std::string_view text, std::size_t at) {
    const auto line = line_around(text, at);
    return contains(line, ".so: cannot open shared object") && contains(line, "ImportError");
}

}  // namespace

Functions install_functions() {
    return {.readings = {{"read_missing_module", read_missing_module},
                         {"tell_of_failed_build", tell_of_failed_build},
                         {"read_version_magic", read_version_magic},
                         {"read_installer", read_installer},
                         {"read_toolkit_installer", read_toolkit_installer},
                         {"read_newest_gcc", read_newest_gcc}},
            .conditions = {{"is_of_build", is_of_build},
                           {"is_failed_installer", is_failed_installer},
                           {"is_torch_of_cpu", is_torch_of_cpu},
                           {"is_new_compiler", is_new_compiler},
                           {"is_for_gpus", is_for_gpus},
                           {"is_unbuilt", is_unbuilt}}};
}

}  // namespace tocuda::doctor
