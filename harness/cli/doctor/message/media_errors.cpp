// tocuda, Apache-2.0.
// Video, pictures and simulated worlds: FFmpeg and DALI, Blender, OptiX, Vulkan, Isaac Sim; and OpenCL with hashcat.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto with_video =
    "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,video,utility ...   (in a container: without "
    "\"video\" "
    "the driver's libraries for it are not passed in)";
constexpr auto with_graphics =
    "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all ...   (in a container: without \"graphics\" the driver's "
    "libraries for Vulkan, OpenGL and OptiX are not passed in)";
constexpr auto encoded_on_cpu = "ffmpeg ... -c:v libx264 ...   (the encoder on the CPU)";

// "Required: 12.2 Found: 12.1", "The minimum required Nvidia driver for nvenc is 570.0 or newer"
void read_driver_of_nvenc(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 300, 400);
    const auto needed = between(message, "Required: ", " Found: ");
    const auto found = between(message, " Found: ", "\n");
    if (needed && found && found->size() < 10)
        told.arithmetic.push_back(fmt::format("this FFmpeg speaks NVENC {}, and the driver has {}", *needed, *found));
    if (const auto driver = between(message, "driver for nvenc is ", " or newer"); driver && driver->size() < 12)
        told.arithmetic.push_back(fmt::format("it needs driver {} or newer", *driver));
}

// "OpenEncodeSessionEx failed: unsupported device (2): (no details)"
void read_session(std::string_view text, std::size_t at, Explanation& told) {
    const auto line = line_around(text, at);
    if (contains_any(text, {"Driver does not support the required nvenc API version"})) return;
    if (contains(line, "incompatible client key"))
        told.meaning =
            "The driver refuses the encoder to this program: its library libnvidia-encode is patched or of "
            "another version than the driver.";
    if (contains_any(line, {"out of memory", "OUT_OF_MEMORY", "nEncodeSessionEx: 10", "error 10", "(10)"})) {
        told.meaning =
            "NVENC had no room for another session: the memory of the GPU is full, or as many videos are "
            "encoded as GeForce GPUs allow at once (8, in older drivers 3 to 5).";
        told.remedies = {{"nvidia-smi; nvidia-smi encodersessions   (memory, and who encodes)", Scope::look},
                         "encode fewer videos at a time   (end your own FFmpeg processes that were left)",
                         encoded_on_cpu,
                         {"update the driver   (newer ones allow more sessions, and the open kernel module of 520 and "
                          "older had no encoder on GeForce; undo: the old one)",
                          Scope::machine}};
    }
}

