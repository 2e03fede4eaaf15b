// tocuda, Apache-2.0.
// Kubernetes, Slurm and Apptainer: the GPU is there, and does not reach the job.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

// `docker inspect` prints "OOMKilled: false" of a container that ended for another reason.
bool was_killed(std::string_view text, std::size_t at) {
    constexpr std::string_view field = "OOMKilled";
    auto rest = text.substr(at);
    if (!rest.starts_with(field)) return true;
    rest.remove_prefix(field.size());
    rest.remove_prefix(std::min(rest.find_first_not_of("\":= \t"), rest.size()));
    return !rest.starts_with("false");
}

constexpr auto restart_containerd = others("sudo systemctl restart containerd   (on the node, then; or k3s, rke2)");

// A list of pods names that container even where it runs.
bool is_failing_driver(std::string_view text, std::size_t at) {
    const auto rest = text.substr(at);
    if (rest.starts_with("Could not") || rest.starts_with("Failed to")) return true;
    if (rest.starts_with("NVIDIA Software Installer")) return contains_any(rest, {"ERROR", "Could not", "rror:"});
    return contains_any(line_around(text, at), {"CrashLoop", "Error", "rror:", "ailed", "BackOff", "nvidia-smi"});
}

// What is wrong on a node rather than in a job: "gres/gpu count reported lower than configured (0 < 1)".
bool tell_of_node(std::string_view line, Explanation& told) {
    if (!contains_any(line, {"reported lower", "gres.conf file"})) return false;
    told.meaning =
        "slurmd found fewer GPUs on that node than gres.conf and slurm.conf name: it started before the driver had "
        "made "
        "/dev/nvidia*, a GPU is gone, or gres.conf is not on that node.";
    told.remedies = {
        {"nvidia-smi -L; ls -l /dev/nvidia*; slurmd -G   (on the node: how many does each see?)", Scope::look},
        {"sudo nvidia-modprobe -u -c=0 && sudo systemctl enable nvidia-persistenced   (makes the nodes, and at each "
         "boot; undo: disable)",
         Scope::machine},
        {"sudo systemctl restart slurmd && sudo scontrol update nodename=NODE state=resume   (once the GPUs are there: "
         "the node takes jobs again)",
         Scope::others}};
    return true;
}

// "srun: error: Unable to create step for job 1234: Invalid generic resource (gres) specification"
void read_step(std::string_view text, std::size_t at, Explanation& told) {
    if (tell_of_node(line_around(text, at), told)) return;
    if (!contains(line_around(text, at), "create step for job")) return;
    told.meaning =
        "srun ran inside a job, and its step asks for GPUs that this job was not given: by its own options, or by "
        "variables SLURM_... that it inherited.";
    told.remedies = {
        {"echo $SLURM_JOB_ID; scontrol show job $SLURM_JOB_ID | grep -i tres   (what has the job?)", Scope::look},
        "sbatch --gres=gpu:1 ...   (the job asks for them, and srun within it does not)",
        "unset ${!SLURM_@} && sbatch ...   (bash: submits a job of its own from within a job; or submit "
        "it on a login node)"};
}

// "Failed to initialize NVML: could not load NVML library."
void tell_of_plugin(std::string_view text, Explanation& told) {
    told.meaning =
        "The device plugin runs in a container without the driver's libraries: the NVIDIA runtime is not the default "
        "of "
        "the node's container engine (or the pod has no runtimeClassName), or the node has no driver.";
    const bool docker = contains_any(text, {"docker version", "Docker Engine", "daemon.json"});
    told.remedies = {
        {"nvidia-smi; grep -A3 nvidia /etc/containerd/config.toml   (on the node: a driver, and a runtime?)",
         Scope::look},
        {docker
             ? "sudo nvidia-ctk runtime configure --runtime=docker --set-as-default   (on the node whose engine is "
               "Docker; undo: remove \"default-runtime\" from /etc/docker/daemon.json)"
             : "sudo nvidia-ctk runtime configure --runtime=containerd --set-as-default   (on the node; undo: remove "
               "\"nvidia\" from /etc/containerd/config.toml)",
         Scope::machine},
        "runtimeClassName: nvidia   (in the plugin's pod and in those with GPUs, where it is not the default: k3s, "
        "rke2)",
        {docker ? "sudo systemctl restart docker   (on the node, then; it stops its containers)"
                : "sudo systemctl restart containerd   (on the node, then; or k3s, rke2)",
         Scope::others}};
}

