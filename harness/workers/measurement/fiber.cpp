// tocuda, Apache-2.0.
// Switches stacks with ucontext. A fiber's own function never returns: it runs one body after another, so that its
// stack is reused.
#include "measurement/fiber.hpp"

#include <cerrno>
#include <cstdint>
#include <stdexcept>
#include <system_error>
#include <utility>

// Weak, because they are null unless the program is built with the address sanitizer.
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** frames, const void* bottom, std::size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* frames, const void** bottom, std::size_t* bytes);
}

namespace tocuda {
namespace {

void say_leaving(void** frames, const void* bottom, std::size_t bytes) {
    if (__sanitizer_start_switch_fiber) __sanitizer_start_switch_fiber(frames, bottom, bytes);
}

void say_arrived(void* frames, const void** bottom, std::size_t* bytes) {
    if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(frames, bottom, bytes);
}

void exchange(ucontext_t& from, const ucontext_t& to) {
    if (swapcontext(&from, &to) != 0) throw std::system_error(errno, std::generic_category(), "swapcontext");
}

}  // namespace

Fiber::Fiber() : stack(std::make_unique_for_overwrite<std::byte[]>(stack_bytes)) {
    if (getcontext(&inside) != 0) throw std::system_error(errno, std::generic_category(), "getcontext");
    inside.uc_stack.ss_sp = stack.get();
    inside.uc_stack.ss_size = stack_bytes;
    inside.uc_link = nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&inside, reinterpret_cast<void (*)()>(&Fiber::enter), 2, static_cast<unsigned>(address >> 32),
                static_cast<unsigned>(address));
}

// makecontext passes only ints, so the pointer arrives in two halves.
void Fiber::enter(unsigned high, unsigned low) { reinterpret_cast<Fiber*>(std::uintptr_t{high} << 32 | low)->serve(); }

void Fiber::serve() {
    say_arrived(nullptr, &outside_bottom, &outside_bytes);
    while (true) {
        try {
            body();
        } catch (...) {
            thrown = std::current_exception();
        }
        body = nullptr;
        leave();
    }
}

void Fiber::begin(std::function<void()> next) {
    if (!ended()) throw std::logic_error("a fiber was given a body before the last one ended");
    body = std::move(next);
}

void Fiber::resume() {
    if (ended()) throw std::logic_error("cannot resume a fiber without a body");
    void* frames = nullptr;
    say_leaving(&frames, stack.get(), stack_bytes);
    exchange(outside, inside);
    say_arrived(frames, nullptr, nullptr);
    if (thrown) std::rethrow_exception(std::exchange(thrown, nullptr));
}

void Fiber::suspend() { leave(); }

void Fiber::leave() {
    say_leaving(&inside_frames, outside_bottom, outside_bytes);
    exchange(inside, outside);
    say_arrived(inside_frames, &outside_bottom, &outside_bytes);
}

}  // namespace tocuda
