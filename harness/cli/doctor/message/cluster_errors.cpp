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

void read_missing_permission(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains(text_near(text, at, 300, 600), "nsufficient Pe")) return;
    told.meaning = "The device plugin may not see the MIG instances of the node.";
    told.remedies = {"env: [{name: NVIDIA_MIG_MONITOR_DEVICES, value: all}]   (in the plugin's container)"};
}

}  // namespace

Functions cluster_functions() {
    return {.readings = {{"read_allocatable", read_allocatable},
                         {"read_missing_permission", read_missing_permission},
                         {"read_apptainer", read_apptainer},
                         {"read_step", read_step}},
            .conditions = {{"is_failing_driver", is_failing_driver}, {"was_killed", was_killed}}};
}

}  // namespace tocuda::doctor