// "Allocatable: ... nvidia.com/gpu: 1" beside "Insufficient nvidia.com/gpu": the node offers GPUs.
void read_allocatable(std::string_view text, std::size_t, Explanation& told) {
    if (contains_any(text,
                     {"could not load NVML library", "ERROR_LIBRARY_NOT_FOUND", "Incompatible strategy detected"}))
        return tell_of_plugin(text, told);
    if (contains(text, "endpoint not found in cache for a registered resource")) {
        told.meaning =
            "The kubelet was restarted, and the device plugin has not registered with it again: the GPU is counted "
            "and cannot be given out.";
        told.certain = true;
        told.remedies = {
            {"kubectl get pods -A -o wide | grep nvidia-device-plugin   (does it run on that node?)", Scope::look},
            {"kubectl delete pod -n kube-system POD   (the plugin's pod on that node: it is started again and "
             "registers; with the GPU operator: -n gpu-operator)",
             Scope::machine}};
        return;
    }
    const auto begin = text.find("Allocatable:");
    if (begin == std::string_view::npos || !contains(text, "Insufficient nvidia.com/gpu")) return;
    const auto gpus = number_after(text.substr(begin, 600), "nvidia.com/gpu:");
    if (!gpus || *gpus < 1) return;
    told.meaning = fmt::format(
        "The node offers nvidia.com/gpu: {}, so its driver, plugin and runtime work: the pod asks for more, or others "
        "have taken them.",
        *gpus);
    told.certain = true;
    told.remedies = {
        {"kubectl describe node NODE | grep -A12 'Allocated resources'   (how many are taken?)", Scope::look},
        {"kubectl get pods -A -o wide | grep NODE   (by whom?)", Scope::look},
        "resources: {limits: {nvidia.com/gpu: 1}}   (in the pod: at most what one node has)"};
}

void read_apptainer(std::string_view text, std::size_t, Explanation& told) {
    if (!origin_of(text).jetson) return;
    told.meaning =
        "--nv looks for the libraries of usual drivers, and on a Jetson they have other names and lie in tegra's "
        "folder.";
    told.remedies = {
        "apptainer exec --nv --nvccli IMAGE ...   (lets NVIDIA's container toolkit choose the files)",
        "docker run --runtime nvidia ...   (what NVIDIA supports there, with an image for this JetPack)",
        {"ls /usr/lib/aarch64-linux-gnu/tegra /usr/lib/aarch64-linux-gnu/nvidia   (to name in nvliblist.conf)",
         Scope::look}};
}

}  // namespace

