// tocuda, Apache-2.0.
// Copies of memory as malloc returns it, neither managed nor page-locked, which some GPUs access themselves: by a
// kernel, or by the copy engine; in small or huge pages; of the host's memory, or of the GPU's own NUMA node.
#include <memory>

#include "benchmarks/copy/passage.hpp"
#include "kernels/kernel.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/host_time.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::coherent {
namespace {

bool on_gpu(const Parameters& set) { return text(set, "node") == "gpu"; }

class Coherent final : public Bench {
public:
    explicit Coherent(Direction way) : direction(way) {}

    std::string why_skipped(const Parameters& set) const override {
        if (attribute(cudaDevAttrPageableMemoryAccess) == 0)
            return "needs a GPU that accesses pageable memory; the driver says that this one does not";
        if (bytes_of(set) == 0) return "at least 1 byte is needed; 0 bytes cannot be copied";
        if (text(set, "pages") == "huge" && !huge_pages_are_given())
            return "transparent huge pages are needed; this system does not have them enabled";
        if (on_gpu(set) && attribute(cudaDevAttrNumaConfig) != cudaDeviceNumaConfigNumaNode)
            return "needs a GPU whose memory is a NUMA node; the driver says that this one's is not";
        // Faults move pages at a fraction of the link's rate: a set would take a minute.
        if (bytes_of(set) > gib && !uses_host_page_tables())
            return "at most " + std::to_string(gib) + " bytes are measured on a GPU without the host's page tables";
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const bool huge = text(set, "pages") == "huge";
        const int node = on_gpu(set) ? attribute(cudaDevAttrNumaId) : any_node;
        auto memory = pageable_memory_of(huge ? PageSize::huge : PageSize::small, node, Passage::with_guards(bytes));
        const auto passage = std::make_shared<Passage>(direction, std::move(memory), bytes);
        const auto once = copy_by(set, passage);
        return {.bytes_one_way = static_cast<std::int64_t>(bytes),
                .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                .compared = Passage::compared(direction),
                .differs =
                    [passage, bytes, once, node] {
                        const auto wrong = passage->what_differs(bytes, {}, once);
                        return wrong.empty() ? why_elsewhere(passage->host(), node) : wrong;
                    },
                .timing = Called{once},
                .flags = flags_of(set, *passage)};
    }

private:
    std::function<void()> copy_by(const Parameters& set, const std::shared_ptr<Passage>& passage) const {
        if (text(set, "by") == "engine")
            return [this, passage, bytes = bytes_of(set)] {
                copy_async(passage->to(), passage->from(), bytes, direction, stream);
                stream.synchronize();
            };
        const auto copy =
            kernel_named("copy/device_to_device/unrolled")
                .operation(
                    {{{"bytes", set.at("bytes")}, {"in_flight", 8}, {"threads", 256}, {"hint", "plain"}, {"width", 16}},
                     gpu});
        return [this, passage, copy] {
            copy(stream, {passage->to(), const_cast<std::byte*>(passage->from())});
            stream.synchronize();
        };
    }

    static bool uses_host_page_tables() { return attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables) != 0; }

    static std::string why_elsewhere(const std::byte* page, int node) {
        const auto found = node_of(page);
        if (node == any_node || found.value_or(node) == node) return "";
        return "the memory is on NUMA node " + std::to_string(*found) + ", not " + std::to_string(node);
    }

    static Flags flags_of(const Parameters& set, const Passage& passage) {
        Flags flags;
        if (!uses_host_page_tables())
            flags.emplace_back(text(set, "by") == "kernel"
                                   ? "the GPU does not use the host's page tables: pages that it touches move to it"
                                   : "the GPU does not use the host's page tables");
        if (text(set, "pages") == "huge")
            flags.push_back(std::to_string(bytes_in_huge_pages(passage.host())) + " bytes in huge pages");
        if (gpus_are_simulated() && on_gpu(set))
            flags.emplace_back("simulated: the GPU's node takes as long as the host's");
        if (const auto node = node_of(passage.host())) flags.push_back("NUMA node " + std::to_string(*node));
        return flags;
    }

    const Direction direction;
    const GpuFacts gpu = gpu_facts();
    Stream stream{};
    const Fit fit{[](const Parameters& set) -> Room {
        const auto pages = Passage::with_guards(bytes_of(set));
        const auto on_device = Guarded::allocated(bytes_of(set));
        return {.host_bytes = on_gpu(set) ? 0 : pages,
                .device_bytes = allocated_bytes({on_device, on_gpu(set) ? pages : 0})};
    }};
};

// There is no peak: the link is not the PCIe link of which NVML tells.
Measurable measured(Direction direction) {
    return {
        .benchmark = {.name = std::string("coherent/") + word(direction),
                      .summary = std::string("copy memory as malloc returns it ") + aim(direction) +
                                 ", by a kernel or by the copy engine",
                      .how =
                          "the host's clock from the call until the stream is idle, for the kernel and for the copy "
                          "engine. `node=gpu` is memory of the host's kind that lies in the GPU's memory, which is a "
                          "NUMA node of the system",
                      .clock = Clock::host,
                      .parameters = {{"bytes", {64 * mib, gib}},
                                     {"by", {}},
                                     {"node", {"host", "gpu"}},
                                     {"pages", {"small", "huge"}}},
                      .quick = {{"bytes", {}}},
                      .full = {{"bytes", {64 * mib, gib, 24 * gib}}, {"by", {"kernel", "engine"}}},
                      .needs = {.gpus = 1, .profile = "GH200"}},
        .set_up = [direction](const std::vector<Parameters>&) { return std::make_unique<Coherent>(direction); }};
}

const RegisteredBenchmark to_the_gpu{measured(Direction::host_to_device)};
const RegisteredBenchmark to_the_host{measured(Direction::device_to_host)};

}  // namespace
}  // namespace tocuda::benchmarks::coherent
