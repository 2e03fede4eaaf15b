// tocuda, Apache-2.0.
// Containers: the GPU is there, and does not reach the program.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "doctor/message/driver_state.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wsl.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto restart_docker = others("sudo systemctl restart docker   (then; it stops the containers that run)");
constexpr auto on_the_host = look("nvidia-smi; ldconfig -p | grep nvidia-ml   (on the host: is its driver complete?)");

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

// A container that was only just started has lost nothing.
void read_new_container(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains_any(text, {"docker run ", "podman run ", "nerdctl run "})) return;
    if (contains(text.substr(0, at), "| NVIDIA-SMI ")) return;  // it had worked
    told.error = "container without access to the GPU";
    told.meaning =
        "The new container has the driver's libraries and may not open the GPU's device nodes: the toolkit sets no "
        "cgroup rules for it, or SELinux refuses.";
    told.certain = false;
    if (contains(text, "no-cgroups = true")) {
        told.certain = true;
        told.arithmetic.emplace_back(
            "no-cgroups = true in the text is for engines without root: Docker with root needs false");
        told.remedies = {
            {"sudo nvidia-ctk config --set nvidia-container-cli.no-cgroups=false --in-place   (undo: the same "
             "with =true)",
             Scope::machine},
            {restart_docker.what, restart_docker.scope}};
        return;
    }
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
    if (origin_of(text).is_in("podman")) {
        told.meaning = "podman needs no runtime of NVIDIA's: it gives a container the GPU by a device of CDI.";
        return;
    }
    if (contains_any(text, {"ii  nvidia-container-toolkit", "ii  nvidia-container-runtime", "ii  nvidia-docker2"})) {
        told.meaning = "The packages are installed; the Docker that runs does not know the NVIDIA runtime yet.";
        told.remedies = {
            {"cat /etc/docker/daemon.json   (\"runtimes\": {\"nvidia\": ...}?)", Scope::look},
            {"sudo nvidia-ctk runtime configure --runtime=docker   (if not; undo: remove that part)", Scope::machine},
            {restart_docker.what, restart_docker.scope}};
        return;
    }
    if (origin_of(text).wsl) {
        told.meaning =
            "The Docker that runs here does not know the NVIDIA runtime: Docker Desktop brings it with its WSL 2 "
            "backend, and a Docker installed within WSL needs the container toolkit.";
        told.remedies = {
            {"docker context ls; docker info | grep -iE 'operating|runtimes'   (Docker Desktop, or one within WSL?)",
             Scope::look},
            {"Docker Desktop, Settings, Resources, WSL integration: this distribution   (undo: the same switch)",
             Scope::machine},
            {"sudo apt install nvidia-container-toolkit && sudo nvidia-ctk runtime configure --runtime=docker   "
             "(Docker "
             "within WSL; from NVIDIA's repository; undo: sudo apt remove nvidia-container-toolkit)",
             Scope::machine},
            {"sudo service docker restart   (Docker within WSL, then; it stops the containers that run)",
             Scope::others}};
        return;
    }
    if (!origin_of(text).windows) return;
    told.meaning =
        "Docker Desktop has GPUs in its WSL 2 backend only, and needs a Windows driver for WSL. No container "
        "toolkit is installed in Windows.";
    told.remedies = {
        {"wsl --version; docker info   (Operating System: Docker Desktop)", Scope::look},
        {"Docker Desktop, Settings, General: Use the WSL 2 based engine   (undo: the same switch)", Scope::machine},
        {"wsl --update   (then start Docker Desktop anew)", Scope::machine},
        {"install NVIDIA's current driver in Windows   (none in WSL; undo: the old one)", Scope::machine}};
}

}  // namespace

