// tocuda, Apache-2.0.
// Every reader either returns its field or records it as unavailable with a cause.
#include "machine/facts.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <set>

#include "machine/text_file.hpp"
#include "model/utc.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

namespace fs = std::filesystem;

// When the NVIDIA kernel module was loaded. The module starts a kernel thread when it is loaded, and the kernel records
// the start of each thread. File times under /sys and /proc would not help: they are those of the first access.
struct DriverLoad {
    std::int64_t ticks_since_boot = 0;
    std::optional<std::string> time{};  // UTC
};

// The module's kernel threads have the names of its work queues.
bool is_driver_thread(std::string_view name) {
    constexpr std::array<std::string_view, 3> names{"nv_queue", "nvidia-modeset/", "UVM global queue"};
    return std::ranges::any_of(names, [&](std::string_view begin) { return name.starts_with(begin); });
}

std::string_view name_in(std::string_view stat) {
    const auto open = stat.find('(');
    const auto close = stat.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
    return stat.substr(open + 1, close - open - 1);
}

bool is_kernel_thread(const fs::path& process) {
    const auto command = read_text(process / "cmdline");
    return command && command->empty();
}

std::optional<std::int64_t> boot_seconds(const fs::path& proc) {
    const auto stat = read_text(proc / "stat");
    if (!stat) return std::nullopt;
    for (const auto& line : lines_of(*stat))
        if (line.starts_with("btime ")) return whole_number(line.substr(6));
    return std::nullopt;
}

