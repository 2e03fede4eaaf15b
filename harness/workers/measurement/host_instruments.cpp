// tocuda, Apache-2.0.
#include <chrono>
#include <stdexcept>
#include <utility>

#include "measurement/instruments.hpp"

namespace tocuda {
namespace {

class HostInstruments final : public Instruments {
public:
    explicit HostInstruments(std::string gpu_uuid) : uuid(std::move(gpu_uuid)) {}

    std::string gpu() override { return uuid; }
    double now() override {
        return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
    }
    Flags settle() override { return {}; }
    void rehearse(const Trial&) override { refuse(); }
    Batch batch(const Trial&, std::int64_t) override { refuse(); }
    std::int64_t queue_depth() override { return queued_most; }
    void without_gate() override {}
    Telemetry telemetry() override { return {}; }
    double reading_seconds() override { return 0; }
    std::optional<Telemetry> telemetry_during(const Trial&, std::int64_t) override { return std::nullopt; }
    void sustain(const Trial&, double, Samples&) override { refuse(); }
    void move_bytes(bool) override {}
    bool lost() override { return false; }
    void leave() override { refuse(); }

private:
    [[noreturn]] static void refuse() { throw std::logic_error("a benchmark whose process uses no GPU does"); }

    std::string uuid;
};

}  // namespace

std::unique_ptr<Instruments> host_instruments(std::string gpu) {
    return std::make_unique<HostInstruments>(std::move(gpu));
}

}  // namespace tocuda
