// tocuda, Apache-2.0.
#include "runtime/reach.hpp"

#include <algorithm>

#include "runtime/transfer_effects.hpp"

namespace tocuda::simulator {
namespace {

double rate(std::int64_t bytes_per_second) { return std::max(1.0, static_cast<double>(bytes_per_second)); }

struct Charge {
    double memory = 0;  // seconds that each would take alone
    double inward = 0;
    double outward = 0;
    double faults = 0;

    double together() const { return std::max({memory, inward, outward}) + faults; }
};

void add_link(const SimulatedGpu& gpu, double bytes, bool writes, Charge& charge) {
    (writes ? charge.outward : charge.inward) +=
        bytes / rate(writes ? gpu.device_to_host_bytes_per_second : gpu.host_to_device_bytes_per_second);
}

// With this advice managed memory stays on the host, and the GPU accesses it over the link.
bool stays_with_host(const Simulation& simulation, const Allocation& allocation, int device) {
    const Managed& managed = simulation.managed.at(allocation.address);
    return managed.preferred == Managed::host && managed.accessed_by.contains(device);
}

void add(Simulation& simulation, Device& device, std::uintptr_t address, double bytes, bool writes, Charge& charge) {
    const Allocation* found = simulation.memory.around(address);
    if (!found) {
        const bool pageable = device.profile.pageable_memory_access != 0 && !simulation.lies_in_a_reservation(address);
        return pageable ? add_link(device.profile, bytes, writes, charge) : void();
    }
    const int here = device.number;
    const auto left = static_cast<double>(found->bytes - (address - found->address));
    if (found->kind == MemoryKind::managed && !stays_with_host(simulation, *found, here)) {
        const auto extent = static_cast<std::size_t>(std::min(bytes, left));
        charge.faults += seconds_to_bring(simulation, device, *found, address, extent, here);
        charge.memory += bytes / device.memory_bytes_per_second();
    } else if (!found->on_device()) {
        add_link(device.profile, bytes, writes, charge);
    } else if (found->device != here) {
        const Device& other = simulation.device(found->device);
        count_sent(writes ? device : other, writes ? other : device, static_cast<std::uint64_t>(bytes));
        (writes ? charge.outward : charge.inward) +=
            bytes / rate(link_figure(simulation.profile, (writes ? device : other).index_in_file,
                                     (writes ? other : device).index_in_file, &SimulatedLink::bytes_per_second,
                                     device.profile.peer_bytes_per_second));
    } else {
        charge.memory += bytes / device.memory_bytes_per_second();
    }
}

struct Reached {
    std::uintptr_t address = 0;
    double bytes_behind = 0;  // to the end of its allocation
};

}  // namespace

double managed_bytes_per_second(const Simulation& simulation, int from, int to) {
    if (to == Managed::host) return rate(simulation.device(from).profile.device_to_host_bytes_per_second);
    const Device& target = simulation.device(to);
    if (from == Managed::host) return rate(target.profile.host_to_device_bytes_per_second);
    return link_bytes_per_second(simulation.profile, simulation.device(from).index_in_file, target.index_in_file);
}

double link_bytes_per_second(const SimulatedMachine& machine, int from, int to) {
    const SimulatedGpu& source = machine.gpus.at(static_cast<std::size_t>(from));
    const SimulatedGpu& target = machine.gpus.at(static_cast<std::size_t>(to));
    if (!machine.peer_access)
        return std::min(rate(source.device_to_host_bytes_per_second), rate(target.host_to_device_bytes_per_second));
    return rate(link_figure(machine, from, to, &SimulatedLink::bytes_per_second, source.peer_bytes_per_second));
}

double seconds_to_bring(Simulation& simulation, Device& device, const Allocation& allocation, std::uintptr_t address,
                        std::size_t bytes, int place) {
    const auto brought = simulation.managed.at(allocation.address).bring(address - allocation.address, bytes, place);
    const auto all = brought.fresh + brought.moved_in_all();
    const auto blocks = static_cast<double>((all + Managed::block - 1) / Managed::block);
    double moving = 0;
    for (const auto& [from, amount] : brought.moved)
        moving += static_cast<double>(amount) / managed_bytes_per_second(simulation, from, place);
    return 1e-9 * static_cast<double>(device.profile.managed_fault_ns) * blocks + moving;
}

double seconds_to_touch(Simulation& simulation, Device& device, const std::vector<tocuda_touch>& touches) {
    Charge charge;
    for (const tocuda_touch& touch : touches) {
        add(simulation, device, reinterpret_cast<std::uintptr_t>(touch.address), static_cast<double>(touch.bytes),
            touch.writes != 0, charge);
    }
    return charge.together();
}

double seconds_to_chase(Simulation& simulation, Device& device, const tocuda_touch& over, std::size_t loads) {
    const auto address = reinterpret_cast<std::uintptr_t>(over.address);
    const Allocation* found = simulation.memory.around(address);
    if (!found) return 0;
    const SimulatedGpu& gpu = device.profile;
    const auto bytes = static_cast<std::int64_t>(over.bytes);
    double faults = 0;
    auto each = bytes <= gpu.l1_bytes   ? gpu.l1_latency_ns
                : bytes <= gpu.l2_bytes ? gpu.l2_latency_ns
                                        : gpu.memory_latency_ns;
    if (found->kind == MemoryKind::managed && !stays_with_host(simulation, *found, device.number)) {
        const auto extent = std::min(over.bytes, found->bytes - (address - found->address));
        faults = seconds_to_bring(simulation, device, *found, address, extent, device.number);
    } else if (!found->on_device()) {
        each = gpu.host_latency_ns;
    } else if (found->device != device.number) {
        each = link_figure(simulation.profile, simulation.device(found->device).index_in_file, device.index_in_file,
                           &SimulatedLink::latency_ns, gpu.peer_latency_ns);
    }
    return faults + 1e-9 * static_cast<double>(each) * static_cast<double>(loads);
}

double seconds_to_repeat(const Device& device, const tocuda_touch& over, std::size_t working_set, unsigned blocks) {
    const SimulatedGpu& gpu = device.profile;
    const auto bytes = static_cast<std::int64_t>(working_set);
    const auto level = bytes == 0              ? gpu.shared_bytes_per_second
                       : bytes <= gpu.l1_bytes ? gpu.l1_bytes_per_second
                       : bytes <= gpu.l2_bytes ? gpu.l2_bytes_per_second
                                               : 0;
    const auto whole = level > 0 ? static_cast<double>(level) : device.memory_bytes_per_second();
    const auto share = std::min(1.0, static_cast<double>(blocks) / static_cast<double>(gpu.multiprocessors));
    return static_cast<double>(over.bytes) / (whole * share);
}

double seconds_with_arguments(Simulation& simulation, Device& device, const std::vector<std::uintptr_t>& words,
                              double seconds) {
    std::vector<Reached> reached;
    bool all_here = true;
    for (const std::uintptr_t word : words) {
        const Allocation* found = simulation.memory.around(word);
        if (!found) continue;
        reached.push_back({word, static_cast<double>(found->bytes - (word - found->address))});
        all_here = all_here && found->on_device() && found->device == device.number;
    }
    if (all_here || seconds <= 0) return seconds;
    // The smallest first: bytes that do not fit there, behind a pointer to a single sum for example, go to the others.
    std::ranges::sort(reached, {}, &Reached::bytes_behind);
    double left = seconds * device.memory_bytes_per_second();
    Charge charge;
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const double share = std::min(reached[i].bytes_behind, left / static_cast<double>(reached.size() - i));
        add(simulation, device, reached[i].address, share, false, charge);
        left -= share;
    }
    charge.memory += left / device.memory_bytes_per_second();  // repeated accesses to the same bytes
    return charge.together();
}

}  // namespace tocuda::simulator
