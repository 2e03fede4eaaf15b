// tocuda, Apache-2.0.
// nvidia-smi, and the start of the driver as the kernel's log shows it.
#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "doctor/message/driver_state.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/known_error.hpp"
#include "doctor/message/origin.hpp"
#include "doctor/message/wsl.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto log_of_driver = "sudo dmesg | grep -iE 'nvrm|xid'   (says why)";

// lspci shows a device that no longer answers with all bits set.
bool is_off_the_bus(std::string_view text) {
    return contains(text, "(rev ff)") || contains(text, "fallen off the bus");
}

void read_no_devices(std::string_view text, std::size_t, Explanation& told) {
    if (!is_off_the_bus(text) &&
        contains_any(text, {"QEMU", "qemu", "kvm", "KVM", "Proxmox", "VMware", "ESXi", "assthro"}))
        return tell_of_failed_start(text, 0, told);
    if (!is_off_the_bus(text)) {
        if (tell_of_kind(text, told)) told.remedies.insert(told.remedies.begin(), {log_of_driver, Scope::look});
        return;
    }
    told.error = "GPU lost";
    told.meaning = "The GPU no longer answers on PCIe: power, heat, seating, a riser or a failed reset.";
    told.certain = true;
    told.arithmetic.emplace_back("lspci shows it with (rev ff): it is off the bus");
    told.remedies = {
        {"sudo dmesg | grep -iE 'xid|pcie|aer'", Scope::look},
        {"power the machine off and on   (a reboot is not always enough; ends every program of it)", Scope::others}};
}

// "NVRM: No NVIDIA graphics adapter found!"
void read_no_adapter(std::string_view text, std::size_t at, Explanation& told) {
    if (!contains(line_around(text, at), "adapter found")) return;
    told.arithmetic.emplace_back("the machine may have none: its GPU may be of another maker, as AMD");
    told.remedies = {
        {"lspci -nn | grep -iE 'vga|3d|display'   (is an NVIDIA GPU [10de:...] there at all?)", Scope::look},
        {log_of_driver, Scope::look},
        {"lspci -nnk -d 10de:   (which module has it?)", Scope::look}};
}

// "Unable to determine the device handle for GPU0: 0000:C1:00.0: Unknown Error", and the same of GPU1.
void read_several_lost(std::string_view text, std::size_t at, Explanation& told) {
    if (contains(text, "bbswitch: disabling")) return tell_of_bbswitch(text, at, told);
    if (contains(line_around(text, at), ": Not Found")) {
        told.error = "GPU cannot be started";
        told.meaning = "The module is loaded and could not start this GPU, so NVML does not know it.";
        told.certain = false;
        told.remedies = {
            {log_of_driver, Scope::look},
            {"cat /proc/driver/nvidia/version   (Open Kernel Module? RTX 50 needs it; before Turing it does "
             "not work, and in 515 for data centres only)",
             Scope::look},
            {"sudo ubuntu-drivers install --gpgpu   (Ubuntu: chooses the module for this GPU)", Scope::machine}};
        tell_of_kind(text, told);
        return;
    }
    constexpr std::string_view needle = "Unable to determine the device handle for";
    if (!text.substr(at).starts_with(needle) || text.find(needle, at + needle.size()) == std::string_view::npos) return;
    told.certain = false;
    told.arithmetic.emplace_back(
        "several GPUs at once: rather what they share, as the driver, a riser, a power supply or a virtual machine; "
        "in WSL, one in TCC mode beside one in WDDM mode");
}

// An external GPU gets the addresses that its port was given when the machine started.
void read_no_addresses(std::string_view text, std::size_t, Explanation& told) {
    if (!contains_any(text, {"hunderbolt", "eGPU", "egpu", "USB4", "Oculink", "OCuLink"})) return;
    told.arithmetic.emplace_back("the text shows an external GPU: its port was given too little room for it");
    told.remedies = {
        {"lspci -v -d 10de:; sudo dmesg | grep -iE 'BAR|no space'", Scope::look},
        "start the machine with the external GPU connected and switched on",
        {"pci=realloc,assign-busses,hpmmioprefsize=16G   (on the kernel's command line, then reboot; undo: remove it)",
         Scope::machine},
        {"firmware: Thunderbolt security off or approved, Above 4G Decoding on   (undo: the old settings)",
         Scope::machine}};
}

