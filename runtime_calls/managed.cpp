// tocuda, Apache-2.0.
// Managed memory, whose pages migrate by themselves. They move ahead of use (prefetch), on access (touch: a kernel on
// the GPU, one byte of each page on the CPU), or never, because the pages are advised to stay on the host and the GPU
// accesses them over the link (advice).
#include <algorithm>
#include <optional>

#include "measurement/check.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/payload.hpp"
#include "measurement/peaks.hpp"
#include "runtime_calls/host_work.hpp"
#include "runtime_calls/managed_memory.hpp"
#include "runtime_calls/one_way.hpp"

namespace tocuda::runtime_calls::managed {
namespace {

constexpr std::size_t page = 4096;

Room needed(const Parameters& set) {
    return {.host_bytes = Passage::with_guards(bytes_of(set)), .device_bytes = 2 * Guarded::allocated(bytes_of(set))};
}

class Managed final : public Bench {
public:
    Managed(const std::vector<Parameters>& sets, Direction way) : direction(way), fit(needed) {
        require("cudaGetDevice", cudaGetDevice(&device));
        unsupported = why_no_managed_pages();
        if (!unsupported.empty()) return;
        most = std::min(fit.most_bytes(sets), static_cast<std::size_t>(most_managed));
        managed.emplace(std::max<std::size_t>(1, most));
        on_device.emplace(most);
        write_payload(stream, std::span(on_device->at(), most), 0);
    }

    std::string why_skipped(const Parameters& set) const override {
        if (!unsupported.empty()) return unsupported;
        if (whole(set, "bytes") > most_managed)
            return "at most " + std::to_string(most_managed) + " bytes of managed memory are supported";
        const auto why = why_not_among(set, "how", {"prefetch", "touch", "advice"});
        return why.empty() ? fit.why_skipped(set) : why;
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto how = text(set, "how");
        Trial trial{.bytes_one_way = static_cast<std::int64_t>(bytes),
                    .bytes_touched = 2 * static_cast<std::int64_t>(bytes),
                    .peak = link_peak(),
                    .compared = "every byte"};
        trial.prepare = [this, bytes, advised = how == "advice"] { make_ready(bytes, advised); };
        if (how == "prefetch") trial.call = [this, bytes] { prefetch(bytes, far_side()); };
        else if (how == "touch") trial.call = [this, bytes] { touch(bytes); };
        else trial.call = [this, bytes] { reach_over(bytes); };
        trial.differs = [this, bytes, trial, how] { return differs(bytes, trial, how); };
        return trial;
    }

private:
    bool up() const { return direction == Direction::host_to_device; }
    std::byte* at() const { return managed->get(); }
    cudaMemLocation host() const { return {.type = cudaMemLocationTypeHost, .id = 0}; }
    cudaMemLocation gpu() const { return {.type = cudaMemLocationTypeDevice, .id = device}; }
    cudaMemLocation near_side() const { return up() ? host() : gpu(); }
    cudaMemLocation far_side() const { return up() ? gpu() : host(); }

    void prefetch(std::size_t bytes, cudaMemLocation where) const {
        if (bytes != 0) require("cudaMemPrefetchAsync", cudaMemPrefetchAsync(at(), bytes, where, 0, stream.get()));
        stream.synchronize();
    }

    void advise(std::size_t bytes, bool on) const {
        if (bytes == 0) return;
        require("cudaMemAdvise",
                cudaMemAdvise(at(), bytes, on ? cudaMemAdviseSetPreferredLocation : cudaMemAdviseUnsetPreferredLocation,
                              host()));
        require("cudaMemAdvise",
                cudaMemAdvise(at(), bytes, on ? cudaMemAdviseSetAccessedBy : cudaMemAdviseUnsetAccessedBy, gpu()));
    }

    void make_ready(std::size_t bytes, bool advised) const {
        advise(bytes, advised);
        prefetch(bytes, advised ? host() : near_side());
    }

    void touch(std::size_t bytes) const {
        if (up()) return write_payload(stream, std::span(at(), bytes), 0);
        for (std::size_t place = 0; place < bytes; place += page)
            static_cast<void>(*static_cast<const volatile std::byte*>(at() + place));
        host_touched(at(), bytes);
    }

    void reach_over(std::size_t bytes) const {
        auto* const to = up() ? on_device->at() : at();
        require("cudaMemcpyAsync",
                cudaMemcpyAsync(to, up() ? at() : on_device->at(), bytes, cudaMemcpyDefault, stream.get()));
        stream.synchronize();
    }

    // With advice, checks what the GPU copied; otherwise, what the pages hold in their new place. A kernel that touches
    // pages writes the payload, so they hold something else before.
    std::string differs(std::size_t bytes, const Trial& trial, const std::string& how) const {
        const auto once = [&] {
            trial.prepare();
            trial.call();
        };
        if (up()) {
            lay(bytes, how == "touch" ? Content::other : Content::payload);
            if (how == "advice") return on_device->what_differs(stream, bytes, once);
            once();
            return in_words(first_unlike_payload(stream, std::span<const std::byte>(at(), bytes), 0), bytes);
        }
        lay(bytes, how == "advice" ? Content::other : Content::payload);
        once();
        return in_words(first_unlike_payload(std::span<const std::byte>(at(), bytes), 0), bytes);
    }

    enum class Content { payload, other };
    void lay(std::size_t bytes, Content content) const {
        if (content == Content::payload) write_payload(std::span(at(), bytes), 0);
        else std::fill_n(at(), bytes, Guarded::guard);
    }

    static std::string in_words(const Place& place, std::size_t bytes) {
        return place ? "byte " + std::to_string(*place) + " of " + std::to_string(bytes) + " differs from the reference"
                     : "";
    }

    const Direction direction;
    const Fit fit;
    int device = 0;
    std::string unsupported{};
    std::size_t most = 0;
    Stream stream{};
    std::optional<ManagedMemory> managed{};
    std::optional<Guarded> on_device{};
};

const RegisteredEachWay registered{{.name = "managed",
                                    .summary = "move the pages of managed memory",
                                    .clock = Clock::host,
                                    .parameters = {{"bytes", {}}, {"how", {"prefetch", "touch", "advice"}}},
                                    .quick = {{"bytes", {}}},
                                    .full = {{"bytes", powers_of_four(gib)}}},
                                   set_up<Managed>};

}  // namespace
}  // namespace tocuda::runtime_calls::managed

namespace tocuda {

std::string why_no_managed_memory() {
    return attribute(cudaDevAttrManagedMemory) == 0 ? "a GPU with managed memory is needed; this one has none" : "";
}

std::string why_no_managed_pages() {
    if (auto why = why_no_managed_memory(); !why.empty()) return why;
    if (attribute(cudaDevAttrConcurrentManagedAccess) == 0)
        return "a GPU that moves managed pages one by one is needed; this one moves all of them at each launch";
    return "";
}

}  // namespace tocuda
