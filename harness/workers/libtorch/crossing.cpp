// tocuda, Apache-2.0.
// Finds the recorder by dlsym, because it may or may not be preloaded; nothing is linked.
#include "libtorch/crossing.hpp"

#include <dlfcn.h>

#include "simulator/schema/recorder.h"

namespace tocuda {

CrossingMark::CrossingMark() {
    using Mark = void (*)();
    if (const auto mark = reinterpret_cast<Mark>(::dlsym(RTLD_DEFAULT, "tocuda_recorder_mark"))) mark();
}

std::optional<Crossing> CrossingMark::read() const {
    using Read = int (*)(tocuda_recorder_totals*);
    const auto ask = reinterpret_cast<Read>(::dlsym(RTLD_DEFAULT, "tocuda_recorder_read"));
    tocuda_recorder_totals totals{};
    totals.version = 1;
    if (!ask || ask(&totals) != 0) return std::nullopt;
    const auto whole = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    return Crossing{whole(totals.host_to_device_pinned.calls + totals.host_to_device_pageable.calls),
                    whole(totals.host_to_device_pinned.bytes + totals.host_to_device_pageable.bytes),
                    whole(totals.host_to_device_pinned.bytes),
                    whole(totals.device_to_host_pinned.calls + totals.device_to_host_pageable.calls),
                    whole(totals.device_to_host_pinned.bytes + totals.device_to_host_pageable.bytes),
                    whole(totals.launches),
                    whole(totals.stream_synchronizations)};
}

void say(Observer& see, const std::string& name, const std::optional<Crossing>& crossing) {
    see(name + ".recorded", crossing.has_value());
    if (!crossing) return;
    see(name + ".to_device_calls", crossing->to_device_calls);
    see(name + ".to_device_bytes", crossing->to_device_bytes);
    see(name + ".to_device_pinned_bytes", crossing->to_device_pinned_bytes);
    see(name + ".to_host_calls", crossing->to_host_calls);
    see(name + ".to_host_bytes", crossing->to_host_bytes);
    see(name + ".kernels", crossing->kernels);
    see(name + ".stream_synchronizations", crossing->stream_synchronizations);
}

}  // namespace tocuda