// "could not insert 'nvidia': Key was rejected by service": other modules are rejected in the same words.
bool is_of_module_nvidia(std::string_view text, std::size_t at) {
    const auto line = line_around(text, at);
    if (contains(line, "insert") && contains(line, "nvidia")) return true;
    return contains_any(text_near(text, at, 300, 300), {"nvidia", "NVIDIA"});
}

// Whom a group of the device nodes keeps out is not root.
void read_refused(std::string_view text, std::size_t, Explanation& told) {
    if (origin_of(text).is_in("podman") || !contains_any(text, {"sudo nvidia-smi", "root@"})) return;
    told.meaning =
        "root may not open the GPU's device nodes either: it is no matter of groups, but of the rules for devices of a "
        "container (LXC, Docker) or job.";
    told.remedies = {
        {"systemd-detect-virt; ls -l /dev/nvidia*   (lxc, docker: a container)", Scope::look},
        "docker run --gpus all ...   (Docker)",
        {"lxc.cgroup2.devices.allow: c 195:* rwm   (LXC, in its configuration on the host, and such a line for the "
         "major number of nvidia-uvm; systems with cgroup v2 ignore lxc.cgroup.devices; undo: remove it)",
         Scope::machine}};
}

// An engine that looked for nvidia-smi in the container: the image has none, the toolkit puts it in.
bool tell_of_container_without_gpu(std::string_view text, std::size_t at, Explanation& told) {
    const auto origin = origin_of(text);
    if (origin.jetson || !contains(text_near(text, at, 0, 100), "not found in $PATH")) return false;
    if (origin.is_in("podman")) {
        told.meaning =
            "podman started the container without the GPU: it gives one by a device of CDI, and --gpus (before podman "
            "5), --runtime or the variables for Docker alone do nothing there.";
        told.remedies = {{"nvidia-ctk cdi list   (nvidia.com/gpu=all is in it?)", Scope::look},
                         {write_cdi, Scope::machine},
                         "podman run --device nvidia.com/gpu=all IMAGE nvidia-smi"};
        return true;
    }
    told.meaning =
        "The container was started without the GPU: nvidia-smi is not part of the image, NVIDIA's container toolkit "
        "puts it in, with the driver's libraries.";
    const bool asked = contains_any(
        text, {"--gpus", "--runtime=nvidia", "--runtime nvidia", "nvidia-docker run", "capabilities: [gpu"});
    told.remedies = {
        {"nvidia-smi; docker info | grep -i runtimes   (on the host: a driver, and a runtime nvidia?)", Scope::look},
        asked ? "docker run --gpus all -e NVIDIA_VISIBLE_DEVICES=all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ... "
                "  (images that are not of CUDA set neither; utility is "
                "nvidia-smi)"
              : "docker run --gpus all ...   (in a container: install no driver there)"};
    return true;
}

void read_no_nvidia_smi(std::string_view text, std::size_t at, Explanation& told) {
    if (tell_of_container_without_gpu(text, at, told)) return;
    tell_of_wsl(text, told);
    if (!contains(text, "is not recognized as")) return;
    told.remedies = {
        {"dir C:\\Windows\\System32\\nvidia-smi.exe   (there since driver 430)", Scope::look},
        {"Device Manager, Display adapters   (is there an NVIDIA GPU, and without a warning sign?)", Scope::look},
        {"install NVIDIA's driver for Windows: https://www.nvidia.com/drivers   (undo: Apps, uninstall)",
         Scope::machine}};
}

}  // namespace

