// tocuda, Apache-2.0.
// Containers, Kubernetes and Slurm: the GPU is there, and does not reach the program.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wsl.hpp"

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

constexpr auto restart_docker = others("sudo systemctl restart docker   (then; it stops the containers that run)");
constexpr auto restart_containerd = others("sudo systemctl restart containerd   (on the node, then; or k3s, rke2)");
constexpr auto on_the_host = look("nvidia-smi; ldconfig -p | grep nvidia-ml   (on the host: is its driver complete?)");

constexpr auto write_cdi =
    "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml   (again after each update of the driver; undo: remove "
    "that file)";

// "device error: MIG-GPU-932bfb2c-.../1/0: unknown device"
void read_name_of_mig(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains(text_near(text, at, 0, 200), "MIG-GPU-")) return;
    told.meaning = "The MIG instance is named in the old form, which the driver no longer knows, or it is gone.";
    told.arithmetic.emplace_back(
        "MIG-GPU-UUID/1/0 is a name of drivers before 470; drivers from 470 on name it MIG-UUID");
    told.remedies = {
        {"nvidia-smi -L   (on the host: the names of the instances)", Scope::look},
        "docker run --gpus '\"device=MIG-UUID\"' ...   (as that list names it; or NVIDIA_VISIBLE_DEVICES)"};
}

// "failed to stat CDI host device \"/dev/dri/renderD129\": no such file or directory"
void read_stale_description(std::string_view text, std::size_t at, Explanation& told) {
    if (const auto device = between(text_near(text, at, 0, 200), "CDI host device \"", "\""))
        told.arithmetic.push_back(fmt::format("the file names {}, which is no longer there: write it anew", *device));
}

// "nvidia-container-cli: initialization error: cuda error: unknown error": it asks the host's CUDA.
void read_cuda_of_host(std::string_view text, std::size_t at, Explanation& told) {
    const auto message = text_near(text, at, 0, 300);
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
    } else if (contains(message, "no such file or directory")) {
        told.meaning =
            "A file of the host's driver that belongs into the container is not there: the driver was updated "
            "or removed while it runs, or is only half installed.";
        told.remedies = {
            {"nvidia-smi; cat /proc/driver/nvidia/version; ldconfig -p | grep nvidia-ml   (on the host)", Scope::look},
            {"sudo reboot   (after an update of the driver: ends every program of the machine)", Scope::others}};
    } else if (contains(message, "executing hook")) {
        told.meaning =
            "The hook of NVIDIA's container toolkit failed and its words are not in the text: most often the "
            "device nodes are not there yet after a boot, or a rootless engine may not use cgroups.";
        told.remedies = {{"nvidia-smi; ls -l /dev/nvidia*   (on the host; it makes the nodes)", Scope::look},
                         {"sudo nvidia-modprobe -u -c=0   (makes /dev/nvidia-uvm; at each boot)", Scope::machine},
                         {write_cdi, Scope::machine},
                         "podman run --device nvidia.com/gpu=all ...   (CDI instead of the hook)"};
    } else if (contains(message, "failed to process request")) {
        told.meaning =
            "The driver of the host did not answer: it hangs, or is just being loaded (the GPU operator does that).";
    }
}

