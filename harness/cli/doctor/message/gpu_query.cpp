// tocuda, Apache-2.0.
// The keys and values that nvidia-smi prints with -q.
#include <algorithm>
#include <array>
#include <set>

#include "doctor/message/dump_lines.hpp"
#include "doctor/message/excerpt.hpp"
#include "doctor/message/gpu_dump.hpp"
#include "model/words.hpp"

namespace tocuda::doctor {
namespace {

// What no other tool prints; two of them are enough, as the begin may be missing.
constexpr auto query_keys = std::to_array<std::string_view>(
    {"Attached GPUs", "Product Name", "Product Architecture", "GPU UUID", "Remapping Failure Occurred",
     "GPU Recovery Action", "Compute Mode", "Persistence Mode", "VBIOS Version", "HW Thermal Slowdown", "SW Power Cap",
     "GPU Current Temp", "DRAM Uncorrectable", "Correctable Error", "Uncorrectable Error", "Pending"});

// "Pending                : Yes", "**Pending**: Yes"; other text has no space before a colon.
bool has_value(std::string_view line) { return contains(line, " : ") || contains(line, "**:"); }

int recovery_number(std::string_view words) {
    if (words.empty() || words == "None" || words == "N/A") return 0;
    if (contains(words, "Reboot")) return 2;
    if (contains(words, "P2P")) return 3;
    return contains(words, "Drain") ? 4 : 1;
}

class GpuQueryReader {
public:
    std::vector<GpuDump> dumps{};

    void read(std::string_view line) {
        const bool begins =
            contains(line, "NVSMI LOG") || is_known(line, "Driver Version") || is_known(line, "Attached GPUs");
        if (begins && !dump().gpus.empty()) {
            dumps.emplace_back();
            section.clear();
        }
        if (has_value(line) && !contains(line, "GPU is lost")) return read_value(line);
        if (contains(line, "GPU 0") && !bus_address_in(line).empty()) begin_gpu(line);
        section = line;
        if (section == "Volatile" || section == "Aggregate" || section == "Retired Pages")
            is_volatile = section == "Volatile";
        if (contains(line, "GPU is lost")) gpu().trouble = nvml_gpu_lost;
    }

private:
    std::string section{};
    bool is_volatile = false;

    static bool is_known(std::string_view line, std::string_view key) { return value_of_key(line, key).has_value(); }

    GpuDump& dump() {
        if (dumps.empty()) dumps.emplace_back();
        return dumps.back();
    }
    PastedGpu& pasted() {
        auto& gpus = dump().gpus;
        if (gpus.empty()) gpus.push_back({.health = {.index = -1}});
        return gpus.back();
    }
    GpuHealth& gpu() { return pasted().health; }
    bool in(std::string_view name) const { return section.ends_with(name); }

    void begin_gpu(std::string_view line) {
        dump().gpus.push_back({.health = {.index = -1, .pci = std::string(bus_address_in(line))}});
        section.clear();
        is_volatile = false;
    }

    void read_value(std::string_view line) {
        if (const auto driver = value_of_key(line, "Driver Version")) dump().driver = *driver;
        if (const auto cuda = value_of_key(line, "CUDA Version")) dump().cuda = *cuda;
        if (const auto number = value_of_key(line, "Attached GPUs")) dump().attached = whole_number<int>(*number);
        const bool is_head = is_known(line, "Driver Version") || is_known(line, "CUDA Version") ||
                             is_known(line, "Attached GPUs") || is_known(line, "Timestamp");
        if (is_head) return;
        read_identity(line);
        read_health(line);
        read_mode(line);
        read_use(line);
    }

    void read_identity(std::string_view line) {
        if (const auto name = value_of_key(line, "Product Name")) gpu().name = *name;
        if (const auto address = value_of_key(line, "Bus Id"); address && !gpu().pci) gpu().pci = *address;
    }

