// tocuda, Apache-2.0.
// Moves tensors in common ways and prints what the recorder counted for each.
#include "tests/torch_traffic.hpp"

#include <ATen/Functions.h>
#include <dlfcn.h>

#include <cstdio>

#include "simulator/schema/recorder.h"

namespace {

// Looked up at run time, because the recorder is preloaded, not linked.
template <typename Function>
Function* recorder(const char* name) {
    return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

template <typename Move>
void show(const char* what, Move&& move) {
    recorder<decltype(tocuda_recorder_mark)>("tocuda_recorder_mark")();
    const auto moved = move();
    tocuda_recorder_totals seen{};
    seen.version = 1;
    recorder<decltype(tocuda_recorder_read)>("tocuda_recorder_read")(&seen);
    std::printf("%s: to device %llu in %llu, to host %llu, launches %llu, waits %llu, events %llu\n", what,
                static_cast<unsigned long long>(seen.host_to_device_pageable.bytes + seen.host_to_device_pinned.bytes),
                static_cast<unsigned long long>(seen.host_to_device_pageable.calls + seen.host_to_device_pinned.calls),
                static_cast<unsigned long long>(seen.device_to_host_pageable.bytes + seen.device_to_host_pinned.bytes),
                static_cast<unsigned long long>(seen.launches),
                static_cast<unsigned long long>(seen.stream_synchronizations),
                static_cast<unsigned long long>(seen.event_records));
}

}  // namespace

void print_traffic() {
    const at::Device gpu(at::kCUDA, 0);
    at::empty({1}, at::TensorOptions().device(gpu));
    const auto doubles = at::ones({1 << 20}, at::kDouble);
    const auto square = at::ones({100, 100});
    show("double", [&] { return doubles.to(gpu); });
    show("bfloat16 blocking", [&] { return doubles.to(gpu, at::kBFloat16); });
    show("bfloat16 non_blocking", [&] { return doubles.to(gpu, at::kBFloat16, true); });
    show("made on the host", [&] { return at::randn({10}).to(gpu); });
    show("made on the device", [&] { return at::randn({10}, at::TensorOptions().device(gpu)); });
    show("transposed", [&] { return square.t().to(gpu); });
    show("every second row and column", [&] { return square.slice(0, 0, 100, 2).slice(1, 0, 100, 2).to(gpu); });
    show("expanded", [&] { return at::ones({1, 10}).expand({100, 10}).to(gpu); });
    show("pinned non_blocking", [&] { return square.pin_memory().to(gpu, at::kFloat, true); });
    const auto there = square.to(gpu);
    show("sum to a number", [&] { return there.sum().item(); });
    show("sparse", [&] { return at::eye(4).to_sparse().to(gpu); });
}
