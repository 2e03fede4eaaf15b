// tocuda, Apache-2.0.
// The recorder's counters: one number for each field of recorder.h, in its order.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "recorder.h"

namespace tocuda::simulator {

class Counters {
public:
    static constexpr std::size_t count =
        (sizeof(tocuda_recorder_totals) - sizeof(std::uint64_t)) / sizeof(std::uint64_t);

    using Numbers = std::array<std::uint64_t, count>;

    static Counters& here();

    void add(std::uint64_t tocuda_recorder_totals::* field, std::uint64_t number = 1) {
        at(offset_of(field)) += number;
    }
    void add(tocuda_recorder_traffic tocuda_recorder_totals::* field, std::uint64_t bytes) {
        const std::size_t offset = offset_of(field);
        at(offset).fetch_add(1, std::memory_order_relaxed);
        at(offset + 1).fetch_add(bytes, std::memory_order_relaxed);
    }

    void mark();
    tocuda_recorder_totals since_mark();
    Numbers since_start() const;

private:
    template <typename Field>
    static std::size_t offset_of(Field tocuda_recorder_totals::* field) {
        static constexpr tocuda_recorder_totals none{};
        const auto* begin = reinterpret_cast<const char*>(&none);
        return static_cast<std::size_t>(reinterpret_cast<const char*>(&(none.*field)) - begin) / sizeof(std::uint64_t) -
               1;
    }
    std::atomic<std::uint64_t>& at(std::size_t offset) { return numbers_[offset]; }

    std::array<std::atomic<std::uint64_t>, count> numbers_{};
    std::mutex mutex_;
    Numbers marked_{};
};

}  // namespace tocuda::simulator