// "srun: error: Unable to create step for job 1234: Invalid generic resource (gres) specification"
void read_step(std::string_view text, std::size_t at, Explanation& told) {
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

// "Allocatable: ... nvidia.com/gpu: 1" beside "Insufficient nvidia.com/gpu": the node offers GPUs.
void read_allocatable(std::string_view text, std::size_t, Explanation& told) {
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

std::vector<KnownError> errors_of_kubernetes() {
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
         .needles = {"could not load NVML library", "Insufficient nvidia.com/gpu",
                     "failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND", "Incompatible strategy detected auto",
                     "If this is not a GPU node, you should set up a toleration", "Incompatible platform detected",
                     "libnvidia-ml.so.1: cannot open shared object file", "unavailable for nvidia.com/gpu",
                     "error validating driver installation", "error validating toolkit installation",
                     "toolkit is not ready", "toolkit-validation", "driver-validation"},
         .meaning = "The device plugin finds no driver on the node, or no node has a free GPU: the NVIDIA runtime is "
                    "not the default of the node's container engine, the driver is missing there, or all are taken.",
         .remedies = {look("kubectl describe node NODE | grep -A8 -E 'Allocatable|nvidia.com/gpu'"),
                      look("kubectl logs -n kube-system -l name=nvidia-device-plugin-ds"), on_the_host,
                      machine("sudo nvidia-ctk runtime configure --runtime=containerd --set-as-default   (on the node; "
                              "undo: remove \"nvidia\" from /etc/containerd/config.toml)"),
                      restart_containerd,
                      machine("sudo nvidia-ctk runtime configure --runtime=docker --set-as-default   (only where the "
                              "node's engine is Docker; then restart Docker; undo: remove \"default-runtime\" from "
                              "/etc/docker/daemon.json)")},
         .read = read_allocatable,
         .certain = false},
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

// A container that was only just started has lost nothing.
void read_new_container(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains_any(text, {"docker run ", "podman run ", "nerdctl run "})) return;
    if (contains(text.substr(0, at), "| NVIDIA-SMI ")) return;  // it had worked
    told.error = "container without access to the GPU";
    told.meaning =
        "The new container has the driver's libraries and may not open the GPU's device nodes: the toolkit sets no "
        "cgroup rules for it, or SELinux refuses.";
    told.certain = false;
    told.remedies = {
        {"grep -n no-cgroups /etc/nvidia-container-runtime/config.toml   (true is for Docker without root only)",
         Scope::look},
        "docker run --security-opt label=disable --gpus all ...   (tells whether it is SELinux)",
        "docker run --device nvidia.com/gpu=all ...   (by CDI instead: sudo nvidia-ctk cdi generate "
        "--output=/etc/cdi/nvidia.yaml)",
        {"no-cgroups = false   (in that file; undo: the old line)", Scope::machine},
        {restart_docker.what, restart_docker.scope}};
}

// Why Docker does not know NVIDIA's runtime although its packages are installed, or cannot be.
void read_unknown_runtime(std::string_view text, std::size_t, Explanation& told) {
    if (contains_any(text, {"ii  nvidia-container-toolkit", "ii  nvidia-container-runtime", "ii  nvidia-docker2"})) {
        told.meaning = "The packages are installed; the Docker that runs does not know the NVIDIA runtime yet.";
        told.remedies = {
            {"cat /etc/docker/daemon.json   (\"runtimes\": {\"nvidia\": ...}?)", Scope::look},
            {"sudo nvidia-ctk runtime configure --runtime=docker   (if not; undo: remove that part)", Scope::machine},
            {restart_docker.what, restart_docker.scope}};
        return;
    }
    if (!origin_of(text).windows) return;
    told.meaning =
        "Docker Desktop has GPUs in its WSL 2 backend only, and needs a driver of Windows for WSL. No container "
        "toolkit is installed in Windows.";
    told.remedies = {
        {"wsl --version; docker info   (Operating System: Docker Desktop)", Scope::look},
        {"Docker Desktop, Settings, General: Use the WSL 2 based engine   (undo: the same switch)", Scope::machine},
        {"wsl --update   (then start Docker Desktop anew)", Scope::machine},
        {"install NVIDIA's current driver in Windows   (none in WSL; undo: the old one)", Scope::machine}};
}

}  // namespace

