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

constexpr auto log_of_installer =
    "tail -30 /var/log/nvidia-installer.log; sudo dmesg | tail   (the first error is why)";
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

}  // namespace

std::vector<KnownError> install_errors() {
    return {
        {.name = "no module for this kernel",
         .needles = {"Module nvidia not found", "Module nvidia-uvm not found", "Module nvidia_uvm not found",
                     "module nvidia not found", "Module nvidia-current not found", "Module nvidia-modeset not found",
                     "Module nvidia-drm not found", "Module nvidia_drm not found", "unable to load the nvidia-",
                     "module not found: 'nvidia", "Failed to find module 'nvidia"},
         .meaning = "There is no module nvidia for the kernel that runs: no driver is installed, or it was built for "
                    "another kernel only, as before an update of the kernel. In a container it belongs to the host.",
         .claims = {"000-02"},
         .remedies = {look("uname -r; dkms status; find /lib/modules -name 'nvidia.ko*'"), machine(build_for_kernel),
                      look("tocuda doctor   (on that machine: names the driver package if none is installed)")},
         .read = read_missing_module,
         .certain = false},
        {.name = "driver's module cannot be built",
         .needles = {"Bad return status for module build on kernel",
                     "Unable to build the NVIDIA kernel module",
                     "performing the step: \"Building kernel modules\"",
                     "The NVIDIA kernel module was not created",
                     "Unable to find the kernel source tree",
                     "kernel headers for kernel",
                     "kernel headers for module nvidia",
                     "dkms: autoinstall for kernel",
                     "DKMS module 'nvidia",
                     "dkms build -m nvidia",
                     "Building DKMS module: nvidia",
                     "Failed to install the kernel module through DKMS",
                     "Checking to see whether the nvidia kernel module was successfully built",
                     "/var/lib/dkms/nvidia",
                     "/usr/src/nvidia-",
                     "NVIDIA-Linux-x86_64-",
                     "NVIDIA-Linux-aarch64-",
                     "common/inc/nv",
                     "/kernel-open/nvidia",
                     "kernel-open/nvidia"},
         .meaning = "The driver's module could not be compiled for this kernel: its headers are missing or are those "
                    "of another kernel, or the kernel is newer (or its compiler another) than this driver knows.",
         .claims = {"000-02"},
         .remedies = {look("tail -40 /var/lib/dkms/nvidia/*/build/make.log   (its first line with \"error\"; or "
                           "/var/log/nvidia-installer.log)"),
                      look("uname -r; dkms status; dpkg -l linux-headers-$(uname -r) | tail -1"),
                      machine(build_for_kernel),
                      machine("install a newer driver, or boot an older kernel   (where the headers are there)")},
         .read = tell_of_failed_build,
         .applies = is_of_build},
        {.name = "module of another kernel or driver",
         .needles = {"could not insert 'nvidia': Exec format error", "could not insert 'nvidia': Invalid argument",
                     "could not insert 'nvidia_uvm': Unknown symbol", "could not insert 'nvidia_drm': Unknown symbol",
                     "could not insert 'nvidia_modeset': Unknown symbol", "could not insert 'nvidia': Unknown symbol",
                     "disagrees about version of symbol nv", "nvidia: version magic",
                     "nvidia: disagrees about version"},
         .meaning = "The kernel refuses the module: it was built for another kernel, or its parts (nvidia, nvidia_uvm, "
                    "nvidia_drm) are of several versions of the driver.",
         .claims = {"000-02"},
         .remedies = {look("sudo dmesg | tail; uname -r; modinfo nvidia | grep -E '^version|vermagic'"),
                      look("dkms status; dpkg -l | grep -i nvidia   (two drivers, of a package and of a runfile?)"),
                      machine(build_for_kernel), others("sudo reboot   (after an update of the kernel or driver)")},
         .read = read_version_magic},
        {.name = "driver was built with another compiler",
         .needles = {"gcc version check failed", "CC version check failed",
                     "does not exactly match the compiler used to build"},
         .meaning = "The kernel was built with another version of gcc than the one that builds the driver's module.",
         .remedies = {look("cat /proc/version; gcc --version"),
                      machine("sudo apt install gcc-12 && sudo env CC=gcc-12 sh NVIDIA-Linux-x86_64-VERSION.run   (the "
                              "version that /proc/version names)")},
         .near = {"nvidia", "NVIDIA"}},
        {.name = "installer cannot load the module",
         .needles = {"Unable to load the kernel module 'nvidia", "Unable to load the 'nvidia",
                     "Install of driver component failed", "Installation has failed.  Please see the file"},
         .meaning = "The installer built the module and the kernel refused it, or an earlier step failed: Secure Boot "
                    "and a module without a key, headers or gcc of another kernel, nouveau in the way, or a GPU that "
                    "this version does not support.",
         .remedies = {look(log_of_installer),
                      look("mokutil --sb-state   (enabled: the module needs a key that is enrolled, or switch it off)"),
                      look("lsmod | grep nouveau; uname -r; gcc --version"),
                      machine("sudo ubuntu-drivers install --gpgpu   (Ubuntu: its packages are signed)")},
         .read = read_installer,
         .near = {"nvidia", "NVIDIA"},
         .rank = Rank::symptom},
        {.name = "another driver holds the GPU",
         .needles = {"NVIDIA probe routine was not called", "was loaded and obtained ownership of",
                     "Nouveau kernel driver is currently in use", "The kernel module nouveau is in use",
                     "ERROR: The Nouveau kernel driver"},
         .meaning = "Another driver took the GPU before NVIDIA's: nouveau, the free driver of Linux, or vfio-pci, "
                    "which keeps it for a virtual machine.",
         .claims = {"000-02"},
         .remedies = {look("lspci -nnk -d 10de:   (\"Kernel driver in use\")"), machine(blacklist),
                      look("grep -r vfio /etc/modprobe.d /proc/cmdline   (vfio-pci: is it kept on purpose?)")}},
        {.name = "installer of the toolkit failed",
         .needles = {"/var/log/cuda-installer.log", "cuda-installer.log for details", "Failed to verify gcc version",
                     "Using unsupported Compiler", "Existing package manager installation of the driver found"},
         .meaning = "The runfile of the CUDA toolkit stopped, most often at the driver that it brings: one is already "
                    "installed, or is in use. The toolkit needs no other driver.",
         .remedies = {look("tail -30 /var/log/cuda-installer.log; tail -30 /var/log/nvidia-installer.log   (the first "
                           "[ERROR] is why)"),
                      machine(
                          "sudo sh cuda_VERSION_linux.run --silent --toolkit   (the toolkit without the driver; undo: "
                          "sudo /usr/local/cuda-VERSION/bin/cuda-uninstaller)"),
                      look("df -h /tmp; gcc --version   (10 GB free, and a gcc that this toolkit knows?)")},
         .read = read_toolkit_installer,
         .rank = Rank::symptom},
        {.name = "installer of the toolkit fails on Windows",
         .needles = {"NVMsiPhase", "Nsight Visual Studio Edition", "CUDAVisualStudioIntegration"},
         .meaning =
             "The Windows installer of the CUDA toolkit fails at Nsight or at the integration into Visual Studio, and "
             "takes the rest back. Building with nvcc does not need Nsight.",
         .remedies =
             {machine("start the installer again: Custom, without \"Nsight Visual Studio Edition\" and \"Visual Studio "
                      "Integration\"   (undo: Apps, uninstall)"),
              machine("close Visual Studio, uninstall the older Nsight in Apps, and start it again   (with the "
                      "integration, which CMake's Visual Studio generator needs)"),
              machine("cuda_VERSION_windows.exe -s nvcc_12.8 cudart_12.8 cublas_dev_12.8   (only these parts; undo: "
                      "Apps, uninstall)")},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return contains_any(text_near(text, at, 1500, 1500),
                                     {"rror", "ail", "not installed", "Not Installed", "not Installed"});
             },
         .certain = false},
        {.name = "old module still in use",
         .needles = {"appears to already be loaded in your kernel", "You appear to be running an X server",
                     "Module nvidia is in use", "Module nvidia_drm is in use", "Module nvidia_uvm is in use",
                     "Module nvidia_modeset is in use"},
         .meaning =
             "The loaded module is in use by programs (a display, a container, a daemon) and cannot be replaced.",
         .remedies =
             {look("lsmod | grep nvidia; fuser -v /dev/nvidia*   (who uses it; as root also programs of others)"),
              others("sudo systemctl isolate multi-user.target   (ends the graphical session); sudo systemctl stop "
                     "nvidia-persistenced"),
              others("reboot without the display and install then   (ends every program of the machine)")},
         .near = {"nvidia", "NVIDIA"}},
        {.name = "installer of Windows finds no GPU that fits",
         .needles = {"graphics driver could not find compatible graphics hardware",
                     "is not compatible with this version of Windows", "NVIDIA Installer failed",
                     "NVIDIA installer failed", "NVIDIA Installer cannot continue"},
         .meaning = "This package of the driver is for another GPU, notebook or Windows, or an older installation is "
                    "in its way.",
         .remedies = {machine("choose the driver by the exact GPU and Windows: https://www.nvidia.com/drivers"),
                      machine("install it with \"Perform a clean installation\"   (it removes the old settings)")},
         .near = {"nvidia", "NVIDIA"}},
        {.name = "conda sees no driver",
         .needles = {"nothing provides __cuda", "__cuda ==", "feature:|@/linux-64::__cuda", "requires '__cuda"},
         .meaning =
             "conda installs builds for CUDA only where it finds a driver, and here is none, or one for an older CUDA.",
         .remedies = {look("nvidia-smi; conda info | grep __cuda"),
                      "CONDA_OVERRIDE_CUDA=12.6 conda install ...   (on a machine without a GPU, for another one)"}},
        {.name = "PyTorch without CUDA",
         .needles = {"-cpu_", "_cpu_0", "cpu_generic_py", "cpu_mkl_py", "+cpu"},
         .meaning = "This PyTorch was built for the CPU. pip installs that on Windows unless PyTorch's own index is "
                    "named; conda where it saw no driver, or where the channel of the CUDA builds was missing.",
         .claims = {"004-06"},
         .remedies =
             {look("python -c 'import torch; print(torch.__version__, torch.version.cuda)'"),
              "{torch}   (a new environment; the old one stays as it is)",
              "CONDA_OVERRIDE_CUDA=12.6 conda create -n fresh -c conda-forge pytorch-gpu   (conda's own build)"},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return contains(line_around(text, at), "torch") &&
                        !contains(text_near(text, at, 3000, 3000), "used to build PyTorch");
             },
         .rank = Rank::notice},
        {.name = "compiler too new for nvcc",
         .needles = {"unsupported GNU version! gcc versions later than", "unsupported Microsoft Visual Studio version",
                     "unsupported clang version", "parameter packs not expanded with", "error STL1002",
                     "exception specification is incompatible with that of previous function", "identifier \"__is_",
                     "identifier \"_Float32\"", "argument to attribute \"__mode__\"", "identifier \"__Float32x4_t\"",
                     "identifier \"__builtin_", "'cudafe++' died", "error -- unsupported GNU version",
                     "identifier \"char8_t\"", "No supported gcc/g++ host compiler found"},
         .meaning = "nvcc refuses a host compiler newer than those it knows, or does not understand its headers.",
         .remedies =
             {look("nvcc --version; gcc --version"),
              "CC=gcc-12 CXX=g++-12 NVCC_PREPEND_FLAGS='-ccbin g++-12' pip install --no-build-isolation EXTENSION",
              machine("sudo apt install g++-12   (beside the other; undo: sudo apt remove g++-12)")},
         .read = read_newest_gcc},
        {.name = "compiler too new for nvcc",
         .needles = {"/include/c++/"},
         .meaning = "nvcc does not understand the headers of this gcc, which is newer than those it knows.",
         .remedies =
             {look("nvcc --version; gcc --version"),
              "CC=gcc-12 CXX=g++-12 NVCC_PREPEND_FLAGS='-ccbin g++-12' pip install --no-build-isolation EXTENSION",
              machine("sudo apt install g++-12   (beside the other; undo: sudo apt remove g++-12)")},
         .read = read_newest_gcc,
         .applies =
             [](std::string_view text, std::size_t at) {
                 const auto version = number_after(text.substr(at, 20), "/c++/");
                 return version && *version >= 9 && !contains(line_around(text, at), "static assertion");
             },
         .in_line = {"): error: "},
         .rank = Rank::symptom},
        {.name = "host compiler that nvcc does not know",
         .needles = {"of the host compiler ('", "the host compiler is not supported", "Unsupported host compiler"},
         .meaning = "nvcc was given a host compiler that it does not know in this version: clang, as by CC, CXX or "
                    "CUDAHOSTCXX, or by /usr/bin/c++.",
         .remedies =
             {"CC=gcc CXX=g++ CUDAHOSTCXX=g++ cmake -B build2 ...   (an empty folder: the choice is made at the first "
              "call; of pip: the same before it)",
              look("echo $CC $CXX $CUDAHOSTCXX; ls -l /usr/bin/c++ /usr/bin/cc"),
              "NVCC_PREPEND_FLAGS='-ccbin g++' ...   (before the same command: nvcc reads it anywhere)"}},
        {.name = "host compiler of the wrong age",
         .needles = {"than the minimum required version by CUDA", "than the maximum required version by CUDA",
                     "too old version of GCC"},
         .meaning = "PyTorch builds an extension only with a g++ that this CUDA knows, and the one on PATH is older or "
                    "newer; the line says which ones are right.",
         .remedies = {look("g++ --version; ls /usr/bin/g++-*"),
                      "CC=gcc-11 CXX=g++-11 pip install --no-build-isolation EXTENSION   (one of that range)",
                      environment("conda install -c conda-forge gxx_linux-64=11   (undo: conda remove gxx_linux-64)"),
                      "scl enable devtoolset-11 bash   (CentOS 7; then build there)"}},
        {.name = "package that a build needs is missing",
         .needles = {"No module named 'wheel'", "No module named 'packaging'", "No module named 'setuptools'",
                     "No module named 'ninja'", "No module named 'psutil'", "No module named 'pybind11'",
                     "No module named 'pkg_resources'", "No module named 'Cython'", "invalid command 'bdist_wheel'",
                     "No module named 'skbuild'", "No module named 'scikit_build_core'"},
         .meaning = "With --no-build-isolation an extension is built by what this environment has, and one of the "
                    "packages that its setup.py imports is not there.",
         .remedies = {environment(
                          "pip install wheel packaging setuptools ninja psutil   (then the same again; undo: pip "
                          "uninstall those that it installed)"),
                      "install a wheel of the extension that is built for this torch and CUDA instead"},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return contains(text, "--no-build-isolation") ||
                        names_package_for_gpus(text_near(text, at, 2000, 500));
             }},
        {.name = "extension that was never built",
         .needles = {"torch_extensions/"},
         .meaning = "PyTorch builds this extension when it is first used, and that had failed or not ended before: its "
                    "folder is there and the library in it is not.",
         .remedies = {"read the first error above this one, or further up in the log   (a compiler's, or FAILED)",
                      "rm -r ~/.cache/torch_extensions/FOLDER   (the one of the text; it is made again)",
                      "start once with one process   (several ranks that build at once wait for each other)",
                      look("nvcc --version; g++ --version; ninja --version   (all there, and of PyTorch's CUDA?)")},
         .applies =
             [](std::string_view text, std::size_t at) {
                 const auto line = line_around(text, at);
                 return contains(line, ".so: cannot open shared object") && contains(line, "ImportError");
             }},
    };
}

}  // namespace tocuda::doctor
