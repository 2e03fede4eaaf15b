// tocuda, Apache-2.0.
// Gathers from the sections of result files, line by line, what a comparison needs: each process's median and whether
// it counts, each scenario's verdicts and error texts. Files may come in any order, and a section more than once. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "model/row.hpp"

namespace tocuda {

// UUID and model, because simulated GPUs of several models share their UUIDs. Both are empty without a GPU.
struct GpuIdentity {
    std::string uuid{};
    std::string model{};

    auto operator<=>(const GpuIdentity&) const = default;
};

// Identifies a row, whatever GPU it was measured on: rows of equal names were measured in the same way.
struct RowName {
    std::string benchmark{};
    Parameters parameters{};
    std::string id{};
    Device device = Device::none;
    Clock clock = Clock::device;
    int protocol = 0;
    std::optional<PrintedRate> rate{};  // of an imported row

    bool operator==(const RowName&) const = default;
};

inline constexpr const char* tail_quantile = "p99";
inline constexpr std::uint32_t no_text = 0;  // the number of the empty text
inline constexpr std::uint32_t no_gpu = 0;

struct GatheredSection;

// Stores each name once; a process's row refers to it by number. Likewise for GPUs and for texts that many rows share.
class RowNames {
public:
    RowNames() {
        number_of(std::string());
        number_of(GpuIdentity{});
    }
    RowNames(const RowNames&) = delete;
    RowNames& operator=(const RowNames&) = delete;
    ~RowNames() = default;
    // Of a quantile of the row's single operations: a row of its own, which has it as a parameter and in its id.
    std::uint32_t number_of(const MeasurementRow& row, const RunLine& run, const char* quantile = "");
    std::uint32_t number_of(const GpuIdentity& gpu);
    std::uint32_t number_of(const std::string& text);
    // Sections that were gathered with other names now refer to these, as if they had been gathered with them.
    void take_over(const RowNames& others, std::vector<GatheredSection>& sections);
    const RowName& name(std::uint32_t number) const { return names[number]; }
    const GpuIdentity& gpu(std::uint32_t number) const { return gpus[number]; }
    const std::string& text(std::uint32_t number) const { return texts[number]; }
    std::size_t size() const { return names.size(); }

private:
    std::vector<RowName> names;
    std::vector<GpuIdentity> gpus;
    std::vector<std::string> texts;
    std::vector<const std::string*> name_keys;  // by number, in the map below
    std::unordered_map<std::string, std::uint32_t> name_numbers;
    std::map<GpuIdentity, std::uint32_t> gpu_numbers;
    std::unordered_map<std::string, std::uint32_t> text_numbers;
    std::string key;
};

// One process's measurement of one row.
struct ProcessTime {
    std::uint32_t row = 0;
    std::uint32_t gpu = no_gpu;
    std::uint32_t peer = no_gpu;
    std::int32_t process = 0;
    double seconds = 0;               // the median of its samples
    std::int32_t clock_mhz = 0;       // of the SMs under load; 0: unknown
    std::uint32_t why = 0;            // why it does not count; number of a text
    std::uint32_t flags = 0;          // one per line; number of a text
    Status status = Status::ok;       // invalid: throttled, or without a time
    std::int8_t link_generation = 0;  // under load; 0: unknown
    std::int8_t link_width = 0;
    bool is_power_capped = false;  // which is why its clock may be low
};

struct SeenClaim {
    std::string scenario{};
    std::string variant{};
    Device device = Device::none;
    std::string claim{};
    Verdict verdict = Verdict::inconclusive;
};

struct SeenText {
    std::string scenario{};
    std::string variant{};
    Device device = Device::none;
    std::string key{};
    std::string text{};  // empty: there was no error
};

struct GatheredSection {
    RunLine run{};
    std::string digest{};     // of its bytes
    bool whole = false;       // it has an end line
    std::uint64_t times = 0;  // equal for sections whose samples are equal to the byte, in any order; 0 without samples
    std::vector<ProcessTime> processes{};
    std::vector<SeenClaim> claims{};
    std::vector<SeenText> texts{};
};

class Gathering {
public:
    explicit Gathering(RowNames& shared) : names(&shared) {}

    void begin(const RunLine& run);
    void add(const MeasurementRow& row);
    void add(const Row& row);
    void end(const std::string& digest, bool whole);
    void forget();  // drops the section that was begun last

    // Returns each section once, in order of time, and adds what is suspicious to `warnings`.
    std::vector<GatheredSection> finish(std::vector<std::string>& warnings);

private:
    RowNames* names;
    std::vector<GatheredSection> sections;
};

}  // namespace tocuda
