// tocuda, Apache-2.0.
// Containers: the GPU is there, and does not reach the program.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "doctor/message/driver_state.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto restart_docker = "sudo systemctl restart docker   (then; it stops the containers that run)";
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
            {restart_docker, Scope::others}};
        return;
    }
    told.remedies = {
        {"grep -n no-cgroups /etc/nvidia-container-runtime/config.toml   (true is for Docker without root only)",
         Scope::look},
        "docker run --security-opt label=disable --gpus all ...   (tells whether it is SELinux)",
        "docker run --device nvidia.com/gpu=all ...   (by CDI instead: sudo nvidia-ctk cdi generate "
        "--output=/etc/cdi/nvidia.yaml)",
        {"no-cgroups = false   (in that file; undo: the old line)", Scope::machine},
        {restart_docker, Scope::others}};
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
            {restart_docker, Scope::others}};
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

bool is_about_devices(std::string_view text, std::size_t at) {
    return contains_any(text_near(text, at, 0, 200), {"devices", "gpus", "'runtime'", "property runtime"});
}

bool is_failed_hook(std::string_view text, std::size_t at) {
    return !contains(text_near(text, at, 0, 200), "version mismatch") &&
           contains_any(line_around(text, at), {"rror", "ail"});
}

}  // namespace

Functions container_functions() {
    return {.readings = {{"read_new_container", read_new_container},
                         {"read_unknown_runtime", read_unknown_runtime},
                         {"read_stale_description", read_stale_description},
                         {"read_rented_host", read_rented_host},
                         {"read_name_of_mig", read_name_of_mig},
                         {"read_hook_of_container", read_hook_of_container}},
            .conditions = {{"is_about_devices", is_about_devices}, {"is_failed_hook", is_failed_hook}}};
}

}  // namespace tocuda::doctor