bool is_version(std::string_view word) {
    return word.find('.') != std::string_view::npos && word.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::optional<DriverLoad> driver_load(const fs::path& proc) {
    std::optional<DriverLoad> load;
    std::error_code failed;
    for (const auto& process : fs::directory_iterator(proc, failed)) {
        if (!whole_number(process.path().filename().string())) continue;
        const auto stat = read_text(process.path() / "stat");
        if (!stat || !is_driver_thread(name_in(*stat)) || !is_kernel_thread(process.path())) continue;
        const auto ticks = start_ticks_of(*stat);
        if (ticks && (!load || *ticks < load->ticks_since_boot)) load = DriverLoad{*ticks, {}};
    }
    if (!load) return std::nullopt;
    if (const auto boot = boot_seconds(proc))
        load->time = utc_text(
            std::chrono::sys_seconds{std::chrono::seconds{*boot + load->ticks_since_boot / sysconf(_SC_CLK_TCK)}});
    return load;
}

// Returns version and flavour from the text of /proc/driver/nvidia/version.
Driver kernel_module_of(std::string_view text) {
    Driver driver;
    for (const auto& line : lines_of(text)) {
        if (!line.starts_with("NVRM version:")) continue;
        if (line.find("Kernel Module") != std::string::npos)
            driver.flavour = line.find("Open Kernel Module") != std::string::npos ? "open" : "proprietary";
        for (const auto word : words_of(line))
            if (!driver.kernel_module && is_version(word)) driver.kernel_module = std::string(word);
    }
    return driver;
}

class Reader {
public:
    Reader(fs::path where, Facts& read) : root(std::move(where)), facts(read) {}

    std::optional<std::string> first_line_of(const char* field, const char* file) {
        const auto text = read_text(root / file);
        if (!text) return without(field, "/" + std::string(file) + " cannot be read");
        const auto line = text->substr(0, text->find('\n'));
        if (line.empty()) return without(field, "/" + std::string(file) + " is empty");
        return line;
    }

    std::nullopt_t without(const char* field, const std::string& cause) {
        facts.unavailable.push_back({field, cause});
        return std::nullopt;
    }

    const fs::path root;

private:
    Facts& facts;
};

std::string unquoted(std::string text) {
    if (text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
        return text.substr(1, text.size() - 2);
    return text;
}

std::optional<std::string> operating_system(Reader& read) {
    for (const char* file : {"etc/os-release", "usr/lib/os-release"}) {
        const auto text = read_text(read.root / file);
        if (!text) continue;
        for (const auto& line : lines_of(*text))
            if (line.starts_with("PRETTY_NAME=")) return unquoted(line.substr(12));
        return read.without("machine.os", "/" + std::string(file) + " has no PRETTY_NAME");
    }
    return read.without("machine.os", "neither /etc/os-release nor /usr/lib/os-release can be read");
}

std::optional<std::string> processor(Reader& read) {
    const auto text = read_text(read.root / "proc/cpuinfo");
    if (!text) return read.without("machine.cpu", "/proc/cpuinfo cannot be read");
    for (const auto& line : lines_of(*text)) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return read.without("machine.cpu", "/proc/cpuinfo has no model name");
}

// "node10" is a numbered "node".
bool is_numbered(const std::string& name, std::string_view word) {
    return name.size() > word.size() && name.starts_with(word) &&
           std::all_of(name.begin() + static_cast<std::ptrdiff_t>(word.size()), name.end(),
                       [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

std::string line_in(const fs::path& file) {
    const auto text = read_text(file);
    return text ? text->substr(0, text->find('\n')) : "";
}

std::optional<int> numa_nodes(Reader& read) {
    std::error_code failed;
    int count = 0;
    for (const auto& entry : fs::directory_iterator(read.root / "sys/devices/system/node", failed))
        if (is_numbered(entry.path().filename().string(), "node")) ++count;
    if (count > 0) return count;
    return read.without("machine.numa_nodes", "/sys/devices/system/node lists no node");
}

std::optional<std::string> cpu_governor(Reader& read) {
    std::error_code failed;
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(read.root / "sys/devices/system/cpu", failed))
        if (is_numbered(entry.path().filename().string(), "cpu"))
            found.insert(line_in(entry.path() / "cpufreq/scaling_governor"));
    found.erase("");
    if (!found.empty()) return joined(found);
    return read.without("machine.cpu_governor", "no CPU below /sys/devices/system/cpu has a scaling_governor");
}

// Of NVIDIA's display devices.
std::optional<std::string> iommu(Reader& read) {
    std::error_code failed;
    std::set<std::string> found;
    for (const auto& entry : fs::directory_iterator(read.root / "sys/bus/pci/devices", failed)) {
        const auto& device = entry.path();
        if (line_in(device / "vendor") != "0x10de" || !line_in(device / "class").starts_with("0x03")) continue;
        const auto type = line_in(device / "iommu_group/type");
        found.insert(type.empty() ? "off" : type);
    }
    if (!found.empty()) return joined(found);
    return read.without("machine.iommu", "/sys/bus/pci/devices shows no GPU of NVIDIA");
}

// dpkg's database has "Package: ", "Status: ... installed" and "Version: " in each of its paragraphs.
std::optional<std::string> linux_firmware(Reader& read) {
    constexpr std::array<std::string_view, 3> packages{"linux-firmware", "firmware-nvidia-gsp",
                                                       "firmware-misc-nonfree"};
    std::set<std::string> found;
    std::string package;
    bool installed = false;
    for (const auto& line : lines_of(read_text(read.root / "var/lib/dpkg/status").value_or(""))) {
        if (line.starts_with("Package: ")) package = line.substr(9);
        if (line.starts_with("Status: ")) installed = line.ends_with(" installed");
        if (line.starts_with("Version: ") && installed && std::ranges::find(packages, package) != packages.end())
            found.insert(package + " " + line.substr(9));
    }
    if (!found.empty()) return joined(found);
    return read.without("machine.linux_firmware", "/var/lib/dpkg/status names no package of it");
}

Driver kernel_driver(Reader& read) {
    const auto text = read_text(read.root / "proc/driver/nvidia/version");
    if (!text) {
        const char* cause = "no NVIDIA kernel module is loaded (there is no /proc/driver/nvidia/version)";
        read.without("driver.kernel_module", cause);
        read.without("driver.flavour", cause);
        return {};
    }
    auto driver = kernel_module_of(*text);
    if (!driver.kernel_module) read.without("driver.kernel_module", "/proc/driver/nvidia/version has no version");
    if (!driver.flavour) read.without("driver.flavour", "/proc/driver/nvidia/version does not mention a kernel module");
    return driver;
}

void read_load(Reader& read, Facts& facts) {
    if (!facts.driver.kernel_module) {
        read.without("driver_loaded", "no NVIDIA kernel module is loaded");
        return;
    }
    const auto load = driver_load(read.root / "proc");
    if (!load) {
        read.without("driver_loaded", "no kernel thread of the NVIDIA module is visible here (a container?)");
        return;
    }
    facts.load_mark = std::to_string(load->ticks_since_boot);
    facts.driver_loaded = load->time;
    if (!load->time) read.without("driver_loaded", "/proc/stat has no boot time");
}

}  // namespace

Facts read_facts(const fs::path& root) {
    Facts facts;
    Reader read(root, facts);
    facts.machine.host = read.first_line_of("machine.host", "proc/sys/kernel/hostname");
    facts.machine.os = operating_system(read);
    facts.machine.kernel = read.first_line_of("machine.kernel", "proc/sys/kernel/osrelease");
    facts.machine.cpu = processor(read);
    facts.machine.numa_nodes = numa_nodes(read);
    facts.machine.cpu_governor = cpu_governor(read);
    facts.machine.iommu = iommu(read);
    facts.machine.linux_firmware = linux_firmware(read);
    facts.boot = read.first_line_of("boot", "proc/sys/kernel/random/boot_id");
    facts.driver = kernel_driver(read);
    read_load(read, facts);
    return facts;
}

std::optional<std::int64_t> start_ticks_of(std::string_view stat) {
    const auto close = stat.rfind(')');
    if (close == std::string_view::npos) return std::nullopt;
    // The first word is field 3, the state; the start time is field 22.
    const auto words = words_of(stat.substr(close + 1));
    return words.size() > 19 ? whole_number(words[19]) : std::nullopt;
}

}  // namespace tocuda