std::vector<KnownError> cluster_errors() {
    return {
        {.name = "image needs a newer driver",
         .needles = {"container was built for NVIDIA Driver Release"},
         .meaning =
             "This image was built for a newer driver than the host has, and the GPU or the driver does not allow "
             "it to bring its own libcuda (forward compatibility). Both versions are in the text.",
         .remedies =
             {look("nvidia-smi   (on the host: its driver)"),
              "docker run --gpus all IMAGE:TAG   (an older tag, whose release notes name a driver that the host "
              "has)",
              others("install the driver that the text names, or a newer one, on the host   (restarts it)")},
         .near = {"UNAVAILABLE"}},
        {.name = "no GPU on the Kubernetes node",
         .needles = {"could not load NVML library", "Insufficient nvidia.com/", "didn't have enough resources: GPUs",
                     "endpoint not found in cache for a registered resource: nvidia.com",
                     "failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND", "Incompatible strategy detected auto",
                     "If this is not a GPU node, you should set up a toleration", "Incompatible platform detected",
                     "libnvidia-ml.so.1: cannot open shared object file", "unavailable for nvidia.com/gpu",
                     "error validating driver installation", "error validating toolkit installation",
                     "toolkit is not ready", "toolkit-validation"},
         .meaning = "The device plugin finds no driver on the node, or no node has a free GPU: the NVIDIA runtime is "
                    "not the default of the node's container engine, the driver is missing there, or all are taken.",
         .remedies = {look("kubectl describe node NODE | grep -A8 -E 'Allocatable|nvidia.com/gpu'"),
                      look("kubectl logs -n kube-system -l name=nvidia-device-plugin-ds"),
                      look("nvidia-smi; ldconfig -p | grep nvidia-ml   (on the node: is its driver complete?)"),
                      machine("sudo nvidia-ctk runtime configure --runtime=containerd --set-as-default   (on the node; "
                              "undo: remove \"nvidia\" from /etc/containerd/config.toml)"),
                      restart_containerd,
                      machine("sudo nvidia-ctk runtime configure --runtime=docker --set-as-default   (only where the "
                              "node's engine is Docker; then restart Docker; undo: remove \"default-runtime\" from "
                              "/etc/docker/daemon.json)")},
         .read = read_allocatable,
         .certain = false},
        {.name = "MIG layout that the device plugin refuses",
         .needles = {"invalid MIG configuration", "with migEnabled=true was not configured correctly",
                     "More than one MIG device type present on node", "No MIG devices associated with",
                     "devices on the node must be configured with the same migEnabled value",
                     "error visiting MIG device"},
         .meaning =
             "The device plugin ends because the node's MIG instances do not fit its strategy: with \"single\" "
             "all GPUs have MIG on and instances of one kind; a GPU with MIG on and no instance is refused, too.",
         .remedies =
             {look("nvidia-smi -L   (on the node: MIG on for which GPUs, with which instances?)"),
              machine("helm upgrade ... --set migStrategy=mixed   (GPU operator: mig.strategy=mixed; for instances of "
                      "several kinds, or MIG on some GPUs only; undo: =single)"),
              machine("sudo nvidia-smi mig -i 0 -cgi PROFILE,PROFILE -C   (on the node: makes instances where there "
                      "are none; profiles: nvidia-smi mig -lgip; undo: -dci, then -dgi)"),
              machine("kubectl delete pod -n kube-system POD   (the plugin's on that node, after a change: it reads "
                      "them anew; GPU operator: -n gpu-operator)")},
         .read =
             [](std::string_view text, std::size_t at, Explanation& told) {
                 if (!contains(text_near(text, at, 300, 600), "nsufficient Pe")) return;
                 told.meaning = "The device plugin may not see the MIG instances of the node.";
                 told.remedies = {
                     "env: [{name: NVIDIA_MIG_MONITOR_DEVICES, value: all}]   (in the plugin's container)"};
             }},
        {.name = "containerd without the NVIDIA runtime",
         .needles = {"no runtime for \"nvidia\" is configured", "RuntimeHandler \"nvidia\" not supported",
                     "runtime \"nvidia\" binary not installed", "runtime handler \"nvidia\" not"},
         .meaning = "The pod asks for the runtime \"nvidia\", which the container engine of that node does not know.",
         .remedies = {look("grep -A3 nvidia /etc/containerd/config.toml; nvidia-ctk --version   (on the node)"),
                      machine("sudo nvidia-ctk runtime configure --runtime=containerd   (on the node)"),
                      restart_containerd}},
        {.name = "unhealthy GPU on the Kubernetes node",
         .needles = {"no healthy devices present; cannot allocate unhealthy devices nvidia.com"},
         .meaning = "The device plugin saw an Xid of that GPU, or lost it, and gives it to no pod any more.",
         .remedies = {look("sudo dmesg | grep -iE 'xid|nvrm'; nvidia-smi   (on the node: says which fault)"),
                      others("kubectl delete pod -n kube-system -l name=nvidia-device-plugin-ds   (once the GPU is "
                             "well: it is checked anew)")}},
        {.name = "driver container does not start",
         .needles = {"nvidia-driver-daemonset", "nvidia-driver-ctr", "k8s-driver-manager", "uninstall_driver",
                     "Could not unload NVIDIA driver kernel modules", "Could not resolve Linux kernel version",
                     "Failed to uninstall nvidia driver components", "nvidia-driver-validation",
                     "NVIDIA Software Installer ="},
         .meaning =
             "The GPU operator's container that installs the driver on the node failed: the node already has a "
             "driver or nouveau loaded, there are no packages for its kernel, or Secure Boot refuses the module.",
         .remedies = {look("kubectl logs -n gpu-operator -l app=nvidia-driver-daemonset --all-containers --tail=40"),
                      look("lsmod | grep -E 'nvidia|nouveau'; uname -r; mokutil --sb-state   (on the node)"),
                      machine("helm upgrade ... --set driver.enabled=false   (where the node has a driver of its own; "
                              "undo: =true)"),
                      machine(
                          "helm upgrade ... --set driver.version=VERSION   (one that has this kernel; undo: the old "
                          "one)")},
         .applies = is_failing_driver},
        {.name = "GPU operator waits for a step",
         .needles = {"nvidia-operator-validator", "nvidia-cuda-validator", "nvidia-device-plugin-daemonset",
                     "nvidia-container-toolkit-daemonset", "gpu-feature-discovery", "nvidia-dcgm-exporter"},
         .meaning = "The operator's pods wait for one another: driver, then container toolkit, then plugin. The first "
                    "that fails holds all up, and the validator's containers say which step it is.",
         .remedies = {look("kubectl logs -n gpu-operator -l app=nvidia-operator-validator --all-containers --prefix "
                           "--tail=10"),
                      look(
                          "kubectl describe pod -n gpu-operator -l app=nvidia-operator-validator | tail -20   (Events: "
                          "no runtime \"nvidia\"?)"),
                      look("nvidia-smi; ls /run/nvidia/validations; grep -A3 nvidia /etc/containerd/config.toml   (on "
                           "the node)")},
         .in_line = {"Init:", "CrashLoop", "BackOff", "Error"},
         .rank = Rank::symptom},
        {.name = "Apptainer finds no driver",
         .needles = {"Could not find any nv files", "Could not find any NVIDIA", "nvliblist.conf",
                     "nv files may not be bound"},
         .meaning =
             "--nv passes in the libraries of the host's driver that ldconfig knows and nvliblist.conf names, and "
             "found none: the host, a virtual machine perhaps, has no driver, or it lies elsewhere.",
         .remedies =
             {look("nvidia-smi; ldconfig -p | grep -E 'libcuda|nvidia-ml'   (on the host, outside the container)"),
              "apptainer exec --nv IMAGE nvidia-smi   (--nv before the image, and without --writable)",
              machine("echo DRIVER_FOLDER | sudo tee /etc/ld.so.conf.d/nvidia.conf && sudo ldconfig   (where the "
                      "libraries lie elsewhere; undo: remove that file)"),
              "apptainer exec --nv --env LD_LIBRARY_PATH=/usr/lib/wsl/lib --bind /usr/lib/wsl IMAGE ...   (WSL)"},
         .read = read_apptainer},
        {.name = "Slurm does not know the GPU",
         .needles = {"Invalid generic resource (gres) specification", "gres/gpu: count reported lower than configured",
                     "can't stat gres.conf file /dev/nvidia", "Waiting for gres.conf file /dev/nvidia",
                     "gres/gpu count reported lower", "Requested node configuration is not available"},
         .meaning = "The request for GPUs does not fit what Slurm was told of them: a wrong type or partition in the "
                    "job, or gres.conf names devices that a node does not have (its driver is not loaded).",
         .remedies = {look("sinfo -o '%P %N %G'   (which partition has which GPUs?)"),
                      look("ls -l /dev/nvidia*; nvidia-smi -L; slurmd -G   (on the node)"),
                      "sbatch --partition=PARTITION --gres=gpu:TYPE:1 ...   (as sinfo names them)"},
         .read = read_step},
        {.name = "GPUs twice in gres.conf",
         .needles = {"gres.conf duplicate records"},
         .meaning = "gres.conf names the same GPUs twice, most often by AutoDetect=nvml and by lines with Name=gpu, "
                    "and slurmd does not start.",
         .remedies = {look("cat /etc/slurm/gres.conf; slurmd -G   (on the node)"),
                      others("AutoDetect=nvml   (alone, without the lines with File=; or those alone; undo: the old "
                             "file; then: sudo systemctl restart slurmd)")}},
        {.name = "Slurm without NVML",
         .needles = {"configured to autodetect nvml", "autodetect nvml functionality"},
         .meaning = "gres.conf says AutoDetect=nvml, and this Slurm was built where NVML (nvml.h, libnvidia-ml) was "
                    "not found, so it cannot ask for the GPUs.",
         .remedies =
             {look("slurmd -C; find / -name 'gpu_nvml.so' 2>/dev/null   (the plugin, if it was built)"),
              machine("build Slurm again with NVML: ./configure --with-nvml=/usr/local/cuda ...   (the toolkit has "
                      "nvml.h), or install a package that has it"),
              machine(
                  "Name=gpu File=/dev/nvidia[0-3]   (in gres.conf instead of AutoDetect=nvml; undo: the old line)")}},
        {.name = "job killed for its memory",
         .needles = {"oom_kill event", "oom-kill event", "oom_kill\" event", "OOMKilled", "Exceeded job memory limit"},
         .meaning = "The job used more memory of the host than it was given, and the system killed a process of it. "
                    "The GPU's memory has nothing to do with it.",
         .remedies = {look("sacct -j JOB --format=MaxRSS,ReqMem"),
                      "sbatch --mem=64G ...   (or a larger limit of the pod)",
                      "fewer workers of the DataLoader; load weights once for each node"},
         .hints = {{"oomkilled", look("kubectl describe pod POD; kubectl top pod POD   (its limit, and what it uses)")},
                   {"oomkilled", "resources: {limits: {memory: 64Gi}}   (a larger one in the pod's specification)"},
                   {"oomkilled", "use less memory of the host   (PyTorch: fewer workers of the DataLoader)"}},
         .applies = was_killed},
    };
}

}  // namespace tocuda::doctor
