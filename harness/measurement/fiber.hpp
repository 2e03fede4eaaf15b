// tocuda, Apache-2.0.
// A thread of a simulated block: a stack of its own on the one real thread, left and entered again at a barrier. The
// address sanitizer is told of each switch, so that it knows which stack it is on.
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

    void begin(std::function<void()> body);  // after the last body has ended
    void resume();                           // until the body suspends or ends; what it throws comes out here
    void suspend();                          // from inside the body
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
    void* inside_frames = nullptr;  // the sanitizer's own record of a stack that is left
    const void* outside_bottom = nullptr;
    std::size_t outside_bytes = 0;
};

}  // namespace tocuda
