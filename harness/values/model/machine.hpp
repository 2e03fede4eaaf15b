// tocuda, Apache-2.0.
// A machine, and the `run` line that describes it at the head of each section of a result file. A value that could not
// be read is absent and is listed with the cause in `unavailable`.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/benchmark.hpp"
#include "model/evidence.hpp"
#include "model/plan.hpp"

namespace tocuda {

struct Machine {
    std::optional<std::string> host{};
    std::optional<std::string> os{};
    std::optional<std::string> kernel{};
    std::optional<std::string> cpu{};
    std::optional<int> numa_nodes{};
    std::optional<std::string> cpu_governor{};     // "performance"; several, if the CPUs differ
    std::optional<std::string> iommu{};            // how it treats the GPUs: "DMA-FQ", "identity", "off"
    std::optional<std::string> linux_firmware{};   // version of the package
    std::optional<bool> confidential_computing{};  // whether the GPUs are in this mode

    bool operator==(const Machine&) const = default;
};

struct Driver {
    std::optional<std::string> kernel_module{};  // "580.95.05"
    std::optional<std::string> cuda{};           // "13.0": the newest CUDA version that it supports
    std::optional<std::string> flavour{};        // "open", "proprietary" or "simulated"
    // What comes with it, and changes with it; several values if the GPUs differ.
    std::optional<std::string> gsp_firmware{};     // version of what runs on the GPUs' own processors, or "off"
    std::optional<std::string> pageable_access{};  // of GPUs to pageable memory: "none", "hmm" or, by hardware, "ats"
    // Version of a libcuda that processes loaded in place of the installed one (`bench --against-driver`), whose `cuda`
    // is then the above. Such a section is no start of any driver.
    std::optional<std::string> libcuda{};

    bool operator==(const Driver&) const = default;
};

// "driver 580.95.05", "libcuda 590.44.01 on module 580.95.05"
inline std::string driver_words(const Driver& driver) {
    const auto module = driver.kernel_module.value_or("unknown");
    return driver.libcuda ? "libcuda " + *driver.libcuda + " on module " + module : "driver " + module;
}

struct PcieLink {
    std::optional<int> generation{};  // current: an idle link may drop to a lower generation
    std::optional<int> width{};
    std::optional<int> generation_max{};  // of GPU and slot; in a virtual machine it may be wrong
    std::optional<int> width_max{};
    std::optional<int> gpu_generation_max{};  // of the GPU alone

    bool operator==(const PcieLink&) const = default;
};

// That the link can have: a virtual machine's slot may name one below what it has.
constexpr std::optional<int> highest_generation(const PcieLink& link) {
    return std::max(link.generation_max, link.gpu_generation_max);
}

struct Gpu {
    int index = 0;  // the 0 of "cuda:0"
    std::optional<std::string> uuid{};
    std::optional<std::string> name{};
    std::optional<std::string> vbios{};
    std::optional<std::string> compute_capability{};  // "9.0"
    std::optional<std::int64_t> memory_bytes{};
    std::optional<double> power_limit_w{};
    std::optional<bool> ecc{};
    std::optional<bool> mig{};
    std::optional<bool> persistence{};
    PcieLink pcie{};
    std::optional<std::int64_t> bar1_bytes{};  // of its memory, what others on the bus can reach at once

    bool operator==(const Gpu&) const = default;
};

// By its UUID, as the driver and NVML write it.
inline constexpr const char* mig_prefix = "MIG-";
inline bool is_mig_instance(const Gpu& gpu) { return gpu.uuid.value_or("").starts_with(mig_prefix); }

struct Suite {
    std::string version{};
    std::optional<std::string> commit{};
    bool dirty = false;

    bool operator==(const Suite&) const = default;
};

struct LibTorch {
    std::optional<std::string> version{};
    std::optional<std::string> build{};

    bool operator==(const LibTorch&) const = default;
};

struct Cuda {
    std::optional<std::string> runtime{};
    std::optional<std::string> toolkit{};
    std::vector<std::string> architectures{};

    bool operator==(const Cuda&) const = default;
};

struct Unavailable {
    std::string field;  // "driver.kernel_module", "gpus[0].vbios"
    std::string cause;

