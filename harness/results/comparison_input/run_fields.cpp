// tocuda, Apache-2.0.
#include "comparison_input/run_fields.hpp"

#include <array>
#include <optional>

#include "model/parameter_values.hpp"
#include "model/row.hpp"
#include "model/words.hpp"

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
void put(Fields& fields, const std::string& name, const Type& value) {
    fields.emplace(name, text_of(value));
}
template <class Type>
void put(Fields& fields, const std::string& name, const std::optional<Type>& value) {
    if (value) put(fields, name, *value);
}

template <class Part, class List>
void put_part(Fields& fields, const std::string& name, const Part& part, const List& list) {
    for_each_field(part, list, [&](const char* field, const auto& value) { put(fields, name + field, value); });
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
    Words{"driver.gsp_firmware", "GSP firmware"},
    Words{"driver.pageable_access", "access to pageable memory"},
    Words{"driver.libcuda", "user-mode libcuda"},
    Words{"cuda.runtime", "CUDA runtime"},
    Words{"cuda.toolkit", "CUDA toolkit"},
    Words{"cuda.architectures", "CUDA architectures"},
    Words{"libtorch.version", "LibTorch"},
    Words{"libtorch.build", "build of LibTorch"},
    Words{"suite.version", "tocuda"},
    Words{"suite.commit", "commit of tocuda"},
    Words{"suite.dirty", "uncommitted changes of tocuda"},
    Words{"imported.tool", "tool"},
    Words{"imported.version", "version of the tool"},
    Words{"machine.host", "host"},
    Words{"machine.os", "operating system"},
    Words{"machine.kernel", "kernel"},
    Words{"machine.cpu", "CPU"},
    Words{"machine.numa_nodes", "NUMA nodes"},
    Words{"machine.cpu_governor", "CPU governor"},
    Words{"machine.iommu", "IOMMU"},
    Words{"machine.linux_firmware", "firmware package"},
    Words{"machine.confidential_computing", "confidential computing"},
    Words{"gpus", "GPUs"},
    Words{"gpus.uuid", "GPU UUID"},
    Words{"gpus.name", "GPU's model"},
    Words{"gpus.vbios", "VBIOS"},
    Words{"gpus.compute_capability", "compute capability"},
    Words{"gpus.memory_bytes", "GPU's memory", " bytes"},
    Words{"gpus.power_limit_w", "power limit", " W"},
    Words{"gpus.ecc", "ECC"},
    Words{"gpus.mig", "MIG"},
    Words{"gpus.persistence", "persistence mode"},
    Words{"gpus.bar1_bytes", "BAR1", " bytes"},
    Words{"gpus.pcie.generation_max", "PCIe generation"},
    Words{"gpus.pcie.width_max", "link width"},
    Words{"protocol.name", "protocol"},
    Words{"simulated", "GPUs"},
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
    put_part(fields, "driver.", run.driver, driver_fields);
    put_part(fields, "cuda.", run.cuda, cuda_fields);
    auto architectures = joined(run.cuda.architectures, " ");
    if (!architectures.empty()) fields.emplace("cuda.architectures", architectures);
    put_part(fields, "libtorch.", run.libtorch, libtorch_fields);
    if (run.imported) {  // which tocuda imported it does not matter
        put(fields, "imported.tool", run.imported->tool);
        put(fields, "imported.version", run.imported->version);
    } else {
        if (!run.suite.version.empty()) fields.emplace("suite.version", run.suite.version);
        put(fields, "suite.commit", run.suite.commit);
        put(fields, "suite.dirty", run.suite.dirty);
    }
    put_part(fields, "machine.", run.machine, machine_fields);
    if (run.protocol) put_part(fields, "protocol.", *run.protocol, protocol_fields);
    fields.emplace("device", word(run.device));
    return fields;
}

Fields fields_of(const Gpu& gpu) {
    Fields fields;
    put_part(fields, "", gpu, gpu_fields);
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

bool is_identity(std::string_view field) {
    return field == "suite.commit" || field == "suite.dirty" || field.ends_with("].uuid");
}

std::string short_value(std::string_view field, const std::string& value) {
    return field == "suite.commit" ? value.substr(0, 12) : value;
}

std::string value_words(std::string_view field, const std::string& value) {
    const auto* one = known(field);
    return short_value(field, value) + (one ? std::string(one->unit) : "");
}

std::string driver_text(const Driver& driver) {
    const auto libcuda = driver.libcuda ? " with libcuda " + *driver.libcuda : "";
    return driver.kernel_module.value_or("unknown") + libcuda + (driver.cuda ? " (CUDA " + *driver.cuda + ")" : "");
}

}  // namespace tocuda
