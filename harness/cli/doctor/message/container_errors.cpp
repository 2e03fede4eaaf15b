// tocuda, Apache-2.0.
// Containers, Kubernetes, Slurm and WSL: the GPU is there, and does not reach the program.
#include <string_view>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {

std::vector<KnownError> container_errors() {
    return {
        {.name = "GPU lost in a container",
         .needles = {"Failed to initialize NVML: Unknown Error"},
         .meaning =
             "The container lost access to the GPU's device nodes, as systemctl daemon-reload on the host causes.",
         .claims = {"000-02"},
         .remedies = {"docker run --device /dev/nvidia0 --device /dev/nvidiactl ...   (keeps access)",
                      "start the container again",
                      machine("\"exec-opts\": [\"native.cgroupdriver=cgroupfs\"]   (in /etc/docker/daemon.json)")}},
        {.name = "container runtime without NVIDIA",
         .needles = {"could not select device driver", "unknown or invalid runtime name: nvidia",
                     "Unknown runtime specified nvidia", "unresolvable CDI devices nvidia.com/gpu"},
         .meaning = "Docker does not know the NVIDIA runtime: the container toolkit is missing or not configured.",
         .claims = {"000-02"},
         .remedies = {look("nvidia-ctk --version; docker info | grep -i runtimes"),
                      machine("sudo apt install nvidia-container-toolkit && sudo nvidia-ctk runtime configure "
                              "--runtime=docker"),
                      others("sudo systemctl restart docker   (then; it stops the containers that run)")}},
        {.name = "container cannot get the driver",
         .needles = {"nvidia-container-cli: initialization error", "nvidia-container-cli: requirement error",
                     "nvidia-container-cli: mount error", "nvidia-container-cli: detection error",
                     "nvidia-container-cli.real: initialization error", "nvidia-container-cli: device error",
                     "nvidia-container-cli: ldcache error"},
         .meaning =
             "The NVIDIA container runtime cannot use the host's driver, or the image needs a newer CUDA than it has.",
         .claims = {"000-02", "001-04"},
         .remedies = {look("nvidia-smi   (on the host)"),
                      "docker run -e NVIDIA_DISABLE_REQUIRE=1 ...   (skips the image's check)"},
         .applies = [](std::string_view text,
                       std::size_t at) { return !contains(text_near(text, at, 0, 200), "version mismatch"); },
         .certain = false},
        {.name = "node of Kubernetes without GPUs",
         .needles = {"could not load NVML library", "Insufficient nvidia.com/gpu",
                     "libnvidia-ml.so.1: cannot open shared object file",
                     "failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND", "Incompatible strategy detected auto",
                     "If this is not a GPU node, you should set up a toleration"},
         .meaning =
             "The device plugin finds no driver on the node, or no node has a free GPU: the NVIDIA runtime is not "
             "the default of the node's container engine, the driver is missing there, or all are taken.",
         .remedies = {look("kubectl describe node NODE | grep -A8 -E 'Allocatable|nvidia.com/gpu'"),
                      look("kubectl logs -n kube-system -l name=nvidia-device-plugin-ds"),
                      machine(
                          "sudo nvidia-ctk runtime configure --runtime=containerd --set-as-default   (on the node)"),
                      others("sudo systemctl restart containerd   (on the node, then)")},
         .certain = false},
        {.name = "GPU out of WSL's reach",
         .needles = {"GPU access blocked by the operating system",
                     "WSL environment detected but no adapters were found",
                     "libdxcore.so: cannot open shared object file", "dxgkio_query_adapter_info: Ioctl failed",
                     "dxgkio_is_feature_enabled: Ioctl failed", "dxgkio_reserve_gpu_va: Ioctl failed", "dxgk: dxgkio_"},
         .meaning =
             "WSL passes the GPU through from Windows, and that fails: install or update the driver of Windows, never "
             "one inside WSL.",
         .claims = {"000-02"},
         .remedies = {look("ls -l /dev/dxg /usr/lib/wsl/lib; dpkg -l | grep -i nvidia"),
                      machine("wsl --update   (in Windows; and NVIDIA's current driver for Windows)"),
                      machine("sudo apt remove 'nvidia-driver-*' 'nvidia-utils-*' 'libnvidia-compute-*'   (in WSL, if "
                              "any was installed)"),
                      others("wsl --shutdown   (in Windows; ends everything in WSL)")}},
        {.name = "job killed for its memory",
         .needles = {"oom_kill event", "oom-kill event", "oom_kill\" event", "OOMKilled", "Exceeded job memory limit"},
         .meaning =
             "The job used more memory of the host than it was given, and the system killed a process of it. The "
             "GPU's memory has nothing to do with it.",
         .remedies = {look("sacct -j JOB --format=MaxRSS,ReqMem"),
                      "sbatch --mem=64G ...   (or a larger limit of the pod)",
                      "fewer workers of the DataLoader; load weights once for each node"}},
    };
}

}  // namespace tocuda::doctor
