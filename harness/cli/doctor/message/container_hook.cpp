// tocuda, Apache-2.0.
// Why the hook of NVIDIA's container toolkit could not pass the driver into a container.
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

// "nvidia-container-cli: initialization error: driver error: failed to process request"
void tell_of_no_answer(std::string_view text, Explanation& told) {
    if (origin_of(text).wsl) {
        told.meaning =
            "The container toolkit gets no answer of WSL's driver: the Windows driver, WSL or the toolkit is too "
            "old, or WSL itself sees no GPU.";
        told.remedies = {
            {"nvidia-smi   (in WSL, outside the container: does it work there?)", Scope::look},
            {"wsl --update   (in Windows; and NVIDIA's current driver for Windows)", Scope::machine},
            {"sudo apt install --only-upgrade nvidia-container-toolkit   (or update Docker Desktop)", Scope::machine},
            {"wsl --shutdown   (in Windows, then; ends everything in WSL)", Scope::others}};
        return;
    }
    told.meaning =
        "The toolkit's helper could not use the driver of the host: libcuda.so.1 is not there or not whole, the driver "
        "hangs, or is just being loaded (the GPU operator does that).";
    if (contains(text, "CUDA Version: N/A")) {
        told.certain = true;
        told.arithmetic.emplace_back("nvidia-smi shows CUDA Version N/A: libcuda.so.1 is not on the host");
        told.remedies = {{"sudo apt install libcuda1   (Debian; Ubuntu: libnvidia-compute-BRANCH; of the driver's "
                          "version; undo: sudo apt remove libcuda1)",
                          Scope::machine},
                         {"ldconfig -p | grep -E 'libcuda.so|nvidia-ml'   (afterwards: both there?)", Scope::look}};
        return;
    }
    told.remedies = {
        {"nvidia-smi; ldconfig -p | grep -E 'libcuda.so|nvidia-ml'   (on the host: both there?)", Scope::look},
        {"nvidia-container-cli -k -d /dev/tty info   (on the host: where it stops)", Scope::look},
        {"sudo apt install libcuda1   (Debian, if libcuda.so.1 is missing; Ubuntu: libnvidia-compute-BRANCH; "
         "undo: sudo apt remove libcuda1)",
         Scope::machine}};
}

// "nvidia-container-cli: initialization error: cuda error: unknown error": it asks the host's CUDA.
// False if it is not about CUDA.
bool tell_of_cuda(std::string_view message, Explanation& told) {
    if (contains(message, "cuda error: unknown error")) {
        told.certain = true;
        told.meaning =
            "CUDA on the host itself answers unknown error (code 999), so the container is not the cause: nvidia_uvm "
            "is not loaded or stuck, or the GPU is switched off (Optimus laptops, after suspend).";
        told.remedies = {
            {"nvidia-smi; ls -l /dev/nvidia-uvm; sudo dmesg | grep -iE 'nvrm|xid'   (on the host)", Scope::look},
            {"sudo nvidia-modprobe -u -c=0   (on the host: loads nvidia_uvm and makes its node)", Scope::machine},
            {"sudo modprobe -r nvidia_uvm && sudo modprobe nvidia_uvm   (on the host; it refuses while any program "
             "uses a GPU)",
             Scope::others}};
    } else if (contains(message, "cuda error: ")) {
        told.meaning =
            "CUDA on the host itself fails, with the words after \"cuda error\": the container is not the cause.";
    } else {
        return false;
    }
    return true;
}

void tell_of_refused_mount(Explanation& told) {
    told.meaning =
        "The engine may not mount the driver's files where the container's own lie: a home folder without rights for "
        "others, a file system mounted noexec, nosuid or over a network, or an engine without root.";
    told.remedies = {
        {"docker info | grep -iE 'root dir|rootless|driver:'; findmnt -T FOLDER   (the folder of the text: which file "
         "system, whose?)",
         Scope::look},
        "docker run --gpus all ...   (without -v of a host's folder over /sys or /proc)",
        {"\"data-root\": \"/var/lib/docker\"   (in /etc/docker/daemon.json: a local disk; Enroot: ENROOT_DATA_PATH; "
         "undo: "
         "the old line)",
         Scope::machine},
        {"sudo systemctl restart docker   (then; it stops the containers that run)", Scope::others}};
}

