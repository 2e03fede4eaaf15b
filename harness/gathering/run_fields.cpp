// tocuda, Apache-2.0.
#include "gathering/run_fields.hpp"

#include <array>
#include <optional>
#include <utility>

#include "model/parameter_text.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

std::string text_of(const std::string& value) { return value; }
std::string text_of(bool value) { return value ? "yes" : "no"; }
std::string text_of(double value) { return plain(Value(value)); }
template <std::integral Integer>
    requires(!std::same_as<Integer, bool>)
std::string text_of(Integer value) {
    return std::to_string(value);
}

template <class Type>
void put(Fields& fields, const char* name, const std::optional<Type>& value) {
    if (value) fields.emplace(name, text_of(*value));
}

void put_software(Fields& fields, const RunLine& run) {
    put(fields, "driver.kernel_module", run.driver.kernel_module);
    put(fields, "driver.cuda", run.driver.cuda);
    put(fields, "driver.flavour", run.driver.flavour);
    put(fields, "cuda.runtime", run.cuda.runtime);
    put(fields, "cuda.toolkit", run.cuda.toolkit);
    std::string architectures;
    for (const auto& one : run.cuda.architectures) architectures += (architectures.empty() ? "" : " ") + one;
    if (!architectures.empty()) fields.emplace("cuda.architectures", architectures);
    put(fields, "libtorch.version", run.libtorch.version);
    put(fields, "libtorch.build", run.libtorch.build);
    if (!run.suite.version.empty()) fields.emplace("suite.version", run.suite.version);
    put(fields, "suite.commit", run.suite.commit);
    fields.emplace("suite.dirty", text_of(run.suite.dirty));
}

void put_machine(Fields& fields, const Machine& machine) {
    put(fields, "machine.host", machine.host);
    put(fields, "machine.os", machine.os);
    put(fields, "machine.kernel", machine.kernel);
    put(fields, "machine.cpu", machine.cpu);
    put(fields, "machine.numa_nodes", machine.numa_nodes);
}

void put_protocol(Fields& fields, const Protocol& protocol) {
    fields.emplace("protocol.name", protocol.name);
    fields.emplace("protocol.version", text_of(protocol.version));
    fields.emplace("protocol.launches_min", text_of(protocol.launches_min));
    fields.emplace("protocol.launches_max", text_of(protocol.launches_max));
    fields.emplace("protocol.launch_budget_s", text_of(protocol.launch_budget_s));
    fields.emplace("protocol.processes_min", text_of(protocol.processes_min));
}

struct Words {
    std::string_view field;  // without a GPU's number
    std::string_view words;
    std::string_view unit = "";
};

constexpr std::array known_words{
    Words{"driver.kernel_module", "driver"},
    Words{"driver.cuda", "CUDA of the driver"},
    Words{"driver.flavour", "flavour of the driver"},
    Words{"cuda.runtime", "CUDA runtime"},
    Words{"cuda.toolkit", "CUDA toolkit"},
    Words{"cuda.architectures", "CUDA architectures"},
    Words{"libtorch.version", "LibTorch"},
    Words{"libtorch.build", "build of LibTorch"},
    Words{"suite.version", "tocuda"},
    Words{"suite.commit", "commit of tocuda"},
    Words{"suite.dirty", "uncommitted changes of tocuda"},
    Words{"machine.host", "host"},
    Words{"machine.os", "operating system"},
    Words{"machine.kernel", "kernel"},
    Words{"machine.cpu", "CPU"},
    Words{"machine.numa_nodes", "NUMA nodes"},
    Words{"gpus", "GPUs"},
    Words{"gpus.uuid", "GPU"},
    Words{"gpus.name", "GPU's model"},
    Words{"gpus.vbios", "VBIOS"},
    Words{"gpus.compute_capability", "compute capability"},
    Words{"gpus.memory_bytes", "GPU's memory", " bytes"},
    Words{"gpus.power_limit_w", "power limit", " W"},
    Words{"gpus.ecc", "ECC"},
    Words{"gpus.mig", "MIG"},
    Words{"gpus.persistence", "persistence mode"},
    Words{"gpus.pcie.generation_max", "PCIe generation"},
    Words{"gpus.pcie.width_max", "link width"},
    Words{"protocol.name", "protocol"},
};

const Words* known(std::string_view field) {
    std::string plain_field(field.substr(0, field.find('[')));
    if (const auto end = field.find(']'); end != std::string_view::npos) plain_field += field.substr(end + 1);
    for (const auto& one : known_words)
        if (one.field == plain_field) return &one;
    return nullptr;
}

}  // namespace

Fields fields_of(const RunLine& run) {
    Fields fields;
    put_software(fields, run);
    put_machine(fields, run.machine);
    if (run.protocol) put_protocol(fields, *run.protocol);
    fields.emplace("device", word(run.device));
    return fields;
}

Fields fields_of(const Gpu& gpu) {
    Fields fields;
    put(fields, "uuid", gpu.uuid);
    put(fields, "name", gpu.name);
    put(fields, "vbios", gpu.vbios);
    put(fields, "compute_capability", gpu.compute_capability);
    put(fields, "memory_bytes", gpu.memory_bytes);
    put(fields, "power_limit_w", gpu.power_limit_w);
    put(fields, "ecc", gpu.ecc);
    put(fields, "mig", gpu.mig);
    put(fields, "persistence", gpu.persistence);
    put(fields, "pcie.generation_max", gpu.pcie.generation_max);
    put(fields, "pcie.width_max", gpu.pcie.width_max);
    return fields;
}

std::string part_of(std::string_view field) {
    const auto part = field.substr(0, field.find_first_of(".["));
    return part == "gpus" ? "gpu" : std::string(part);
}

std::string field_words(std::string_view field) {
    const auto* one = known(field);
    return one ? std::string(one->words) : std::string(field);
}

std::string short_value(std::string_view field, const std::string& value) {
    return field == "suite.commit" ? value.substr(0, 12) : value;
}

std::string value_words(std::string_view field, const std::string& value) {
    const auto* one = known(field);
    return short_value(field, value) + (one ? std::string(one->unit) : "");
}

std::string driver_text(const Driver& driver) {
    return driver.kernel_module.value_or("unknown") + (driver.cuda ? " (CUDA " + *driver.cuda + ")" : "");
}

}  // namespace tocuda