    bool operator==(const Unavailable&) const = default;
};

// The rank of this process among those that a launcher (srun, mpirun, hydra, torchrun) started together.
struct Fleet {
    std::string launcher{};
    int rank = 0;
    int size = 1;
    int local_rank = 0;  // within the node
    std::string node{};  // host name

    bool operator==(const Fleet&) const = default;
};

// Of a section whose rows another tool measured: from which file they were imported, and how it was read.
struct Import {
    std::string tool{};  // "nvbandwidth"
    std::optional<std::string> version{};
    std::string file{};    // its name, without folders
    std::string sha256{};  // of its bytes
    int convention = 1;    // what its numbers were taken to mean; part of a row's id, as a protocol's version is

    std::string words() const { return tool + (version ? " " + *version : ""); }  // "nvbandwidth v0.8"
    bool operator==(const Import&) const = default;
};

// The optional fields of each part.
inline constexpr std::tuple gpu_fields{Field{"uuid", &Gpu::uuid},
                                       Field{"name", &Gpu::name},
                                       Field{"vbios", &Gpu::vbios},
                                       Field{"compute_capability", &Gpu::compute_capability},
                                       Field{"memory_bytes", &Gpu::memory_bytes},
                                       Field{"power_limit_w", &Gpu::power_limit_w},
                                       Field{"ecc", &Gpu::ecc},
                                       Field{"mig", &Gpu::mig},
                                       Field{"persistence", &Gpu::persistence},
                                       Field{"bar1_bytes", &Gpu::bar1_bytes}};
inline constexpr std::tuple link_fields{Field{"generation", &PcieLink::generation}, Field{"width", &PcieLink::width},
                                        Field{"generation_max", &PcieLink::generation_max},
                                        Field{"width_max", &PcieLink::width_max},
                                        Field{"gpu_generation_max", &PcieLink::gpu_generation_max}};
inline constexpr std::tuple machine_fields{Field{"host", &Machine::host},
                                           Field{"os", &Machine::os},
                                           Field{"kernel", &Machine::kernel},
                                           Field{"cpu", &Machine::cpu},
                                           Field{"numa_nodes", &Machine::numa_nodes},
                                           Field{"cpu_governor", &Machine::cpu_governor},
                                           Field{"iommu", &Machine::iommu},
                                           Field{"linux_firmware", &Machine::linux_firmware},
                                           Field{"confidential_computing", &Machine::confidential_computing}};
inline constexpr std::tuple driver_fields{Field{"kernel_module", &Driver::kernel_module},
                                          Field{"cuda", &Driver::cuda},
                                          Field{"flavour", &Driver::flavour},
                                          Field{"gsp_firmware", &Driver::gsp_firmware},
                                          Field{"pageable_access", &Driver::pageable_access},
                                          Field{"libcuda", &Driver::libcuda}};
inline constexpr std::tuple cuda_fields{Field{"runtime", &Cuda::runtime}, Field{"toolkit", &Cuda::toolkit}};
inline constexpr std::tuple libtorch_fields{Field{"version", &LibTorch::version}, Field{"build", &LibTorch::build}};

struct RunLine {
    int schema = 1;
    std::string run{};   // a UUID
    std::string time{};  // UTC, "2026-11-21T10:00:00Z"
    std::string verb{};
    Device device = Device::none;
    std::string session{};  // a UUID
    std::optional<std::string> boot{};
    std::optional<std::string> driver_loaded{};  // UTC
    Suite suite{};
    Machine machine{};
    Driver driver{};
    Cuda cuda{};
    LibTorch libtorch{};
    std::vector<Gpu> gpus{};
    std::optional<Fleet> fleet{};                 // nullopt: started alone
    std::map<std::string, std::string> labels{};  // what a person says of the host: "rack": "r12"
    std::optional<Protocol> protocol{};           // of a run that measures
    std::uint64_t seed = 0;
    std::vector<std::string> command{};
    std::optional<std::string> resumes{};  // the `run` that this section resumes
    std::optional<Import> imported{};      // nullopt: tocuda measured
    std::shared_ptr<const Plan> plan{};    // null in files of versions that recorded none
    std::vector<Unavailable> unavailable{};
};

// What a build of tocuda reports about itself to another build.
struct Build {
    Suite suite{};
    int protocol = 1;  // version of the measurement protocol

    bool operator==(const Build&) const = default;
};

}  // namespace tocuda