// JetPack 4 and 5 pass libraries in that images for other machines have themselves.
void tell_of_image_for_servers(Explanation& told) {
    told.meaning =
        "The runtime of a Jetson with JetPack 4 or 5 puts the host's cuDNN and TensorRT into each container, and "
        "this image has its own there: it is for servers with ARM processors, not for a Jetson.";
    told.remedies = {
        {"cat /etc/nv_tegra_release   (on the Jetson: the release that the image has to be for)", Scope::look},
        "docker run --runtime nvidia nvcr.io/nvidia/l4t-tensorrt:TAG   (an image for Jetson of that "
        "release: l4t-tensorrt, l4t-ml, l4t-pytorch, dustynv/...)"};
}

bool tell_of_mount(std::string_view text, std::string_view message, Explanation& told) {
    if (contains(message, "file exists") && contains(message, "/aarch64-linux-gnu/") &&
        contains_any(message, {"cudnn", "nvinfer", "cublas", "tegra", "nvmedia", "nvonnx"})) {
        told.certain = true;
        tell_of_image_for_servers(told);
    } else if (contains(message, "file exists")) {
        told.certain = true;
        told.meaning =
            "The image has a library of the driver of its own, in place of which that of the host is to be put.";
        told.remedies = {
            "rm /usr/lib/x86_64-linux-gnu/lib{cuda,nvidia}*.so*   (in the Dockerfile: that file and those beside it)",
            "docker run --gpus all IMAGE ...   (another image, built without a driver)"};
    } else if (contains(message, "persistenced/socket")) {
        told.meaning =
            "The socket of nvidia-persistenced cannot be put into the container: the container mounts the host's "
            "/run or /var/run, or that service ended and left its socket.";
        told.remedies = {
            "docker run ...   (without -v /var/run or /run: only the socket that is needed)",
            {"sudo systemctl restart nvidia-persistenced   (on the host: makes the socket anew)", Scope::machine}};
    } else if (contains(message, "/wsl/")) {
        tell_of_wsl(text, told);
        told.remedies.insert(
            told.remedies.begin(),
            {"sudo apt install --only-upgrade nvidia-container-toolkit   (or update Docker Desktop)", Scope::machine});
    } else if (contains_any(message, {"permission denied", "operation not permitted"}) && contains(message, "mount ")) {
        tell_of_refused_mount(told);
    } else if (contains(message, "no such file or directory")) {
        told.meaning =
            "A file of the host's driver that belongs into the container is not there: the driver was updated "
            "or removed while it runs, or is only half installed.";
        told.remedies = {
            {"nvidia-smi; cat /proc/driver/nvidia/version; ldconfig -p | grep nvidia-ml   (on the host)", Scope::look},
            {"sudo reboot   (after an update of the driver: ends every program of the machine)", Scope::others}};
    } else {
        return false;
    }
    return true;
}

}  // namespace

void read_hook_of_container(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 0, 500);
    if (tell_of_cuda(message, told) || tell_of_mount(text, message, told)) return;
    if (contains(message, "executing hook")) {
        told.meaning =
            "The hook of NVIDIA's container toolkit failed and its words are not in the text: most often the "
            "device nodes are not there yet after a boot, or a rootless engine may not use cgroups.";
        told.remedies = {{"nvidia-smi; ls -l /dev/nvidia*   (on the host; it makes the nodes)", Scope::look},
                         {"sudo nvidia-modprobe -u -c=0   (makes /dev/nvidia-uvm; at each boot)", Scope::machine},
                         {write_cdi, Scope::machine},
                         "podman run --device nvidia.com/gpu=all ...   (CDI instead of the hook)"};
    } else if (contains(message, "ldconfig")) {
        told.certain = true;
        told.meaning = "The toolkit's settings name Ubuntu's ldconfig.real, which this system does not have.";
        told.remedies = {
            {"sudo nvidia-ctk config --set nvidia-container-cli.ldconfig=@/sbin/ldconfig --in-place   (undo: "
             "the same with @/sbin/ldconfig.real)",
             Scope::machine}};
    } else if (contains(message, "failed to process request")) {
        tell_of_no_answer(text, told);
    }
}

}  // namespace tocuda::doctor
