// tocuda, Apache-2.0.
// The receiving GPU itself checks what arrived: the sending one may read back from a mirror what never left it.
#include "measurement/peer_truth.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>

#include "measurement/check.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/launch.hpp"

namespace tocuda {
namespace peer_truth {

// How far a kernel has come in a handshake; in host memory that the GPU can access.
struct HandshakeState {
    std::uint32_t rounds = 0;
    std::uint32_t said = 0;
    std::uint64_t began_ns = 0;
};

// Two kernels, one on each GPU, answer each other in turn: each polls a number in its own GPU's memory and stores the
// next one into the other's. Gives up after a while without an end.
struct Handshake {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, std::uint32_t speaks_first, const std::uint32_t* own, std::uint32_t* other,
                              std::uint32_t rounds, std::uint64_t patience_ns, HandshakeState* state) const {
        while (!ended(block, speaks_first, own, other, rounds, patience_ns, state)) block.pause();
    }

    // A simulated GPU calls this instead of polling, in real time, because virtual time stands still meanwhile.
    static bool ready(std::uint32_t speaks_first, const std::uint32_t* own, std::uint32_t* other, std::uint32_t rounds,
                      std::uint64_t patience_ns, HandshakeState* state) {
        return ended(HostFlags{}, speaks_first, own, other, rounds, patience_ns, state);
    }

private:
    struct HostFlags {
        std::uint32_t seen(const std::uint32_t* flag) const {
            return std::atomic_ref(*const_cast<std::uint32_t*>(flag)).load();
        }
        void show(std::uint32_t* flag, std::uint32_t value) const { std::atomic_ref(*flag).store(value); }
        std::uint64_t nanoseconds() const {
            const auto now = std::chrono::steady_clock::now().time_since_epoch();
            return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
        }
    };

    // Looks once.
    template <class Block>
    static constexpr bool ended(const Block& block, std::uint32_t speaks_first, const std::uint32_t* own,
                                std::uint32_t* other, std::uint32_t rounds, std::uint64_t patience_ns,
                                HandshakeState* state) {
        const auto done = block.seen(&state->rounds);
        if (done == rounds) return true;
        if (speaks_first != 0 && block.seen(&state->said) == done) {
            block.show(&state->said, done + 1);
            block.show(other, done + 1);
        }
        if (block.seen(own) > done) {
            if (speaks_first == 0) block.show(other, done + 1);
            block.show(&state->rounds, done + 1);
            return done + 1 == rounds;
        }
        const auto now = block.nanoseconds();
        if (state->began_ns == 0) state->began_ns = now;
        return now - state->began_ns >= patience_ns;
    }
};

namespace {

constexpr int answers = 3;  // the descriptor that answers go to
constexpr int from = 0;
constexpr int to = 1;
constexpr std::size_t moved_bytes = std::size_t{1} << 20;
constexpr std::uint32_t rounds = 64;
constexpr std::uint64_t patience_ns = 1'000'000'000;  // less than Windows has with a kernel

void say(const char* key, long long value) { ::dprintf(answers, "%s %lld\n", key, value); }
void begin(const char* step) { ::dprintf(answers, "doing %s\n", step); }

void use(int device) { require("cudaSetDevice", cudaSetDevice(device)); }

bool reaches(int device, int peer) {
    int possible = 0;
    require("cudaDeviceCanAccessPeer", cudaDeviceCanAccessPeer(&possible, device, peer));
    if (possible == 0) return false;
    use(device);
    require("cudaDeviceEnablePeerAccess", cudaDeviceEnablePeerAccess(peer, 0));
    return true;
}

// What one of the GPUs has, in its own memory.
class Side {
public:
    explicit Side(int gpu) : device((use(gpu), gpu)) {}

    void write(std::byte* at, std::size_t place) const {
        use(device);
        write_payload(stream, {at, moved_bytes}, place);
    }
    Place first_wrong(const std::byte* at, std::size_t place) const {
        use(device);
        return first_unlike_payload(stream, {at, moved_bytes}, place);
    }
    std::byte* bytes() const { return memory.get(); }

