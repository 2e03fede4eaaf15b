// tocuda, Apache-2.0.
// The list of lspci, with any of its options.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "doctor/message/dump.hpp"
#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

constexpr auto bus_list_check = "PCI";

struct ListedGpu {
    PciGpu gpu{};
    bool gone = false;      // its registers read as ones
    std::string modules{};  // that the kernel has for it
};

struct ListedBus {
    std::vector<ListedGpu> gpus{};
    std::set<std::string_view> devices{};
    bool shows_graphics = false;
    bool shows_host = false;
    bool shows_other_bus = false;

    // As far as a list shows it that may have been cut, or searched for some words.
    bool is_whole() const { return shows_graphics && shows_host && shows_other_bus; }
};

// "3b:00.0 3D controller [0302]: NVIDIA ..." and, with -n, "3b:00.0 0302: 10de:2330 (rev a1)"
bool begins_device(std::string_view line, std::string_view address) {
    if (address.empty()) return false;
    const auto rest = stripped(line.substr(static_cast<std::size_t>(address.data() + address.size() - line.data())));
    const auto colon = rest.find(": ");
    if (colon == std::string_view::npos ||
        line[static_cast<std::size_t>(address.data() + address.size() - line.data())] != ' ')
        return false;
    const auto kind = rest.substr(0, colon);
    const bool numeric = kind.size() == 4 && kind.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    return numeric || contains(kind, "controller") || contains(kind, "bridge") || contains(kind, "device") ||
           (kind.ends_with(']') && kind.size() > 6 && kind[kind.size() - 6] == '[');
}

bool is_nvidia_gpu(std::string_view line) {
    const auto is_kind = [&](std::string_view name, std::string_view number) {
        return contains(line, name) || contains(line, number);
    };
    return (contains(line, "NVIDIA") || contains(line, "10de:")) &&
           (is_kind("VGA compatible controller", " 0300: ") || is_kind("3D controller", " 0302: ") ||
            is_kind("Display controller", " 0380: "));
}

int device_in(std::string_view line) {
    int device = 0;
    for (const std::string_view label : {"[10de:", "10de:", "NVIDIA Corporation Device "})
        if (const auto at = line.find(label); at != std::string_view::npos && device == 0)
            std::from_chars(line.data() + at + label.size(), line.data() + line.size(), device, 16);
    return device;
}

// "GP108 [GeForce GT 1030]", which lspci has from its list of names
std::string name_in(std::string_view line) {
    constexpr std::string_view vendor = "NVIDIA Corporation ";
    const auto at = line.find(vendor);
    if (at == std::string_view::npos) return "";
    const auto name = line.substr(at + vendor.size());
    const auto end = std::min({name.find(" [10de"), name.find(" (rev"), name.find(" (prog-if"), name.size()});
    return name.starts_with("Device ") ? "" : std::string(stripped(name.substr(0, end)));
}

void read_of_device(std::string_view line, ListedGpu& one) {
    if (const auto driver = value_of_key(line, "Kernel driver in use")) one.gpu.driver = *driver;
    if (const auto modules = value_of_key(line, "Kernel modules")) one.modules = *modules;
    if (contains(line, "Unknown header type 7f")) one.gone = true;
    if (!contains(line, "Memory at <unassigned>") && !contains(line, "Memory at <ignored>")) return;
    const auto region = number_after(line, "Region ");
    one.gpu.unplaced_bars.push_back(
        static_cast<int>(region.value_or(static_cast<std::int64_t>(one.gpu.unplaced_bars.size()))));
}

// One list may follow another, with more about the same devices.
ListedGpu& gpu_at(std::string_view address, ListedBus& bus) {
    const auto known = std::ranges::find(bus.gpus, address, [](const ListedGpu& one) { return one.gpu.address; });
    if (known != bus.gpus.end()) return *known;
    bus.gpus.push_back({.gpu = {.address = std::string(address)}});
    return bus.gpus.back();
}

