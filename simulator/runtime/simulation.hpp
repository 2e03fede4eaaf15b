// tocuda, Apache-2.0.
// The state of the simulated machine in this process, started from its file. One lock guards all of it. It lives until
// the process ends, because libraries still call the runtime while they are being unloaded.
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/faults.hpp"
#include "runtime/memory_table.hpp"
#include "runtime/peer_faults.hpp"
#include "runtime/taint.hpp"
#include "settings/simulation_file.hpp"

namespace tocuda::simulator {

// The state of a host thread: its current device, its last error, its default stream on each device. Trivially
// destructible, because libraries call the runtime while a thread, or the program, is already ending.
struct Thread {
    int device = 0;
    cudaError_t last_error = cudaSuccess;
    cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
    std::uint64_t kernels_not_executed = 0;
    bool in_operator = false;      // which is computed if it launches something
    bool computes = false;         // outside the lock
    bool computes_locked = false;  // a computation that had to wait runs, under the simulation's lock
    std::map<int, Stream*>* default_streams = nullptr;

    Stream*& default_stream(int of_device) {
        if (!default_streams) default_streams = new std::map<int, Stream*>;
        return (*default_streams)[of_device];
    }

    static Thread& mine() {
        static thread_local Thread thread;
        return thread;
    }
};

// Thrown where a process may not use a GPU, because it is exclusive and another one does, or because nobody may.
struct DeviceUnavailable {};

class Simulation {
public:
    static Simulation& here();
    static bool started();

    std::mutex mutex;
    std::condition_variable changed;  // a host function has returned
    double now = 0;                   // the host's virtual clock, in seconds
    Schedule schedule{now};

    const SimulatedMachine profile;
    HostMemory host_memory;
    std::vector<std::unique_ptr<Device>> devices;     // the visible ones
    std::unique_ptr<AddressSpace> virtual_addresses;  // what cuMemAddressReserve hands out
    MemoryTable memory;
    std::map<std::uintptr_t, Managed> managed;  // by the address of the allocation
    std::unordered_set<Stream*> streams;
    std::unordered_set<Event*> events;
    std::unordered_set<Pool*> pools;
    std::vector<Stream*> leaving;  // destroyed with work still queued
    Faults faults;
    PeerFaults peer_faults;
    Taint taint;
    bool new_context = false;        // the call that holds the lock may be the first to use a device
    bool new_memory = false;         // it allocates some
    std::atomic<int> computing = 0;  // computations that threads of the program run outside the lock
    int standstills = 0;             // someone needs that there are none
    bool clock_only = false;         // operations that begin move and compute nothing
    std::uint64_t kernels_launched = 0;
    std::uint64_t kernels_not_executed = 0;

    // The error of every call after a fork, with a bad file, an old driver or no device; otherwise success.
    cudaError_t refusal() const {
        return forked.load(std::memory_order_relaxed) ? cudaErrorInitializationError : refused_with;
    }

    bool has_device(int number) const { return number >= 0 && number < static_cast<int>(devices.size()); }
    Device& device(int number) const { return *devices[static_cast<std::size_t>(number)]; }

    // Creates the context of a device that is used for the first time. Throws DeviceUnavailable.
    void use(Device& device);
    void drop_context(Device& device);
    Stream* new_stream(const Stream::Kind& kind);
    unsigned long long next_id() { return ++last_id; }
    bool lies_in_a_reservation(std::uintptr_t address) const;
    // Null if there is no such stream. Handles of the default streams are valid too.
    Stream* stream(cudaStream_t handle, int current_device);

    // Waits until everything in the stream, or before the point, is done, and advances the host's clock.
    void wait_for(std::unique_lock<std::mutex>& lock, Stream& stream);
    void wait_for(std::unique_lock<std::mutex>& lock, const CompletionPointer& point);
    void wait_for_device(std::unique_lock<std::mutex>& lock, int number);
    // Completes what is due by `until`, or everything that nothing blocks if it is `end_of_time`.
    void advance_all(double until);
    // Adds what an operation of the stream waits for implicitly, because it or another is the default stream.
    void join_others(const Stream& stream, Operation& operation) const;
    // Queues the operation, or captures it if the stream is being captured, behind what the stream must wait for
    // implicitly. If the queue is full, the host waits for its first operation.
    void enqueue(std::unique_lock<std::mutex>& lock, Stream& stream, Operation operation);
    // Keeps the host busy for this long, varied like the GPU's costs.
    void spend(Device& device, std::int64_t nanoseconds) { now += device.cost_ns(nanoseconds); }

private:
    explicit Simulation(SimulationFile file);
    static void after_fork_in_child();
    std::size_t waiting() const;  // operations of all streams
    void drop_left_streams();

    cudaError_t refused_with = cudaSuccess;
    std::atomic<bool> forked = false;
    unsigned long long last_id = 2;  // 1 and 2 are the default streams
};

}  // namespace tocuda::simulator
