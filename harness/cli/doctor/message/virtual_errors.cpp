// tocuda, Apache-2.0.
// GPUs of virtual machines: passed through by vfio, or shared as vGPU.
#include <fmt/core.h>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto log_of_iommu = "sudo dmesg | grep -iE 'dmar|amd-vi|iommu' | head; cat /proc/cmdline";
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

std::vector<KnownError> virtual_errors() {
    return {
        {.name = "IOMMU group is not free",
         .needles = {"is not viable", "Verify all devices in group"},
         .meaning = "A GPU goes to a virtual machine only with every device of its IOMMU group, its audio and USB "
                    "functions too, and one of them still has a driver of the host.",
         .remedies = {look("lspci -nnk   (\"Kernel driver in use\" of all in that group)"), machine(bind_to_vfio)},
         .read = read_group,
         .near = {"vfio", "iommu", "IOMMU"}},
        {.name = "host without an IOMMU",
         .needles = {"host doesn't support passthrough of host PCI devices", "no iommu_group found",
                     "No IOMMU detected", "failed to open /dev/vfio/", "Could not open '/dev/vfio/",
                     "error opening /dev/vfio/"},
         .meaning = "Nothing can be passed to a virtual machine: VT-d or AMD-Vi is off in the firmware, or the kernel "
                    "was not told to use it.",
         .remedies = {look(log_of_iommu), machine(switch_iommu_on)},
         .read = read_node_of_vfio},
        {.name = "virtual GPU without a licence",
         .needles = {"Failed to acquire license", "Unlicensed", "Guest running in unlicensed mode", "nvidia-gridd",
                     "GRID license not found", "Valid GRID license", "vGPU license"},
         .meaning = "A virtual GPU needs a licence from a server; without one it is slowed down after some minutes, "
                    "and then makes no new contexts.",
         .remedies =
             {look("nvidia-smi -q | grep -A3 -i licen; sudo journalctl -u nvidia-gridd | tail   (why it got none)"),
              look("ls -l /etc/nvidia/ClientConfigToken; cat /etc/nvidia/gridd.conf; date   (the token of the "
                   "licence server, FeatureType; a clock that is wrong is refused too)"),
              others("sudo systemctl restart nvidia-gridd   (after a change of these; programs on this GPU may "
                     "be slowed meanwhile)")},
         .read = read_licence,
         .applies = is_of_vgpu,
         .near = {"idia", "GRID", "vGPU"}},
    };
}

}  // namespace tocuda::doctor