std::vector<KnownError> system_errors() {
    return {
        {.name = "GPU lost",
         .needles = {"fallen off the bus", "GPU is lost.  Reboot the system", "GPU is lost",
                     "Unable to determine the device handle for", "cudaErrorDeviceUninitialized"},
         .meaning = "The GPU no longer answers on PCIe: power, heat, seating, a riser or a failed reset.",
         .claims = {"001-08"},
         .remedies = {look("sudo dmesg | grep -iE 'xid|pcie|aer'"),
                      look("grep -l 0x10de /sys/bus/pci/devices/*/vendor   (does the bus still have it?)"),
                      others(
                          "power the machine off and on   (a reboot is not always enough; ends every program of it)")},
         .read = read_several_lost,
         .applies = [](std::string_view text, std::size_t at) { return !contains(line_around(text, at), "Xid ("); }},
        {.name = "NVML: driver and library do not match",
         .needles = {"Driver/library version mismatch", "driver/library version mismatch", "API mismatch: the",
                     "API mismatch: client version", "nvidia-modeset: Version mismatch"},
         .meaning = "The driver's libraries are of another version than the kernel module that is loaded: the driver "
                    "was upgraded and the module not, or an image or folder carries libraries of its own.",
         .claims = {"001-08"},
         .remedies =
             {look("cat /proc/driver/nvidia/version; ldconfig -p | grep -E 'libcuda|nvidia-ml'"),
              others("sudo reboot   (after an upgrade: ends every program of the machine; or, while no program uses a "
                     "GPU: sudo modprobe -r nvidia_uvm nvidia_drm nvidia_modeset nvidia && sudo modprobe nvidia)"),
              look("dkms status; modinfo -F version nvidia   (still the old version afterwards: the new module was "
                   "not built; install it again)")},
         .read = read_module_and_library},
        {.name = "nvidia-smi finds no driver",
         .needles = {"couldn't communicate with the NVIDIA driver", "Failed to initialize NVML: Driver Not Loaded",
                     "Failed to initialize NVML: Driver is not loaded", "NVML: Driver Not Loaded",
                     "NVMLError_DriverNotLoaded"},
         .meaning = "The kernel module nvidia is not loaded, because it was not built for this kernel, is blacklisted, "
                    "or was rejected by Secure Boot; or no GPU answers on the bus (slot, riser, power cable).",
         .claims = {"000-02"},
         .remedies = {look(why_silent), machine("sudo modprobe nvidia   (then: sudo dmesg | grep -i nvrm)"),
                      machine(build_for_kernel)},
         .read = tell_of_silent_driver,
         .rank = Rank::symptom},
        {.name = "nvidia-smi without the driver",
         .needles = {"couldn't find libnvidia-ml.so", "nvidia-smi: command not found", "nvidia-smi: not found",
                     "'nvidia-smi' is not recognized", "\"nvidia-smi\": executable file not found",
                     "`nvidia-smi` not found", "NVMLError_LibraryNotFound", "NVML Shared Library Not Found",
                     "`nvidia-smi`: No such file", "nvidia-smi: No such file or directory",
                     "'nvidia-smi': No such file or directory", "Command 'nvidia-smi' not found",
                     "command not found: nvidia-smi", "Unknown command: nvidia-smi"},
         .meaning = "nvidia-smi or its library is not there: it comes with the driver. Either no driver is installed, "
                    "or only a part of one, or the container was started without the GPU, which passes both in.",
         .claims = {"000-02"},
         .remedies = {look("cat /proc/driver/nvidia/version; ldconfig -p | grep nvidia-ml"),
                      "docker run --gpus all ...   (in a container: install no driver there)",
                      look("tocuda doctor   (on that machine: names the driver package)")},
         .read = read_no_nvidia_smi,
         .rank = Rank::symptom},
        {.name = "GPU waits for a reset",
         .needles = {"requires reset", "requires a reset", "NV_ERR_RESET_REQUIRED", "Reset required"},
         .meaning = "An error left the GPU in a state in which it takes no work until it is reset.",
         .remedies = {look("nvidia-smi -q | grep -A6 -iE 'recovery action|pending|remapped'"),
                      look("sudo dmesg | grep -i xid   (which error was it?)"),
                      others("sudo nvidia-smi --gpu-reset -i 0   (drain first: it ends what runs on that GPU, and with "
                             "NVLink on the others)")},
         .applies = [](std::string_view text,
                       std::size_t at) { return contains_any(line_around(text, at), {"GPU", "NVRM"}); }},
        {.name = "InfoROM of a GPU is corrupted",
         .needles = {"infoROM is corrupted", "InfoROM is corrupted"},
         .meaning =
             "The GPU's small memory for its identity and error counts is damaged. It computes all the same, but "
             "ECC counts and retired pages may be wrong or missing.",
         .remedies = {look("nvidia-smi -q | grep -iA4 inforom"),
                      "ask the maker of the board: it is written anew with their tool, or the board is replaced"},
         .rank = Rank::notice},
        {.name = "module rejected by Secure Boot",
         .needles = {"Key was rejected by service", "Required key not available",
                     "Loading of unsigned module is rejected",
                     "module verification failed: signature and/or required key missing - rejected"},
         .meaning = "Secure Boot loads only signed modules, and the key of this one is not enrolled.",
         .claims = {"000-02"},
         .remedies = {look("mokutil --sb-state; modinfo -F signer nvidia"),
                      machine("sudo mokutil --import /var/lib/shim-signed/mok/MOK.der   (Ubuntu; then reboot and enrol "
                              "the key; undo: sudo mokutil --delete; or switch Secure Boot off in the firmware)")},
         .applies = is_of_module_nvidia},
        {.name = "GPU without addresses for its memory",
         .needles = {"BAR1 is 0M", "BAR0 is 0M", "I/O region assigned to your NVIDIA device is invalid",
                     "BAR 1: no space for", "BAR 1: failed to assign"},
         .meaning = "The firmware or the virtual machine gave the GPU no address for its memory (BAR 1).",
         .remedies = {look("lspci -v -d 10de:   (Memory at <unassigned>?)"),
                      machine("switch Above 4G Decoding and Resizable BAR on in the firmware   (a virtual machine: "
                              "give it 64-bit PCI space, on its host)"),
                      machine("pci=realloc   (on the kernel's command line, then reboot; undo: remove it)")},
         .read = read_no_addresses},
        {.name = "GPU cannot be started",
         .needles = {"RmInitAdapter failed!", "RmInitAdapter: Cannot initialize GSP firmware", "rm_init_adapter failed",
                     "Cannot initialize GSP firmware RM", "cannot initialize GSP-RM", "osInitNvMapping failed",
                     "*** Cannot attach gpu", "cannot bootstrap riscv/gsp", "Booter failed with non-zero",
                     "failed to execute Booter", "failed to execute FWSEC", "NVRM: Aborting GPU initialization"},
         .meaning = "The module is loaded and could not start the GPU or its system processor (GSP): Above 4G Decoding "
                    "or Resizable BAR is off in the firmware, a board needs the open module (RTX 50 and newer) or the "
                    "proprietary one (before Turing), it was left in a bad state, or its pass-through is incomplete.",
         .claims = {"000-02"},
         .remedies = {look(log_of_driver),
                      look("cat /proc/driver/nvidia/version   (Open Kernel Module? RTX 50 needs it)"),
                      machine("switch Above 4G Decoding and Resizable BAR on in the firmware"),
                      others("power the machine off and on   (where it worked before; ends every program of it)")},
         .read = tell_of_failed_start,
         .rank = Rank::symptom},
        {.name = "GPU too old for this driver",
         .needles = {"xx Legacy drivers", "xx Legacy Drivers", "xx legacy drivers", "NVIDIA driver will ignore"},
         .meaning = "This driver no longer supports the GPU and ignores it: drivers from 590 on begin with Turing (GTX "
                    "16, RTX 20, T4), those before it with Maxwell.",
         .claims = {"000-02"},
         .remedies = {look("lspci -nnk -d 10de:; cat /proc/driver/nvidia/version"),
                      machine("install the branch of the driver that the text names   (580 for Maxwell, Pascal and "
                              "Volta, 470 for Kepler, 390 for Fermi; undo: the one that is there)")},
         .read = tell_of_legacy_branch},
        {.name = "GPU's system processor still runs",
         .needles = {"unexpected WPR2 already up"},
         .meaning = "The GPU's system processor (GSP) is still running from an earlier start, by this driver or in a "
                    "virtual machine, so the driver cannot start it again. Firmware settings are not the "
                    "cause.",
         .claims = {"000-02"},
         .remedies = {look(log_of_driver),
                      others("sudo nvidia-smi --gpu-reset -i N   (this GPU; only while no program uses it)"),
                      others("power the machine off and on   (a reboot is not enough; ends every program of it)"),
                      machine("install a newer driver   (if it comes back; undo: the old one)")},
         .rank = Rank::warned},
        {.name = "GPU does not finish its own start",
         .needles = {"failed to wait for GFW_BOOT", "failed to wait for GFW boot complete"},
         .meaning = "The GPU's own firmware did not start: this is before any driver, so the board, its power, its "
                    "slot or a riser is at fault.",
         .claims = {"000-02"},
         .remedies = {look(log_of_driver), look("lspci -vv -d 10de: | grep LnkSta   (as root: is the link up?)"),
                      others(
                          "power the machine off, wait, and on again   (a reboot is not enough; ends every program)"),
                      others("seat the board and its power anew, try another slot; replace it if it stays   (with the "
                             "machine off)")}},
        {.name = "GPU's system processor hangs",
         .needles = {"_kgspIsHeartbeatTimedOut", "GSP Timeout *", "RPC event history", "GSP RPC timeout",
                     "rpcRecvPoll timedout", "Timeout waiting for RPC from GSP", "GSP_LOCKDOWN_NOTICE"},
         .meaning = "The GPU's system processor (GSP) does not answer the driver any more, as Xid 119 says too: a bug "
                    "of this driver's firmware, or of the board or its slot.",
         .remedies = {look(log_of_driver), machine("install a newer driver"),
                      others("power the machine off and on   (a reset is refused in this state; ends every program)")},
         .rank = Rank::symptom},
        {.name = "nvidia-smi finds no GPU",
         .needles = {"No devices were found"},
         .meaning = "The module is loaded and shows no GPU: it could not start it (GSP, Above 4G Decoding, BAR), the "
                    "board needs the open module (RTX 50 and newer) or the proprietary one (before Turing), or it is "
                    "passed on to a virtual machine.",
         .claims = {"000-02"},
         .remedies = {look(log_of_driver), look("lspci -nnk -d 10de:   (which module has it? rev ff: off the bus)"),
                      look("cat /proc/driver/nvidia/version   (Open Kernel Module?)")},
         .read = read_no_devices,
         .rank = Rank::echo,
         .certain = false},
        {.name = "no permission for the GPU",
         .needles = {"NVML: Insufficient Permissions", "NVMLError_NoPermission", "/dev/nvidiactl: Permission denied",
                     "/dev/nvidia0: Permission denied", "'/dev/nvidiactl': Permission denied"},
         .meaning = "This user may not open the GPU's device nodes: a group that the system asks for, a limit of the "
                    "job or the container.",
         .claims = {"000-02"},
         .remedies =
             {look("ls -l /dev/nvidia*; id"),
              machine("sudo usermod -aG video $USER   (the group that ls shows; then log in again; undo: sudo "
                      "gpasswd -d $USER video)"),
              "docker run --gpus all ..., srun --gres=gpu:1 ...   (in a container or a job)",
              "podman run --security-opt=label=disable ...   (SELinux, as on Fedora and RHEL: tells whether it is "
              "its labels)"},
         .hints = {{"podman run", look("ls -l /dev/nvidia*; id   (which group may open them?)")},
                   {"podman run",
                    "podman run --group-add keep-groups --device nvidia.com/gpu=all ...   (without root "
                    "podman drops the user's groups; needs crun)"},
                   {"podman run", "podman run --security-opt=label=disable ...   (SELinux, as on Fedora and RHEL)"},
                   {"podman run", machine("sudo setsebool -P container_use_devices true   (undo: ... false)")}},
         .read = read_refused},
        {.name = "GPU refused by the IOMMU",
         .needles = {"IO_PAGE_FAULT", "DMAR: [DMA Read", "DMAR: [DMA Write", "[DMA Read NO_PASID]",
                     "[DMA Write NO_PASID]"},
         .meaning =
             "The IOMMU refused an access of the GPU to memory that it was not given: most often copies from GPU to "
             "GPU (peer access), which an IOMMU that translates does not let pass.",
         .claims = {"001-08"},
         .remedies =
             {look("sudo dmesg | grep -iE 'iommu|dmar'; cat /proc/cmdline"),
              "NCCL_P2P_DISABLE=1 python ...   (without peer access: tells whether it is that)",
              machine("iommu=pt   (on the kernel's command line, then reboot; or switch the IOMMU or ACS off in the "
                      "firmware, if no virtual machine needs it)"),
              look("sudo dmesg | grep -iE 'xid|nvrm'")},
         .near = {"nvidia", "NVIDIA", "NVRM"}},
        {.name = "nvidia-smi needs more rights",
         .needles = {": Insufficient Permissions", ": Insufficient permissions"},
         .meaning = "This command of nvidia-smi lists or changes what only root may: MIG instances, clocks, limits of "
                    "power, modes.",
         .remedies = {machine("sudo nvidia-smi ...   (the same command, as root)"),
                      look("ls -l /proc/driver/nvidia/capabilities /dev/nvidia-caps   (MIG: who may use it)"),
                      "docker run -e NVIDIA_MIG_MONITOR_DEVICES=all --cap-add SYS_ADMIN ...   (MIG, in a container)"},
         .hints = {{"visiting device",
                    "NVIDIA_MIG_MONITOR_DEVICES=all   (in the environment of the device plugin's "
                    "container, with SYS_ADMIN: it asks about MIG instances)"},
                   {"visiting device",
                    look("ls -l /proc/driver/nvidia/capabilities /dev/nvidia-caps   (on the node)")}}},
        {.name = "NVML does not start",
         .needles = {"Can't initialize NVML", "Failed to initialize NVML", "nvmlInit failed", "NVMLError_",
                     "NVMLError: "},
         .meaning = "NVML, which nvidia-smi and PyTorch ask about the GPUs, did not start; CUDA may work all the same.",
         .remedies = {look("nvidia-smi"), look("tocuda doctor   (on that machine)")},
         .read = [](std::string_view text, std::size_t, Explanation& told) { tell_of_wsl(text, told); },
         .rank = Rank::symptom},
        {.name = "GPU needs another kernel module",
         .needles = {"is not supported by open", "requires use of the NVIDIA open kernel modules",
                     "installed in this system is not supported by the", "requires the NVIDIA open kernel modules",
                     "because it does not include the required GPU"},
         .meaning = "The loaded module does not drive this GPU: it is too old or too new for this driver, or it needs "
                    "the other kind of module. The open one drives Turing (RTX 20, T4) and newer, and is needed for "
                    "Blackwell; the proprietary one drives older GPUs, up to driver 580.",
         .claims = {"000-02"},
         .remedies = {look("lspci -nnk -d 10de:   (which module has it?)"), look(log_of_driver),
                      machine("sudo ubuntu-drivers install --gpgpu   (Ubuntu: chooses the module for this GPU)")},
         .read = read_other_module},
        {.name = "module finds no GPU that it can drive",
         .needles = {"NVIDIA probe routine failed for", "NVRM: No NVIDIA", "could not insert 'nvidia': No such device",
                     "could not insert 'nvidia_drm': No such device", "could not insert 'nvidia_uvm': No such device",
                     "could not insert 'nvidia_modeset': No such device",
                     "could not insert 'nvidia': Input/output error", "probe of 0000"},
         .meaning = "The module is loaded and drives none of the GPUs; the lines before it say why: another driver "
                    "holds them, another kind of module is needed, or they have no addresses.",
         .claims = {"000-02"},
         .remedies = {look(log_of_driver), look("lspci -nnk -d 10de:   (which module has it?)")},
         .read = read_no_adapter,
         .near = {"nvidia", "NVIDIA"},
         .rank = Rank::symptom},
        {.name = "open module of an old driver",
         .needles = {"Open nvidia.ko is only ready for use on Data Center GPUs", "OpenRmEnableUnsupportedGpus"},
         .meaning = "The open module of drivers 515 to 550 drives GPUs of data centres only, unless it is told "
                    "otherwise; those of GeForce and workstations need the proprietary one there, or a newer driver.",
         .claims = {"000-02"},
         .remedies = {look("cat /proc/driver/nvidia/version"),
                      machine("sudo ubuntu-drivers install   (a newer driver, or one without \"-open\" in its name)"),
                      machine("echo options nvidia NVreg_OpenRmEnableUnsupportedGpus=1 | sudo tee "
                              "/etc/modprobe.d/nvidia-open.conf   (then reboot; undo: remove that file)")},
         .applies =
             [](std::string_view text, std::size_t at) {  // not where that is done
                 return !contains(text_near(text, at, 0, 32), "UnsupportedGpus=1");
             }},
        {.name = "GPUDirect RDMA: memory freed first",
         .needles = {"nv_get_p2p_free_callback"},
         .meaning = "nvidia-peermem notes that a program ended before the network adapter gave back the memory that it "
                    "had registered. It follows from the end of a program and needs nothing by itself.",
         .remedies = {look("sudo dmesg | grep -iE 'xid|nvrm'   (did something fail before it?)")},
         .rank = Rank::notice},
        {.name = "program crashed in a CUDA library",
         .needles = {" in libnccl", " in libcuda", " in libtorch", " in libcudnn", " in libcublas", " in libnvidia"},
         .meaning = "The kernel notes that a program crashed (segmentation fault) within this library: a bug of it or "
                    "of its caller, libraries of several versions, or memory of the host that fails.",
         .remedies = {"python -X faulthandler ...   (prints where it was)", "NCCL_DEBUG=INFO python ...   (libnccl)",
                      look("pip list | grep -iE 'torch|nccl|nvidia'"), look("sudo dmesg | grep -iE 'xid|mce'")},
         .in_line = {"segfault at", "general protection"},
         .rank = Rank::symptom},
        {.name = "GPUDirect RDMA not loaded",
         .needles = {"could not insert 'nvidia_peermem'", "nvidia_peermem: disagrees about version",
                     "nvidia-peermem: Unknown symbol", "nvidia_peermem: Unknown symbol"},
         .meaning = "nvidia_peermem, through which network adapters reach the GPU's memory, does not fit the "
                    "InfiniBand drivers: it was built before them. CUDA works without it.",
         .remedies = {look("modinfo nvidia_peermem; ofed_info -s"),
                      machine("sudo dkms autoinstall   (after installing the InfiniBand drivers)"),
                      "NCCL_NET_GDR_LEVEL=LOC python ...   (NCCL without it)"}},
        {.name = "GPU does not wake up",
         .needles = {"previous Suspend call might have failed",
                     "PreserveVideoMemoryAllocations module parameter is set"},
         .meaning =
             "The driver did not save or restore the GPU around suspend: its services for that do not run, or no "
             "program may use the GPU meanwhile. Until the next boot CUDA may fail.",
         .remedies =
             {look("systemctl status nvidia-suspend nvidia-resume; cat /proc/driver/nvidia/params | grep Preserve"),
              machine("sudo systemctl enable nvidia-suspend nvidia-resume nvidia-hibernate   (undo: disable)"),
              others("sudo reboot   (now; ends every program of the machine)")},
         .rank = Rank::symptom},
        {.name = "PCIe errors of the GPU",
         .needles = {"PCIe Bus Error: severity", "AER: Corrected error", "AER: Uncorrected"},
         .meaning =
             "The link between the board and the GPU has errors. Corrected ones cost speed; uncorrected ones lose the "
             "GPU: seating, a riser, power or its power saving.",
         .remedies = {look("lspci -vv -d 10de: | grep -E 'LnkSta:|DevSta'; nvidia-smi -q | grep -A3 Replays"),
                      machine("pcie_aspm=off   (on the kernel's command line, then reboot: without the link's power "
                              "saving; undo: remove it)"),
                      others("seat the board anew, without a riser   (with the machine off)")},
         .in_line = {"nvidia"},
         .rank = Rank::notice},
    };
}

}  // namespace tocuda::doctor
