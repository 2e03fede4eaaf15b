// tocuda, Apache-2.0.
// NVIDIA's devices on the PCI bus, from /sys/bus/pci/devices.
#include <algorithm>
#include <charconv>
#include <cstdint>

#include "doctor/gather_machine.hpp"
#include "machine/text_file.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t nvidia = 0x10de;
constexpr std::uint64_t display_class = 0x03;
constexpr std::uint64_t bridge_class = 0x0680;  // NVSwitches among them
constexpr std::uint64_t memory_window = 0x200;
constexpr int bars = 6;

std::string line_in(const fs::path& file) {
    const auto text = read_text(file);
    return text ? text->substr(0, text->find('\n')) : "";
}

std::uint64_t hex(std::string_view word) {
    if (word.starts_with("0x")) word.remove_prefix(2);
    std::uint64_t number = 0;
    std::from_chars(word.data(), word.data() + word.size(), number, 16);
    return number;
}

// The kernel lists begin, end and flags of each window. A memory window with flags but no address was not placed.
std::vector<int> unplaced(const fs::path& device) {
    std::vector<int> found;
    const auto lines = lines_of(read_text(device / "resource").value_or(""));
    for (int bar = 0; bar < bars && bar < static_cast<int>(lines.size()); ++bar) {
        const auto words = words_of(lines[static_cast<std::size_t>(bar)]);
        if (words.size() == 3 && (hex(words[2]) & memory_window) != 0 && hex(words[0]) == 0) found.push_back(bar);
    }
    return found;
}

constexpr std::size_t first_extension = 0x100;
constexpr std::size_t extensions_end = 0x1000;
constexpr unsigned access_control = 0x0d;
constexpr unsigned redirects_requests_or_answers = 0x04 | 0x08;

unsigned word_at(const std::string& bytes, std::size_t at) {
    return static_cast<unsigned char>(bytes[at]) | static_cast<unsigned>(static_cast<unsigned char>(bytes[at + 1]))
                                                       << 8;
}

// Walks the list of extended capabilities in a bridge's configuration, which is cut off for everybody but root. They
// need not stand in ascending order, so that only their greatest number ends a list that leads back to itself.
std::optional<bool> redirects(const fs::path& bridge) {
    const auto bytes = read_text(bridge / "config").value_or("");
    if (bytes.size() < extensions_end) return std::nullopt;
    auto at = first_extension;
    for (auto left = (extensions_end - first_extension) / 8;
         left > 0 && at >= first_extension && at + 8 <= bytes.size(); --left) {
        if (word_at(bytes, at) == access_control) return (word_at(bytes, at + 6) & redirects_requests_or_answers) != 0;
        at = word_at(bytes, at + 2) >> 4;
    }
    return false;
}

// The folders of sysfs are nested like the bus: /sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0
std::vector<Bridge> bridges_above(const fs::path& device) {
    std::error_code none;
    std::vector<Bridge> found;
    for (auto folder = fs::canonical(device, none).parent_path(); fs::exists(folder / "vendor", none);
         folder = folder.parent_path())
        found.push_back({folder.filename(), redirects(folder)});
    return found;
}

PciGpu gpu_at(const fs::path& device) {
    std::error_code none;
    PciGpu gpu{.address = device.filename(), .device = static_cast<int>(hex(line_in(device / "device")))};
    gpu.driver = fs::read_symlink(device / "driver", none).filename();
    gpu.power_state = line_in(device / "power_state");
    gpu.unplaced_bars = unplaced(device);
    gpu.iommu = line_in(device / "iommu_group/type");
    gpu.bridges = bridges_above(device);
    return gpu;
}

}  // namespace

Bus see_bus(const fs::path& root) {
    Bus bus;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(root / "sys/bus/pci/devices", none)) {
        ++bus.devices;
        if (hex(line_in(entry.path() / "vendor")) != nvidia) continue;
        const auto kind = hex(line_in(entry.path() / "class"));
        if (kind >> 16 == display_class) bus.gpus.push_back(gpu_at(entry.path()));
        if (kind >> 8 == bridge_class) ++bus.switches;
    }
    std::ranges::sort(bus.gpus, {}, &PciGpu::address);
    return bus;
}

}  // namespace tocuda::doctor