    void read_health(std::string_view line) {
        const auto is = [&](std::string_view key, std::string_view value) {
            return value_of_key(line, key).value_or("").starts_with(value);
        };
        if (const auto action = value_of_key(line, "Recovery Action")) gpu().recovery_action = recovery_number(*action);
        if (is("Reset Required", "Yes")) gpu().trouble = nvml_reset_required;
        if (is("Remapping Failure Occurred", "Yes")) gpu().remapping_failed = true;
        if (in("Remapped Rows") && is("Pending", "Yes")) gpu().remapping_pending = true;
        for (const std::string_view key : {"HW Thermal Slowdown", "SW Thermal Slowdown"})
            if (is(key, "Active")) gpu().clock_reasons = gpu().clock_reasons.value_or(0) | 0x40;
        if (is("HW Power Brake Slowdown", "Active")) gpu().clock_reasons = gpu().clock_reasons.value_or(0) | 0x80;
        const bool uncorrected =
            is_volatile && (contains(line, "Uncorrectable") || (in("Double Bit") && is_known(line, "Total")));
        if (const auto number = whole_number(line.substr(line.rfind(' ') + 1)); uncorrected && number)
            gpu().uncorrected_errors = gpu().uncorrected_errors.value_or(0) + *number;
    }

    void read_mode(std::string_view line) {
        const auto is = [&](std::string_view key, std::string_view value) {
            return value_of_key(line, key).value_or("").starts_with(value);
        };
        if (in("MIG Mode")) {
            if (is("Current", "Enabled") || is("Current", "Disabled")) gpu().mig = is("Current", "Enabled");
            if (is("Pending", "Enabled") || is("Pending", "Disabled")) gpu().mig_pending = is("Pending", "Enabled");
        }
        if (is("MIG Devices", "None")) gpu().mig_instances = 0;
        if (is("GPU Instance ID", "") && is_known(line, "GPU Instance ID") && in("MIG Device"))
            gpu().mig_instances = gpu().mig_instances.value_or(0) + 1;
        for (const auto& [word, mode] :
             {std::pair{"Default", ComputeMode::shared}, std::pair{"Exclusive_Process", ComputeMode::exclusive_process},
              std::pair{"Exclusive_Thread", ComputeMode::exclusive_thread},
              std::pair{"Prohibited", ComputeMode::prohibited}})
            if (is("Compute Mode", word)) gpu().compute_mode = static_cast<int>(mode);
    }

    void read_use(std::string_view line) {
        if (in("FB Memory Usage")) {
            if (is_known(line, "Total")) pasted().total_mib = number_after(line, ": ");
            if (is_known(line, "Used")) pasted().used_mib = number_after(line, ": ");
        }
        if (const auto warm = value_of_key(line, "GPU Current Temp"))
            pasted().celsius = whole_number<int>(warm->substr(0, warm->find(' ')));
        auto& list = dump().processes;
        if (is_known(line, "Process ID")) list = ProcessList::filled;
        if (value_of_key(line, "Processes").value_or("") == "None" && list == ProcessList::not_pasted)
            list = ProcessList::empty;
    }
};

}  // namespace

std::vector<GpuDump> read_gpu_queries(const Lines& lines) {
    std::set<std::string_view> known;
    for (const auto line : lines) {
        if (contains(line, "NVSMI LOG")) known.insert({"NVSMI", "LOG"});
        if (!has_value(line)) continue;
        for (const auto key : query_keys)
            if (value_of_key(line, key)) known.insert(key);
    }
    if (known.size() < 2) return {};
    GpuQueryReader reader;
    for (const auto line : lines) reader.read(line);
    // They are listed in the order of their numbers, if all are listed.
    for (auto& dump : reader.dumps)
        if (dump.attached == static_cast<int>(dump.gpus.size()))
            for (std::size_t at = 0; at < dump.gpus.size(); ++at) dump.gpus[at].health.index = static_cast<int>(at);
    // A list of units, which --unit adds, has the same head.
    const bool some = std::ranges::any_of(reader.dumps, [](const GpuDump& one) { return !one.gpus.empty(); });
    std::erase_if(reader.dumps, [&](const GpuDump& one) { return one.gpus.empty() && (some || one.driver.empty()); });
    return std::move(reader.dumps);
}

}  // namespace tocuda::doctor
