// tocuda, Apache-2.0.
// A thread of a block on the CPU: its own stack on the one real thread, left and re-entered at a barrier. Each switch
// is reported to the address sanitizer, so that it knows the current stack.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

namespace tocuda {

class Fiber {
public:
    Fiber();
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;

    void begin(std::function<void()> body);  // only after the last body has ended
    void resume();                           // until the body suspends or ends; rethrows its exception
    void suspend();                          // call from inside the body
    bool ended() const { return !body; }

private:
    static void enter(unsigned high, unsigned low);
    void serve();
    void leave();

    static constexpr std::size_t stack_bytes = std::size_t{128} << 10;
    std::unique_ptr<std::byte[]> stack;
    std::function<void()> body{};
    std::exception_ptr thrown{};
    ucontext_t inside{};
    ucontext_t outside{};
    void* inside_frames = nullptr;  // the sanitizer's record of a stack that was left
    const void* outside_bottom = nullptr;
    std::size_t outside_bytes = 0;
};

}  // namespace tocuda