std::vector<KnownError> errors_of_video() {
    constexpr auto what_it_has = look(
        "nvidia-smi --query-gpu=name,driver_version --format=csv; ffmpeg -hide_banner "
        "-encoders | grep nvenc");
    return {
        {.name = "driver too old for this NVENC",
         .needles = {"Driver does not support the required nvenc API version",
                     "The minimum required Nvidia driver for nvenc", "Driver does not support the required NVENC API"},
         .meaning = "FFmpeg was built with headers of NVENC that are newer than the driver.",
         .remedies = {look("nvidia-smi   (Driver Version)"),
                      machine("update the driver   (undo: install the old one again)"),
                      "use an older build of FFmpeg   (or one built with nv-codec-headers of the driver's age)",
                      encoded_on_cpu},
         .read = read_driver_of_nvenc,
         .rank = Rank::symptom},
        {.name = "library of the driver for video missing",
         .needles = {"Cannot load libnvidia-encode.so", "Cannot load libnvcuvid.so", "Failed loading nvcuvid",
                     "Cannot load nvEncodeAPI64.dll", "Cannot load nvcuvid.dll", "libnvcuvid.so.1: cannot open",
                     "libnvidia-encode.so.1: cannot open", "dlopen \"libnvcuvid.so\" failed",
                     "Failed to load libnvcuvid", "libnvcuvid.so: cannot open shared", "Failed to load nvcuvid"},
         .meaning =
             "libnvcuvid (decoder) or libnvidia-encode (encoder), which come with the driver, are not there: the "
             "container was not given them, or only a part of the driver is installed.",
         .remedies = {with_video,
                      look("ldconfig -p | grep -E 'nvcuvid|nvidia-encode'   (in the container, and on the "
                           "host)"),
                      machine(
                          "sudo apt install libnvidia-encode-VERSION libnvidia-decode-VERSION   (a server driver on "
                          "the host: the branch that nvidia-smi shows; undo: sudo apt remove them)")}},
        {.name = "no NVIDIA driver for FFmpeg",
         .needles = {"Cannot load nvcuda.dll", "Cannot load libcuda.so", "Could not dynamically load CUDA",
                     "Could not load libcuda", "Failed to load CUDA library"},
         .meaning =
             "The driver's library is not there: the machine has no NVIDIA GPU with a driver, or the container was "
             "not given it.",
         .remedies = {look("nvidia-smi   (is there an NVIDIA GPU with a driver?)"), with_video,
                      "ffmpeg ... -c:v libx264 ...   (without NVIDIA: the CPU; Intel: h264_qsv, AMD: h264_amf)"}},
        {.name = "NVENC refuses a session",
         .needles = {"OpenEncodeSessionEx failed", "nEncodeSessionEx: 10", "nEncodeSessionEx(&encodeSessionExParams",
                     "No capable devices found", "No NVENC capable devices found", "NV_ENC_ERR_UNSUPPORTED_DEVICE",
                     "NV_ENC_ERR_OUT_OF_MEMORY", "NV_ENC_ERR_NO_ENCODE_DEVICE", "No GPU found suitable for NVEnc"},
         .meaning =
             "This GPU has no encoder for it, or the driver's library is not that of the driver: A100, A30, H100 "
             "and other GPUs for computing, and some small ones (MX, GT 1030), have no NVENC.",
         .remedies = {what_it_has, encoded_on_cpu,
                      look("ldconfig -p | grep nvidia-encode; cat /proc/driver/nvidia/version   (of one version?)"),
                      with_video},
         .read = read_session,
         .rank = Rank::symptom},
        {.name = "NVDEC cannot decode this",
         .needles = {"cuvidCreateDecoder", "No decoder surfaces left", "cuvidGetDecoderCaps", "Codec h264_cuvid",
                     "Failed setup for format cuda", "Hardware is lacking required capabilities", "NVDEC NOT SUPPORTED",
                     "cuvid decode callback error"},
         .meaning = "The decoder of the GPU does not take this video (codec, 10 bit, 4:2:2, size), or had no memory or "
                    "surfaces left.",
         .remedies = {look("nvidia-smi   (free memory?); ffprobe -hide_banner INPUT   (codec, pixel format, size)"),
                      "ffmpeg -i INPUT ...   (without -hwaccel cuda and -c:v h264_cuvid: decodes on the CPU)",
                      "ffmpeg -hwaccel cuda -extra_hw_frames 8 ...   (if no surfaces are left)", with_video},
         .near = {"nvenc", "cuvid", "nvdec", "hwaccel", "NVDEC", "CUDA_ERROR", "cuda"},
         .rank = Rank::symptom},
    };
}