std::vector<KnownError> container_errors() {
    auto all = errors_of_kubernetes();
    std::vector<KnownError> of_docker{
        {.name = "GPU lost in a container",
         .needles = {"Failed to initialize NVML: Unknown Error", "failed to initialize NVML: Unknown Error"},
         .meaning =
             "The container lost access to the GPU's device nodes, as systemctl daemon-reload on the host causes.",
         .claims = {"000-02"},
         .remedies =
             {look("nvidia-smi   (on the host: does it work there?)"), "start the container again",
              "docker run --device /dev/nvidia0 --device /dev/nvidiactl --device /dev/nvidia-uvm ...   (keeps access)",
              machine("sudo nvidia-ctk system create-dev-char-symlinks --create-all   (on the host, at each boot)"),
              machine("\"exec-opts\": [\"native.cgroupdriver=cgroupfs\"]   (in /etc/docker/daemon.json; undo: remove "
                      "the line)"),
              restart_docker},
         .read = read_new_container},
        {.name = "container runtime without NVIDIA",
         .needles = {"could not select device driver", "unknown or invalid runtime name: nvidia",
                     "Unknown runtime specified nvidia", "nvidia-container-runtime-hook\": executable file not found",
                     "nvidia-container-runtime\": executable file not found",
                     "nvidia-container-runtime: find runc path", "nvidia-container-runtime: no such file"},
         .meaning = "Docker does not know the NVIDIA runtime: the container toolkit is missing or not configured.",
         .claims = {"000-02"},
         .remedies = {look("nvidia-ctk --version; docker info | grep -i runtimes"),
                      machine("sudo apt install nvidia-container-toolkit && sudo nvidia-ctk runtime configure "
                              "--runtime=docker   (from NVIDIA's repository, whose two lines for apt are at "
                              "https://docs.nvidia.com/datacenter/cloud-native/container-toolkit/latest/"
                              "install-guide.html; undo: sudo apt remove nvidia-container-toolkit)"),
                      restart_docker},
         .hints = {{"podman", machine(write_cdi)}, {"podman", "docker run --gpus all ..."}},
         .read = read_unknown_runtime},
        {.name = "engine without CDI",
         .needles = {"stat nvidia.com/gpu", "custom device \"nvidia.com/gpu", "CDI device injection is not",
                     "CDI is not enabled", "CDI support is not enabled"},
         .meaning =
             "nvidia.com/gpu=... is the name of a device of CDI, which this engine takes for a path: podman knows "
             "it from 4.1 on, Docker from 25 on (before 28 only with the feature \"cdi\").",
         .claims = {"000-02"},
         .remedies = {look("podman --version; docker version; nvidia-ctk cdi list"),
                      "docker run --gpus all ...   (Docker, without CDI)",
                      machine("\"features\": {\"cdi\": true}   (Docker: in /etc/docker/daemon.json; undo: remove it)"),
                      machine(
                          "install a newer podman   (with podman 3: --hooks-dir=/usr/share/containers/oci/hooks.d and "
                          "the toolkit's hook)"),
                      restart_docker}},
        {.name = "no CDI description of the GPUs",
         .needles = {"unresolvable CDI devices", "failed to inject CDI devices", "CDI device injection failed",
                     "failed to inject devices: ", "failed to stat CDI host device"},
         .meaning = "podman, and Docker with CDI, read what a GPU is from a file that was never written, or is old.",
         .claims = {"000-02"},
         .remedies = {look("nvidia-ctk cdi list"), machine(write_cdi), "podman run --device nvidia.com/gpu=all ..."},
         .read = read_stale_description},
        {.name = "no device nodes for the container",
         .needles = {"custom device \"/dev/nvidia", "/dev/nvidia0: no such file", "/dev/nvidiactl: no such file",
                     "/dev/nvidia-uvm: no such file"},
         .meaning = "The host has no such device: its driver is not loaded, or the node was not made yet after a boot.",
         .claims = {"000-02"},
         .remedies = {look("ls -l /dev/nvidia*; nvidia-smi   (on the host; running it makes the nodes)"),
                      machine("sudo nvidia-modprobe -u -c=0   (makes /dev/nvidia-uvm)")}},
        {.name = "container needs a newer driver",
         .needles = {"unsatisfied condition: cuda", "unsatisfied condition: driver", "unsatisfied condition: brand"},
         .meaning = "The image asks for a newer CUDA, driver or another kind of GPU than the host has.",
         .claims = {"001-04"},
         .remedies =
             {look("nvidia-smi | grep 'CUDA Version'   (on the host)"),
              "use an image for the CUDA version that the driver supports, or update the driver of the host",
              "docker run -e NVIDIA_DISABLE_REQUIRE=1 ...   (skips the check; what the image holds may fail later)"}},
        {.name = "Docker does not see the host's driver",
         .needles = {"load library failed: libnvidia-ml.so", "nvml error: driver not loaded"},
         .meaning = "The NVIDIA container runtime finds no driver where Docker runs: none is installed or loaded on "
                    "the host, or this Docker is in a virtual machine or a snap of its own (Docker Desktop on Linux, "
                    "snap docker) and does not see it.",
         .claims = {"000-02"},
         .remedies =
             {on_the_host,
              look("docker context ls; snap list docker   (\"desktop-linux\" or a snap: not the host's Docker)"),
              "docker context use default   (undo: docker context use desktop-linux)",
              machine(
                  "sudo snap remove docker && sudo apt install docker.io   (a snap: only if its containers may go)"),
              machine("install NVIDIA's driver on the host   (where the first finds none: ubuntu-drivers list; undo: "
                      "sudo apt remove PACKAGE)")},
         .hints = {{"lxc", look("nvidia-smi; ls -l /dev/nvidia*   (in the LXC container, before Docker in it)")},
                   {"lxc", "docker run --gpus all ..."}}},
        {.name = "MIG devices do not fit the request",
         .needles = {"invalid device ordinal", "unknown device id: MIG-", "invalid MIG device", "device error: MIG-",
                     "unknown device: MIG-"},
         .meaning = "The container toolkit counts other GPUs or MIG instances than CUDA shows: MIG is on and has no "
                    "compute instances, or its instances changed since.",
         .claims = {"004-11"},
         .remedies =
             {look("nvidia-smi -L; nvidia-smi mig -lgi; nvidia-smi mig -lci   (on the host, as root)"),
              machine("sudo nvidia-smi mig -cgi 0 -C   (if there are none: makes one instance of all; undo: sudo "
                      "nvidia-smi mig -dci && sudo nvidia-smi mig -dgi)"),
              look("kubectl get node NODE --show-labels | tr , '\\n' | grep mig   (Kubernetes: which strategy?)")},
         .read = read_name_of_mig,
         .in_line = {"nvidia-container-cli"}},
        {.name = "container asks for a GPU that is not there",
         .needles = {": unknown device: unknown", ": unknown device\n"},
         .meaning = "NVIDIA_VISIBLE_DEVICES or --gpus names a GPU by an index or a UUID that the host does not have "
                    "(any more).",
         .remedies = {look("nvidia-smi -L   (on the host: the indices and UUIDs)"), "docker run --gpus all ..."},
         .in_line = {"nvidia-container-cli"}},
        {.name = "container without rights to the GPU",
         .needles = {"cgroup subsystem devices not found", "failed to add device rules",
                     "bpf_prog_query(BPF_CGROUP_DEVICE)", "nvml error: insufficient permissions"},
         .meaning = "The container toolkit may not give the container access to the GPU: a rootless engine, a "
                    "container in a container, or a toolkit older than the cgroups of this system.",
         .remedies = {look("nvidia-ctk --version; docker info | grep -iE 'cgroup|rootless'"),
                      machine("sudo nvidia-ctk config --set nvidia-container-cli.no-cgroups --in-place   (rootless; "
                              "undo: the same with no-cgroups=false)"),
                      machine(
                          "sudo apt install --only-upgrade nvidia-container-toolkit   (1.8 and newer know cgroup v2)"),
                      restart_docker},
         .near = {"nvidia"}},
        {.name = "container cannot get the driver",
         .needles = {"nvidia-container-cli: initialization error", "nvidia-container-cli: requirement error",
                     "nvidia-container-cli: mount error", "nvidia-container-cli: detection error",
                     "nvidia-container-cli.real: initialization error", "nvidia-container-cli: device error",
                     "nvidia-container-cli: ldcache error", "error executing hook `/usr/bin/nvidia-container",
                     "nvidia-container-runtime-hook", "nvidia-container-cli: "},
         .meaning = "The NVIDIA container runtime cannot use the host's driver; the words after it say why.",
         .claims = {"000-02", "001-04"},
         .remedies = {on_the_host, look("nvidia-container-cli -k -d /dev/tty info   (on the host: where it stops)")},
         .read = read_cuda_of_host,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !contains(text_near(text, at, 0, 200), "version mismatch") &&
                        contains_any(line_around(text, at), {"rror", "ail"});
             },
         .rank = Rank::symptom},
    };
    all.insert(all.end(), of_docker.begin(), of_docker.end());
    return all;
}

}  // namespace tocuda::doctor
