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
        {.name = "no interrupt remapping for passthrough",
         .needles = {"No interrupt remapping support", "interrupt remapping not supported",
                     "No interrupt remapping for"},
         .meaning = "This board or firmware does not remap interrupts, without which vfio passes nothing to a virtual "
                    "machine unless it is told to.",
         .remedies =
             {look("sudo dmesg | grep -i remapping"),
              machine("update the firmware, and switch VT-d or x2APIC on there"),
              machine("echo options vfio_iommu_type1 allow_unsafe_interrupts=1 | sudo tee "
                      "/etc/modprobe.d/iommu.conf   (only with guests that are trusted; then reboot; undo: remove that "
                      "file)")}},
        {.name = "virtual machine may not lock its memory",
         .needles = {"VFIO_MAP_DMA", "vfio_dma_map(", "memory listener initialization failed"},
         .meaning = "All memory of a virtual machine with a GPU is page-locked, and its user may not lock so much, or "
                    "it is not free.",
         .remedies = {look("ulimit -l; free -h   (is so much free, and may it be locked?)"),
                      machine("echo '@kvm - memlock unlimited' | sudo tee /etc/security/limits.d/kvm.conf   (then log "
                              "in anew; libvirt: <hard_limit> in <memtune>; undo: remove that file)"),
                      "give the virtual machine less memory"},
         .in_line = {"Cannot allocate memory", "-12", "memory listener"}},
        {.name = "GPU shares a bus with other devices",
         .needles = {"Cannot reset device"},
         .meaning = "The GPU can only be reset together with what is on its bus, and the virtual machine was not given "
                    "all of that: its audio and USB functions, or a neighbour.",
         .remedies = {look("lspci -nnt; lspci -nn -d 10de:   (what is beside it?)"),
                      machine("pass all functions of the board: hostpci0: 01:00,pcie=1 (Proxmox), each as a <hostdev> "
                              "(libvirt)   (undo: the old line)"),
                      others("move the board to another slot   (with the machine off)")},
         .in_line = {"depends on group"}},
        {.name = "GPU does not wake from its power state",
         .needles = {"Unable to change power state from D3", "nable to change power state from",
                     "efused to change power state", "not ready 1023ms after", "after FLR; giving up",
                     "after bus reset; giving up", "reset recovery - restoring BARs", "device inaccessible"},
         .meaning = "The GPU did not come back from a power state (D3) or a reset: it answers nothing until the power "
                    "is taken from it. Power saving of laptops and GPUs that change between virtual machines do this.",
         .remedies = {look("lspci -nnk -d 10de:; sudo dmesg | grep -iE 'nvrm|vfio' | tail   ((rev ff): it is gone)"),
                      machine("echo options nvidia NVreg_DynamicPowerManagement=0x00 | sudo tee "
                              "/etc/modprobe.d/nvidia-pm.conf   (a laptop: without that saving; then reboot; undo: "
                              "remove that file)"),
                      machine("echo options vfio-pci disable_idle_d3=1 | sudo tee /etc/modprobe.d/vfio-d3.conf   "
                              "(passed to a virtual machine; then reboot; undo: remove that file)"),
                      others(
                          "power the machine off and on   (a reboot is not always enough; ends every program of it)")},
         .near = {"nvidia", "NVIDIA", "NVRM", "vfio", "10de"}},
        {.name = "host's display holds the GPU's memory",
         .needles = {"can't reserve [mem"},
         .meaning = "The host still draws its console in the GPU's memory (efifb, simplefb), so vfio-pci does not get "
                    "it for the virtual machine.",
         .remedies = {look("grep -iE 'efifb|simplefb|bootfb' /proc/iomem"),
                      machine("initcall_blacklist=sysfb_init   (on the kernel's command line; kernels before 5.15: "
                              "video=efifb:off; then reboot; undo: remove it)"),
                      machine("choose the other GPU for the display in the firmware")},
         .near = {"vfio"}},
        {.name = "GPU's ROM cannot be read",
         .needles = {"Invalid PCI ROM header signature", "Invalid PCI ROM data signature"},
         .meaning = "The virtual machine cannot read the board's ROM: the host started from this GPU, or it is in no "
                    "state to answer. Without a display in the guest this may be harmless.",
         .remedies = {look("lspci -nnk -d 10de:   (vfio-pci? (rev ff): it does not answer)"),
                      machine("choose the other GPU for the host's display in the firmware"),
                      machine("romfile=FILE   (at the device of the virtual machine: the ROM of exactly this board, "
                              "read with GPU-Z; undo: remove it)")},
         .rank = Rank::symptom},
        {.name = "another virtual machine has the GPU",
         .needles = {"is in use by driver QEMU", "already in use by VMID", "is already in use by domain"},
         .meaning = "A GPU that is passed through belongs to one virtual machine at a time, and another has it.",
         .remedies = {look("qm list; virsh list --all   (which runs?)"),
                      others("qm shutdown ID, virsh shutdown NAME   (that machine, if it may end)")}},
        {.name = "VMware cannot pass the GPU",
         .needles = {"pciPassthru", "DevicePowerOn", "DevicePowerOn'"},
         .meaning = "VMware could not give the GPU to the virtual machine: its memory does not fit the machine's "
                    "addresses, not all memory of the machine is reserved, or the host has not released the GPU.",
         .remedies =
             {look("esxcli hardware pci pcipassthru list   (on the host: is it enabled for the GPU?)"),
              machine("pciPassthru.use64bitMMIO = \"TRUE\" and pciPassthru.64bitMMIOSizeGB = \"128\"   (in the .vmx, "
                      "with EFI as its firmware: twice the memory of its GPUs, as a power of two; undo: remove them)"),
              machine("reserve all memory of the virtual machine   (its settings, Memory)")},
         .near = {"NVIDIA", "nvidia", "GPU", "vGPU", "grid", "GRID"},
         .in_line = {"ailed", "rror", "unavailable"}},
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
        {.name = "virtual GPU cannot start",
         .needles = {"vmiop_log", "vmiop_env_log", "vmiop-env", "nvidia-vgpu-mgr", "nvidia-vgpu-vfio", "/sys/bus/mdev",
                     "mdev_supported_types", "mdevctl"},
         .meaning = "The vGPU manager of the host could not start this virtual GPU: guest and host driver are not of "
                    "one vGPU release, the profile does not fit what is left, or the host's driver is one without "
                    "vGPU.",
         .remedies = {look("sudo journalctl -b -u nvidia-vgpu-mgr | tail -30; nvidia-smi vgpu   (on the host)"),
                      look("nvidia-smi | grep Driver   (on the host and in the guest: both of one vGPU release?)"),
                      machine(
                          "install the guest driver of the host's vGPU release   (not the one of nvidia.com/drivers "
                          "or apt; undo: the old one)")},
         .applies = is_of_vgpu,
         .rank = Rank::symptom},
    };
}

}  // namespace tocuda::doctor
