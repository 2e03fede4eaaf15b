// tocuda, Apache-2.0.
// GPUs of virtual machines: passed through by vfio, or shared as vGPU.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto switch_iommu_on =
    "intel_iommu=on iommu=pt   (on the kernel's command line, AMD: iommu=pt; VT-d or AMD-Vi on in the firmware; then "
    "reboot; undo: remove it)";
constexpr auto bind_to_vfio =
    "echo options vfio-pci ids=10de:XXXX,10de:YYYY | sudo tee /etc/modprobe.d/vfio.conf && sudo update-initramfs -u   "
    "(the ids that `lspci -nn -d 10de:` shows; then reboot; undo: remove that file)";

// "vfio 0000:01:00.0: group 1 is not viable"
void read_group(std::string_view text, std::size_t at, Explanation& told) {
    const auto group = number_after(text_near(text, at, 20, 40), "group ");
    if (!group) return;
    told.remedies = {
        {fmt::format("for d in /sys/kernel/iommu_groups/{}/devices/*; do lspci -nnks ${{d##*/}}; done   (who "
                     "is in the group, and which driver has it?)",
                     *group),
         Scope::look},
        {bind_to_vfio, Scope::machine},
        {"move the board to another slot, if the group holds others than the GPU's own functions   (with "
         "the machine off; a bridge in the group may keep its driver)",
         Scope::others}};
}

// "failed to open /dev/vfio/1: Permission denied"
void read_node_of_vfio(std::string_view text, std::size_t at, Explanation& told) {
    if (contains(line_around(text, at), "Permission denied")) {
        told.meaning = "The virtual machine's user may not open the GPU's node in /dev/vfio.";
        told.remedies = {{"ls -l /dev/vfio; id", Scope::look},
                         {"echo 'SUBSYSTEM==\"vfio\", GROUP=\"kvm\", MODE=\"0660\"' | sudo tee "
                          "/etc/udev/rules.d/10-vfio.rules   (then log in anew as a member of kvm; undo: remove that "
                          "file)",
                          Scope::machine}};
    } else if (contains(line_around(text, at), "/dev/vfio/")) {
        told.meaning =
            "There is no node in /dev/vfio for the device: vfio-pci does not hold it, or the kernel has no IOMMU in "
            "use.";
        told.remedies = {{"lspci -nnk   (\"Kernel driver in use: vfio-pci\" at that device?)", Scope::look},
                         {bind_to_vfio, Scope::machine},
                         {switch_iommu_on, Scope::machine}};
    }
}

// The licence's client of a virtual GPU says what it misses.
void read_licence(std::string_view text, std::size_t, Explanation& told) {
    if (!contains_any(text, {"Invalid feature type", "ServerAddress  FeatureType", "FeatureType) not set"})) return;
    told.arithmetic.emplace_back("/etc/nvidia/gridd.conf does not say what to ask for");
    told.remedies = {
        {"sudo cp /etc/nvidia/gridd.conf.template /etc/nvidia/gridd.conf   (then FeatureType=1 for vGPU, 2 for a "
         "workstation, 4 for compute; Azure: IgnoreSP=FALSE and no FeatureType; undo: remove it)",
         Scope::machine},
        {"ls -l /etc/nvidia/ClientConfigToken   (a token of the licence server? Azure and GCP need none)", Scope::look},
        {"sudo systemctl restart nvidia-gridd   (then; programs on this GPU may be slowed meanwhile)", Scope::others}};
}

bool is_of_vgpu(std::string_view text, std::size_t at) {
    const auto line = line_around(text, at);
    return contains_any(line, {"rror", "ailed", "nvalid", "not found", "not set", "nlicensed", "Unable"});
}

}  // namespace

Functions virtual_functions() {
    return {.readings = {{"read_group", read_group},
                         {"read_node_of_vfio", read_node_of_vfio},
                         {"read_licence", read_licence}},
            .conditions = {{"is_of_vgpu", is_of_vgpu}}};
}

}  // namespace tocuda::doctor
