// tocuda, Apache-2.0.
#include "runtime/simulation.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "runtime/capture.hpp"
#include "runtime/pool.hpp"
#include "settings/simulation_file.hpp"

namespace tocuda::simulator {
namespace {

// The thread that runs host functions and completes what nobody waits for, as real time passes.
class Background {
public:
    static Background& here();

    // Call when a queue is not empty, with the simulation's lock held. The first call starts the thread.
    void watch();

private:
    void run(Simulation& simulation);
    bool run_a_host_function(Simulation& simulation);

    bool first_call = false;
    bool asleep = false;
};

constexpr std::chrono::milliseconds a_while{1};
constexpr int idle_rounds = 100;  // then it sleeps until woken, which costs the caller more than a call may

bool anything_waits(const Simulation& simulation) {
    const auto waits = [](const Stream* stream) { return !stream->idle(); };
    return std::any_of(simulation.leaving.begin(), simulation.leaving.end(), waits) ||
           std::any_of(simulation.devices.begin(), simulation.devices.end(), [&](const auto& device) {
               return std::any_of(device->streams.begin(), device->streams.end(), waits);
           });
}

Stream* stream_with_host_function(const Simulation& simulation) {
    for (const auto& device : simulation.devices) {
        for (Stream* stream : device->streams) {
            if (stream->host_function_due()) return stream;
        }
    }
    for (Stream* stream : simulation.leaving) {
        if (stream->host_function_due()) return stream;
    }
    return nullptr;
}

Background& Background::here() {
    static Background* const only = new Background;
    return *only;
}

void Background::watch() {
    Simulation& simulation = Simulation::here();
    if (asleep) simulation.changed.notify_all();
    if (first_call) return;
    first_call = true;
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals belong to the program's own threads
    std::thread([this, &simulation] { run(simulation); }).detach();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

bool Background::run_a_host_function(Simulation& simulation) {
    std::unique_lock lock(simulation.mutex);
    Stream* stream = stream_with_host_function(simulation);
    if (!stream) return false;
    const auto function = *stream->host_function_due();
    lock.unlock();
    function();
    lock.lock();
    stream->host_function_done();
    stream->advance(simulation.now);
    simulation.changed.notify_all();
    return true;
}

void Background::run(Simulation& simulation) {
    int idle = 0;
    while (true) {
        while (run_a_host_function(simulation)) idle = 0;
        std::unique_lock lock(simulation.mutex);
        if (stream_with_host_function(simulation)) continue;
        asleep = idle > idle_rounds;
        if (asleep) {
            simulation.changed.wait(lock);
            idle = 0;
        } else {
            simulation.changed.wait_for(lock, a_while);
        }
        asleep = false;
        idle = anything_waits(simulation) ? 0 : idle + 1;
        simulation.advance_all(end_of_time);
        const auto ended = Graphs::here().drop_finished();
        lock.unlock();
        for (const auto& [destroy, data] : ended) destroy(data);
    }
}

std::atomic<Simulation*> running = nullptr;
constexpr std::chrono::microseconds look_again{100};  // interval of polling a flag that the host may set
// LibTorch reserves more than the GPU's memory for each pool.
constexpr std::size_t least_virtual_memory = std::size_t{512} << 30;
constexpr int virtual_position = 20;  // behind the reservations of the GPUs

// No call needs a libcuda here. A process that must say which one it has loads that which the loader finds, as the real
// runtime does; one that stands for another driver says how much more everything costs.
double cost_with_libcuda() {
    if (!std::getenv("TOCUDA_NAME_LIBCUDA")) return 1;
    void* const library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    const auto* factor = library ? static_cast<const double*>(::dlsym(library, "tocuda_simulated_cost")) : nullptr;
    return factor ? *factor : 1;
}

}  // namespace

Simulation& Simulation::here() {
    static Simulation* const only = [] {
        auto* simulation = new Simulation(read_simulation_file());
        running = simulation;
        ::pthread_atfork(nullptr, nullptr, &Simulation::after_fork_in_child);
        return simulation;
    }();
    return *only;
}

bool Simulation::started() { return running; }

void Simulation::after_fork_in_child() { running.load()->forked = true; }

Simulation::Simulation(SimulationFile file)
    : profile(std::move(file.machine)), host_memory(profile.host_memory_bytes), faults(profile.faults),
      peer_faults(profile.faults, [](std::size_t place) {
          if (place < counts().faults.size()) ++counts().faults[place];
      }) {
    if (file.state == SimulationFile::State::bad) refused_with = cudaErrorUnknown;
    const auto process = process_of_environment();
    if (!process) {
        std::fputs("tocuda: simulated GPUs: TOCUDA_SIMULATION_PROCESS is not a whole number\n", stderr);
        refused_with = cudaErrorUnknown;
    }
    const double factor = cost_with_libcuda();
    for (const int index : visible_devices_of_environment(profile.gpus)) {
        const auto& gpu = profile.gpus[static_cast<std::size_t>(index)];
        const int position = static_cast<int>(devices.size());
        const Variation variation(gpu, profile.seed, process.value_or(0), static_cast<std::uint64_t>(index), factor);
        devices.push_back(std::make_unique<Device>(gpu, index, position, host_memory, variation, now));
        Device& made = *devices.back();
        made.legacy = new Stream({.device = position, .joins_legacy = true, .id = 1}, schedule);
        made.streams.insert(made.legacy);
        made.default_pool = made.current_pool = new Pool(position);
        pools.insert(made.default_pool);
    }
    std::size_t all = 0;
    for (const auto& device : devices) all += static_cast<std::size_t>(device->profile.memory_bytes);
    if (!devices.empty())
        virtual_addresses = std::make_unique<AddressSpace>(all + least_virtual_memory, virtual_position, host_memory);
    if (refused_with == cudaSuccess && devices.empty()) refused_with = cudaErrorNoDevice;
    // A driver supports runtimes of its own major version and of older ones.
    if (!devices.empty() && profile.driver_version / 1000 < CUDART_VERSION / 1000)
        refused_with = cudaErrorInsufficientDriver;
}

void Simulation::use(Device& device) {
    if (device.has_context()) return;
    const auto mode = device.profile.compute_mode;
    if (mode == cudaComputeModeProhibited) throw DeviceUnavailable{};
    if (mode != cudaComputeModeDefault && !lock_gpu(device.index_in_file)) throw DeviceUnavailable{};
    new_context = true;
    device.make_context();
}

void Simulation::drop_context(Device& device) {
    if (device.has_context() && device.profile.compute_mode != cudaComputeModeDefault) unlock_gpu(device.index_in_file);
    device.drop_context();
}

Stream* Simulation::new_stream(const Stream::Kind& kind) {
    auto* stream = new Stream(kind, schedule);
    streams.insert(stream);
    device(kind.device).streams.insert(stream);
    return stream;
}

bool Simulation::lies_in_a_reservation(std::uintptr_t address) const {
    return (virtual_addresses && virtual_addresses->contains(address)) ||
           std::any_of(devices.begin(), devices.end(),
                       [&](const auto& device) { return device->addresses.contains(address); });
}

Stream* Simulation::stream(cudaStream_t handle, int current_device) {
    if (!handle || handle == cudaStreamLegacy) return device(current_device).legacy;
    if (handle == cudaStreamPerThread) {
        Stream*& mine = Thread::mine().default_stream(current_device);
        if (!mine) mine = new_stream({.device = current_device, .id = 2});
        return mine;
    }
    auto* stream = reinterpret_cast<Stream*>(handle);
    return streams.contains(stream) ? stream : nullptr;
}

void Simulation::join_others(const Stream& stream, Operation& operation) const {
    const Device& here = device(stream.kind.device);
    const bool is_legacy = &stream == here.legacy;
    if (!stream.kind.joins_legacy || here.streams.size() == 1) return;
    for (Stream* other : here.streams) {
        if (other == &stream || !other->kind.joins_legacy || (!is_legacy && other != here.legacy)) continue;
        operation.earliest = std::max(operation.earliest, other->tail());
        if (auto point = other->last()) operation.after.push_back(std::move(point));
    }
}

void Simulation::enqueue(std::unique_lock<std::mutex>& lock, Stream& stream, Operation operation) {
    if (stream.capture) {
        capture(stream, std::move(operation));
        return;
    }
    const Device& here = device(stream.kind.device);
    join_others(stream, operation);
    stream.add(std::move(operation));
    if (stream.idle()) return;
    while (static_cast<std::int64_t>(stream.waiting()) > here.profile.queue_depth) wait_for(lock, stream.first());
    if (stream.idle()) return;
    Background::here().watch();
}

void Simulation::advance_all(double until) {
    for (auto& device : devices) {
        for (Stream* stream : device->streams) stream->advance(until);
    }
    for (Stream* stream : leaving) stream->advance(until);
    drop_left_streams();
}

std::size_t Simulation::waiting() const {
    std::size_t operations = 0;
    for (const auto& device : devices)
        for (const Stream* stream : device->streams) operations += stream->waiting();
    for (const Stream* stream : leaving) operations += stream->waiting();
    return operations;
}

void Simulation::drop_left_streams() {
    std::erase_if(leaving, [](Stream* stream) {
        if (!stream->idle()) return false;
        delete stream;
        return true;
    });
}

void Simulation::wait_for(std::unique_lock<std::mutex>& lock, Stream& stream) {
    wait_for(lock, stream.last());
    now = std::max(now, stream.tail());
}

void Simulation::wait_for(std::unique_lock<std::mutex>& lock, const CompletionPointer& point) {
    if (!point) return;
    const auto begin = std::chrono::steady_clock::now();
    while (!point->done) {
        schedule.waited_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        if (point->stream) point->stream->advance(end_of_time);
        schedule.waited_seconds = 0;
        if (point->done) break;
        // It may wait for another stream, as the ranks of a collective do.
        const auto before = waiting();
        advance_all(end_of_time);
        if (point->done || waiting() < before) continue;
        Background::here().watch();
        changed.wait_for(lock, look_again);
    }
    now = std::max(now, point->seconds);
}

void Simulation::wait_for_device(std::unique_lock<std::mutex>& lock, int number) {
    std::vector<CompletionPointer> points;
    double tail = now;
    for (Stream* stream : device(number).streams) {
        stream->advance(end_of_time);
        if (auto point = stream->last()) points.push_back(std::move(point));
        tail = std::max(tail, stream->tail());
    }
    for (Stream* stream : leaving) {
        if (stream->kind.device == number && !stream->advance(end_of_time)) points.push_back(stream->last());
    }
    for (const CompletionPointer& point : points) wait_for(lock, point);
    now = std::max(now, tail);
    drop_left_streams();
    trim_after_wait(*this, number);
}

}  // namespace tocuda::simulator