    void begin_handshake(const Side& other, std::uint32_t how_many) const {
        use(device);
        launch(stream, Grid{}, Handshake{}, static_cast<std::uint32_t>(device == from), own_flag(), other.own_flag(),
               how_many, patience_ns, state.device());
    }
    void wait() const {
        use(device);
        stream.synchronize();
    }
    std::uint32_t rounds_done() const { return state.host()->rounds; }

private:
    std::uint32_t* own_flag() const { return reinterpret_cast<std::uint32_t*>(flag.get()); }

    int device;
    Stream stream{};
    DeviceMemory memory{moved_bytes};
    DeviceMemory flag = zeroed(sizeof(std::uint32_t));
    MappedMemory<HandshakeState> state{};

    static DeviceMemory zeroed(std::size_t bytes) {
        DeviceMemory fresh(bytes);
        require("cudaMemset", cudaMemset(fresh.get(), 0, bytes));
        require("cudaDeviceSynchronize", cudaDeviceSynchronize());
        return fresh;
    }
};

void say_place(const char* key, Place wrong) { say(key, wrong ? static_cast<long long>(*wrong) : -1); }

// Each step has its own bytes, so that none is right because of an earlier one.
class Bytes {
public:
    explicit Bytes(std::size_t seed) : next(seed * 16 * moved_bytes) {}
    std::size_t fresh() { return next += moved_bytes; }

private:
    std::size_t next;
};

void check_stores(const Side& sender, const Side& receiver, Bytes& bytes) {
    begin("stores");
    receiver.write(receiver.bytes(), bytes.fresh());
    const auto sent = bytes.fresh();
    sender.write(receiver.bytes(), sent);
    const auto wrong = receiver.first_wrong(receiver.bytes(), sent);
    say_place("stores_wrong_at", wrong);
    if (wrong) say("mirrored", sender.first_wrong(receiver.bytes(), sent) ? 0 : 1);
}

void check_copies(const Side& sender, const Side& receiver, Bytes& bytes) {
    begin("copies");
    receiver.write(receiver.bytes(), bytes.fresh());
    const auto sent = bytes.fresh();
    sender.write(sender.bytes(), sent);
    require("cudaMemcpyPeer", cudaMemcpyPeer(receiver.bytes(), to, sender.bytes(), from, moved_bytes));
    for (const int device : {from, to}) {
        use(device);
        require("cudaDeviceSynchronize", cudaDeviceSynchronize());
    }
    say_place("copies_wrong_at", receiver.first_wrong(receiver.bytes(), sent));
}

void shake_hands(const Side& sender, const Side& receiver, std::uint32_t how_many) {
    sender.begin_handshake(receiver, how_many);
    receiver.begin_handshake(sender, how_many);
    sender.wait();
    receiver.wait();
}

void look(std::size_t seed) {
    int devices = 0;
    require("cudaGetDeviceCount", cudaGetDeviceCount(&devices));
    if (devices < 2) throw std::runtime_error("two GPUs are needed; there is " + std::to_string(devices));
    const bool there = reaches(from, to);
    const bool back = reaches(to, from);
    say("access", there ? 1 : 0);
    const Side sender(from);
    const Side receiver(to);
    Bytes bytes(seed);
    if (there) check_stores(sender, receiver, bytes);
    check_copies(sender, receiver, bytes);
    if (there && back) {
        begin("handshake");
        shake_hands(sender, receiver, 0);  // loads the kernel on both: neither can be loaded while the other waits
        shake_hands(sender, receiver, rounds);
        say("rounds", rounds);
        say("heard_back", sender.rounds_done());
        say("heard", receiver.rounds_done());
    }
    say("done", 1);
}

}  // namespace
}  // namespace peer_truth

std::optional<int> answered_as_peer_truth(int count, char** arguments) {
    if (count != 3 || std::strcmp(arguments[1], "peer-truth") != 0) return std::nullopt;
    try {
        peer_truth::look(std::strtoul(arguments[2], nullptr, 10));
    } catch (const std::exception& error) {
        const std::string what = error.what();
        ::dprintf(peer_truth::answers, "failed %s\n", what.substr(0, what.find('\n')).c_str());
        return 1;
    }
    return 0;
}

}  // namespace tocuda
