// tocuda, Apache-2.0.
// A benchmark of an operation by LibTorch and of the same bytes by the runtime alone. Both are timed by the host's
// clock, in turns, in one process; their ratio is the framework's tax.
#pragma once

#include <ATen/ATen.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/parameter.hpp"
#include "measurement/peaks.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda {

// Creates byte tensors that hold the payload and checks them after a copy.
enum class Pages { pageable, pinned };

at::Tensor payload_tensor(std::size_t bytes, Pages pages = Pages::pageable);  // on the CPU
at::Tensor first(const at::Tensor& tensor, std::size_t bytes);                // a view of its first bytes

// Compares on the CPU, wherever the tensor is. Empty if it holds the payload.
std::string unlike_payload(const at::Tensor& found, std::size_t bytes);
std::string unlike_payload(const std::byte* found, std::size_t bytes);

// Waits until all work in LibTorch's current stream has ended.
void until_done();

struct TimedWay {
    std::function<void()> prepare{};  // not timed
    std::function<void()> call{};     // returns when everything that it started has ended
    std::string compared{};
    std::function<std::string()> differs{};  // calls it once; returns the error, or an empty string
    Flags flags{};
};

class TwoWays : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override { return fit.why_skipped(set); }
    Trial trial(const Parameters& set) final;

protected:
    TwoWays(Needed needed, std::int64_t touches) : fit(std::move(needed)), touched(touches) {}

    virtual TimedWay by_libtorch(const Parameters& set) = 0;
    virtual TimedWay by_runtime(const Parameters& set) = 0;
    virtual Peak peak() const { return link_peak(); }

    Fit fit;

private:
    std::int64_t touched;  // how often each byte is read or written; 0 if nothing is moved
};

// Adds to these parameters what all such benchmarks have.
Benchmark described_two_ways(const std::string& name, const std::string& summary,
                             std::map<std::string, Values> parameters, Values full_bytes);

// The memory needed: these multiples of the set's bytes on the host and on the GPU.
Needed times(std::size_t on_host, std::size_t on_device);

// `move` returns the tensor, and only when its copies have ended.
inline TimedWay moved_by_libtorch(const std::function<at::Tensor()>& move, std::size_t bytes) {
    return {.call = [move] { move(); },
            .compared = "every byte, brought back by LibTorch",
            .differs = [move, bytes] { return unlike_payload(move(), bytes); }};
}

// `move` must return only when its copies have ended. Target and stream must outlive the returned value.
inline TimedWay moved_by_runtime(std::function<void()> move, const DeviceMemory& target, const Stream& stream,
                                 std::size_t bytes) {
    return {.call = move,
            .compared = "every byte, brought back by the runtime",
            .differs = [move, &target, &stream, bytes] {
                move();
                std::vector<std::byte> found(bytes);
                download(found, target.get(), stream);
                return unlike_payload(found.data(), bytes);
            }};
}

}  // namespace tocuda