std::vector<KnownError> errors_of_opencl() {
    return {
        {.name = "hashcat finds no GPU",
         .needles = {"No devices found/left", "No OpenCL-compatible or CUDA-compatible platform found",
                     "No OpenCL, HIP or CUDA", "No OpenCL, Metal, HIP or CUDA", "No OpenCL or CUDA installation found",
                     "CL_DEVICE_NOT_FOUND", "CL_PLATFORM_NOT_FOUND_KHR", "No OpenCL compatible devices found"},
         .meaning = "hashcat found no device with OpenCL or CUDA: NVIDIA's own driver is not installed or not loaded "
                    "(nouveau, the free one, cannot compute), a virtual machine shows none, or only pocl and Mesa are "
                    "there.",
         .remedies = {look("nvidia-smi; lspci -nnk | grep -A3 -i nvidia; clinfo -l   (driver in use: nouveau?)"),
                      machine(
                          "sudo apt install nvidia-driver nvidia-opencl-icd nvidia-cuda-toolkit   (Kali and Debian: "
                          "then reboot; undo: sudo apt remove them; Ubuntu: sudo ubuntu-drivers install)"),
                      look("hashcat -I   (which devices it sees)")},
         .near = {"hashcat"}},
        {.name = "no OpenCL of NVIDIA's",
         .needles = {"No OpenCL device found", "CL_PLATFORM_NOT_FOUND_KHR", "clGetPlatformIDs failed: PLATFORM_NOT",
                     "clGetPlatformIDs failed: <unknown error -1001>", "clGetPlatformIDs(-1001)"},
         .meaning =
             "The program uses the GPU by OpenCL, and the loader of OpenCL finds no NVIDIA: the driver's part for "
             "it, or the file that names it, is missing (in containers it always is).",
         .remedies =
             {look("ls /etc/OpenCL/vendors; nvidia-smi; clinfo -l"),
              "mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd   (in a "
              "container)",
              "device_type='cuda'   (LightGBM, in a build with CUDA: needs no OpenCL)"},
         .near = {"GBM", "NVIDIA", "nvidia", "GPU", "gpu", "pyopencl"}},
        {.name = "kernel of OpenCL cannot be built",
         .needles = {"Could not build OpenCL program", "CL_BUILD_PROGRAM_FAILURE", "clBuildProgram(): "},
         .meaning =
             "The driver's compiler of OpenCL refused a kernel: the driver and its OpenCL library differ, or the "
             "program is older than the GPU.",
         .remedies = {look("clinfo -l; nvidia-smi; ls /etc/OpenCL/vendors"),
                      "use the program's build with CUDA instead of OpenCL   (GROMACS: conda create -n fresh -c "
                      "conda-forge 'gromacs=*=nompi_cuda*')",
                      "rm -r ~/.nv/ComputeCache   (a stale cache of the driver's; it is filled again)"},
         .near = {"NVIDIA", "nvidia", "GPU", "hashcat"}},
    };
}

std::vector<KnownError> errors_of_blender() {
    return {
        {.name = "Blender's kernel does not load",
         .needles = {"Failed to load CUDA kernel from", "Failed to load OptiX kernel from",
                     "CUDA binary kernel for this graphics card compute capability",
                     "OptiX kernel for this graphics card", "Failed to load CUDA kernel"},
         .meaning = "Blender's kernels are PTX of a CUDA newer than the driver, or have no code for this GPU.",
         .remedies = {look("nvidia-smi   (Driver Version; CUDA Version)"),
                      machine("update the driver   (undo: install the old one again)"),
                      "use an older Blender   (3.x needs driver 470 and newer, 4.x newer ones; GPUs before 5.0 need an "
                      "older Blender)"}},
        {.name = "Blender: GPU's memory full",
         .needles = {"Out of memory in cu", "System is out of GPU memory",
                     "System is out of GPU and shared host memory", "Out of memory in hip"},
         .meaning = "The scene needs more memory than the GPU has left: textures, geometry and the frame.",
         .remedies = {look("nvidia-smi   (who holds the rest? close other programs on the GPU)"),
                      "Render, Simplify: texture limit 2048; Performance, Memory: tile size 1024   (needs less memory)",
                      "Preferences, System, Cycles Render Devices: CUDA instead of OptiX, or CPU"},
         .near = {"lender", "ycles", "cuStream", "cuMem", "cuCtx", "queue", "GPU memory"}},
    };
}