std::vector<KnownError> container_errors() {
    return {
        {.name = "GPU lost in a container",
         .needles = {"Failed to initialize NVML: Unknown Error", "Failed to initialize NVML: ERROR_UNKNOWN",
                     "failed to initialize nvml unknown error"},
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
        {.name = "container runtime may not be started",
         .needles = {"nvidia-container-runtime: permission denied", "nvidia-container-runtime-hook: permission denied"},
         .meaning = "Docker may not start NVIDIA's runtime: its path in daemon.json is not the program's, the file is "
                    "not executable, or AppArmor or a snap of Docker forbids it.",
         .remedies = {look(
                          "ls -l $(command -v nvidia-container-runtime); cat /etc/docker/daemon.json; snap list docker "
                          "  (\"path\": that very file?)"),
                      machine("sudo apt install nvidia-container-toolkit && sudo nvidia-ctk runtime configure "
                              "--runtime=docker   (undo: sudo apt remove nvidia-container-toolkit)"),
                      restart_docker}},
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
                      machine("sudo nvidia-modprobe -u -c=0   (makes /dev/nvidia-uvm)"), machine(build_for_kernel)}},
        {.name = "container needs a newer driver",
         .needles = {"unsatisfied condition: cuda", "unsatisfied condition: driver", "unsatisfied condition: brand"},
         .meaning = "The image asks for a newer CUDA, driver or another kind of GPU than the host has.",
         .claims = {"001-04"},
         .remedies =
             {look("nvidia-smi | grep 'CUDA Version'   (on the host)"),
              "use an image for the CUDA version that the driver supports, or update the driver of the host",
              "docker run -e NVIDIA_DISABLE_REQUIRE=1 ...   (skips the check; what the image holds may fail later)"},
         .read = [](std::string_view text, std::size_t, Explanation& told) { tell_of_rented_host(text, told); }},
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
        {.name = "Docker Compose does not know GPUs",
         .needles = {"('devices' was unexpected)", "reservations Additional property devices is not allowed",
                     "additional properties 'gpus' not allowed", "Additional property gpus is not allowed",
                     "Additional property runtime is not allowed", "Unsupported config option for services"},
         .meaning = "This docker-compose is older than the words for GPUs in its file: deploy's devices need 1.28, "
                    "gpus: needs "
                    "2.30, and files of version 3 had no runtime: for a long time.",
         .remedies = {look("docker compose version; docker-compose --version"),
                      "docker compose up   (two words: the plugin, not the old docker-compose)",
                      machine("sudo apt install docker-compose-plugin   (from Docker's repository; Ubuntu's: "
                              "docker-compose-v2; undo: sudo apt remove docker-compose-plugin)"),
                      "deploy: {resources: {reservations: {devices: [{driver: nvidia, count: all, capabilities: "
                      "[gpu]}]}}}   (in the service, instead of gpus: or runtime:)"},
         .applies =
             [](std::string_view text, std::size_t at) {
                 return contains_any(text_near(text, at, 0, 200), {"devices", "gpus", "'runtime'", "property runtime"});
             }},
        {.name = "container asks for a GPU that is not there",
         .needles = {": unknown device: unknown", ": unknown device\n"},
         .meaning = "NVIDIA_VISIBLE_DEVICES or --gpus names a GPU by an index or a UUID that the host does not have "
                    "(any more).",
         .remedies = {look("nvidia-smi -L   (on the host: the indices and UUIDs)"), "docker run --gpus all ..."},
         .in_line = {"nvidia-container-cli"}},
        {.name = "Docker and libseccomp do not fit",
         .needles = {"error adding seccomp filter rule for syscall", "error adding seccomp rule for syscall"},
         .meaning = "No container starts: Docker's filter of system calls names one (clone3) that libseccomp, runc or "
                    "NVIDIA's runtime of this system is too old for, as after an upgrade of docker.io. It is not the "
                    "GPU or the image.",
         .remedies = {look("docker version; dpkg -l | grep -E 'docker|containerd|runc|libseccomp|nvidia-container'"),
                      machine("sudo apt update && sudo apt install --only-upgrade libseccomp2 containerd "
                              "nvidia-container-toolkit nvidia-docker2   (undo: sudo apt install PACKAGE=VERSION)"),
                      machine("sudo apt install docker.io=VERSION   (the one before, of apt-cache policy docker.io, "
                              "where no newer ones come: JetPack 4 and 5; then sudo apt-mark hold docker.io)"),
                      "docker run --security-opt seccomp=unconfined ...   (until then: an image that you trust)"}},
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
         .read = read_hook_of_container,
         .applies =
             [](std::string_view text, std::size_t at) {
                 return !contains(text_near(text, at, 0, 200), "version mismatch") &&
                        contains_any(line_around(text, at), {"rror", "ail"});
             },
         .rank = Rank::symptom},
    };
}

}  // namespace tocuda::doctor