void read_head(std::string_view line, ListedGpu& one) {
    if (one.gpu.device == 0) one.gpu.device = device_in(line);
    if (one.gpu.name.empty()) one.gpu.name = name_in(line);
    one.gone = one.gone || contains(line, "(rev ff)");
}

ListedBus read_bus(const Lines& lines) {
    ListedBus bus;
    constexpr std::string_view first_domain = "0000:";  // which lspci leaves out unless there are others
    ListedGpu* gpu = nullptr;                           // that the lines are about
    for (const auto line : lines) {
        auto address = bus_address_in(line);
        if (begins_device(line, address)) {
            if (address.starts_with(first_domain)) address.remove_prefix(first_domain.size());
            bus.devices.insert(address);
            bus.shows_host = bus.shows_host || contains(line, "Host bridge") || contains(line, " 0600: ");
            bus.shows_other_bus = bus.shows_other_bus || !address.starts_with("00:");
            bus.shows_graphics =
                bus.shows_graphics || contains(line, "VGA compatible") || contains(line, "3D controller");
            gpu = is_nvidia_gpu(line) ? &gpu_at(address, bus) : nullptr;
            if (gpu) read_head(line, *gpu);
        } else if (gpu) {
            read_of_device(line, *gpu);
        }
    }
    return bus;
}

// Any line of another text may look like a device's.
bool is_list(const ListedBus& bus) {
    constexpr std::size_t few = 3;
    return !bus.gpus.empty() || bus.shows_graphics || bus.devices.size() >= few;
}

std::optional<Finding> not_driven(const ListedGpu& one) {
    if (one.gone)
        return fault(bus_list_check,
                     one.gpu.address + " does not answer (rev ff): it has fallen off the bus, or is asleep",
                     "sudo dmesg | grep -iE 'xid|pcie|aer'   (if it fell off: power off and on)");
    if (!one.gpu.driver.empty() || one.modules.empty() || !one.gpu.unplaced_bars.empty()) return std::nullopt;
    const bool has_module = contains(", " + one.modules + ",", " nvidia,");
    return fault(bus_list_check,
                 fmt::format("{} at {} has no driver bound to it (Kernel modules: {})",
                             one.gpu.name.empty() ? "the GPU" : one.gpu.name, one.gpu.address, one.modules),
                 has_module ? "sudo modprobe nvidia   (if it fails: sudo dmesg | grep -i nvrm)"
                            : "nvidia-smi   (if it is not found: install NVIDIA's driver)");
}

}  // namespace

std::vector<Dump> buses_in(const Lines& lines) {
    const auto bus = read_bus(lines);
    if (!is_list(bus)) return {};
    Dump dump{.tool = "lspci", .not_seen = {"the kernel module", "the driver's libraries", "CUDA", "PyTorch"}};
    const auto plural = [](std::size_t number) { return number == 1 ? "" : "s"; };
    dump.read = fmt::format("{} device{}, {} NVIDIA GPU{}", bus.devices.size(), plural(bus.devices.size()),
                            bus.gpus.size(), plural(bus.gpus.size()));
    dump.findings.push_back(ok("read", dump.read));
    Seen seen;
    seen.bus.devices = static_cast<int>(bus.devices.size());
    for (const auto& one : bus.gpus) {
        if (auto found = not_driven(one)) dump.findings.push_back(*std::move(found));
        else seen.bus.gpus.push_back(one.gpu);
    }
    if (!seen.bus.gpus.empty())
        for (auto& one : check_bus(seen)) dump.findings.push_back(std::move(one));
    if (bus.gpus.empty())
        dump.findings.push_back(
            bus.is_whole()
                ? fault(bus_list_check, fmt::format("no NVIDIA GPU in this list of {} devices", bus.devices.size()),
                        "use a machine with an NVIDIA GPU; to a virtual machine, pass one through on its host")
                : unknown(bus_list_check, "no NVIDIA GPU in this list, which may not be the whole bus"));
    return {dump};
}

}  // namespace tocuda::doctor