std::vector<KnownError> errors_of_worlds() {
    constexpr auto vulkan = look(
        "vulkaninfo --summary; ls /etc/vulkan/icd.d /usr/share/vulkan/icd.d   (nvidia_icd.json there? only llvmpipe?)");
    return {
        {.name = "no Vulkan of NVIDIA's",
         .needles = {"VkResult: ERROR_INCOMPATIBLE_DRIVER", "VK_ERROR_INCOMPATIBLE_DRIVER",
                     "Cannot find a compatible Vulkan driver", "vkCreateInstance failed",
                     "No device could be created. Some known system issues", "Failed to create any GPU devices",
                     "VkResult: ERROR_INITIALIZATION_FAILED", "Found no Vulkan devices", "no Vulkan devices",
                     "Vulkan 1.1 is not supported, or your driver requires an update"},
         .meaning = "Vulkan finds no driver of NVIDIA's: the container was not given its graphics part, the file "
                    "nvidia_icd.json is missing, or a driver for servers was installed without it. CUDA may work all "
                    "the same.",
         .remedies = {vulkan, with_graphics,
                      "VK_ICD_FILENAMES=/usr/share/vulkan/icd.d/nvidia_icd.json PROGRAM ...   (or /etc/vulkan/icd.d)",
                      machine(
                          "sudo apt install libnvidia-gl-VERSION   (the branch that nvidia-smi shows; undo: sudo apt "
                          "remove it)")},
         .rank = Rank::symptom},
        {.name = "GPU lost while it drew",
         .needles = {"VkResult: ERROR_DEVICE_LOST", "VK_ERROR_DEVICE_LOST", "A GPU crash occurred",
                     "GPU crash is detected", "DXGI_ERROR_DEVICE_REMOVED", "DXGI_ERROR_DEVICE_HUNG"},
         .meaning = "The GPU was reset under the program: its memory was full, the driver is of a version that the "
                    "program was not tested with, or the GPU has a fault (power, heat, clocks).",
         .remedies = {look("sudo dmesg | grep -iE 'xid|nvrm'   (which error was it?)"),
                      look("nvidia-smi   (memory, and the driver's version: the program's page of requirements names "
                           "those it was tested with)"),
                      "render less at once   (a smaller window, fewer cameras, or headless)",
                      machine("install the driver that the program's page names   (undo: the old one)")},
         .certain = false},
        {.name = "GPU's memory full",
         .needles = {"ERROR_OUT_OF_DEVICE_MEMORY", "VK_ERROR_OUT_OF_DEVICE_MEMORY",
                     "Out of GPU memory allocating resource"},
         .meaning = "The memory of the GPU is full: by this program or by others.",
         .remedies = {look("nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (who holds it)"),
                      "use fewer environments, smaller pictures or textures"}},
        {.name = "GPU's memory full",
         .needles = {"PxgCudaDeviceMemoryAllocator fail to allocate memory"},
         .meaning = "PhysX got no memory on the GPU: it is full, by the simulation, by what is drawn, or by others.",
         .remedies = {look("nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (who holds it)"),
                      "use fewer environments   (--num_envs), or --headless",
                      "gpu_max_rigid_contact_count, gpu_heap_capacity, ...: smaller   (Isaac Lab: PhysxCfg)"}},
        {.name = "PhysX fails on the GPU",
         .needles = {"PhysX Internal CUDA error", "PhysX error: GPU", "Failed to create CUDA context manager",
                     "GPU solver pipeline failed", "fail to launch kernel!!", "GPU narrowphase pipeline failed",
                     "switching to software"},
         .meaning =
             "A kernel of PhysX failed: most often a buffer of fixed size on the GPU was too small for the scene "
             "(a line before names it), its memory is full, or the bodies flew apart (NaN).",
         .remedies = {"gpu_max_rigid_contact_count, gpu_found_lost_pairs_capacity, ...: larger   (Isaac Lab: PhysxCfg; "
                      "the one that the log names)",
                      "use fewer environments   (--num_envs)", look("nvidia-smi   (free memory)"),
                      look("sudo dmesg | grep -iE 'xid|nvrm'")},
         .near = {"PhysX", "physx", "omni", "isaac", "gym", "Pxg"}},
        {.name = "harmless words of Isaac Sim",
         .needles = {"Skipping unsupported non-NVIDIA GPU"},
         .meaning = "Isaac Sim leaves out the GPU of another maker and goes on with that of NVIDIA, if there is one.",
         .remedies = {look("nvidia-smi; vulkaninfo --summary   (is there one of NVIDIA's?)")},
         .rank = Rank::notice},
    };
}

}  // namespace

std::vector<KnownError> media_errors() {
    auto all = errors_of_video();
    for (const auto& family : {errors_of_opencl, errors_of_blender, errors_of_worlds}) {
        auto some = family();
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

}  // namespace tocuda::doctor
