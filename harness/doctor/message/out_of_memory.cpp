// tocuda, Apache-2.0.
#include "doctor/message/out_of_memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "doctor/message/excerpt.hpp"

namespace tocuda::doctor {
namespace {

constexpr std::string_view hint_before = "try setting PYTORCH_";
constexpr auto less_memory = "use a smaller batch, or accumulate gradients over several";

// Whether the text sets the option somewhere, rather than only recommend it as the hint of the message does.
bool sets_expandable_segments(std::string_view text) {
    constexpr std::string_view option = "expandable_segments";
    constexpr std::size_t near = 40;
    for (auto at = text.find(option); at != std::string_view::npos; at = text.find(option, at + option.size())) {
        const auto from = at < near ? 0 : at - near;
        if (text.substr(from, at - from).find(hint_before) != std::string_view::npos) continue;
        const auto value = flattened(text.substr(at + option.size(), 12));
        if (value.starts_with(":True") || value.starts_with("': True") || value.starts_with("\": true")) return true;
    }
    return false;
}

// "Process 21422 has 23.57 GiB memory in use." In a container that may be this process, under its number on the host.
std::vector<std::pair<std::int64_t, std::int64_t>> named_processes(std::string_view text) {
    std::vector<std::pair<std::int64_t, std::int64_t>> named;
    for (auto at = text.find("Process "); at != std::string_view::npos; at = text.find("Process ", at + 1)) {
        const auto id = number_after(text.substr(at, 60), "Process ");
        const auto amount = amount_after(text.substr(at, 60), " has ");
        if (id && amount) named.emplace_back(*id, *amount);
    }
    return named;
}

void read_old_form(std::string_view message, MemoryTold& memory) {
    memory.old_form = true;
    memory.total = amount_before(message, " total capacity;");
    memory.allocated = amount_before(message, " already allocated;");
    memory.free = amount_before(message, " free;");
    // Before 1.5 the cached memory that no tensor uses, later all that is reserved.
    memory.idle = amount_before(message, " cached)");
    if (const auto reserved = amount_before(message, " reserved in total"); reserved && memory.allocated)
        memory.idle = std::max<std::int64_t>(0, *reserved - *memory.allocated);
}

void read_asynchronous_form(std::string_view message, MemoryTold& memory) {
    memory.requested = amount_after(message, "Requested").value_or(0);
    memory.allocated = amount_after(message, "Currently allocated");
    memory.total = amount_after(message, "Device limit");
    memory.free = amount_after(message, "Free (according to CUDA)");
}

void read_new_form(std::string_view message, MemoryTold& memory) {
    memory.total = amount_after(message, " total capacity of ");
    if (!memory.total) memory.total = amount_after(message, " total capacty of ");  // 2.1
    memory.free = amount_before(message, " is free.");
    memory.limit = amount_before(message, " allowed;");
    memory.process = amount_after(message, "this process has ");
    memory.named = named_processes(message);
    memory.allocated = amount_before(message, " is allocated by PyTorch");
    memory.private_pools = amount_before(message, " allocated in private pools");
    memory.idle = amount_before(message, " is reserved by PyTorch but unallocated");
}

class Sum {
public:
    Sum(const MemoryTold& numbers, Explanation& explanation) : memory(numbers), told(explanation) {}

    void add() {
        add_figures();
        say_limit();
        say_processes();
        if (!memory.total || !memory.free) return say_little();
        if (memory.requested > *memory.total)
            say("{} is more than the whole GPU has ({})", memory.requested, *memory.total);
        else if (idle() > 0 && memory.requested <= room() + idle()) return say_fragmentation();
        else if (memory.requested <= room()) return say_free_enough();
        say_short();
    }

private:
    const MemoryTold& memory;
    Explanation& told;

    std::int64_t idle() const { return memory.idle.value_or(0); }
    // Whether more than a little of what is reserved is in no tensor.
    bool has_gaps() const { return idle() > 0 && idle() * 10 >= reserved(); }
    std::int64_t reserved() const { return memory.allocated.value_or(0) + idle(); }
    // What a new segment could take.
    std::int64_t room() const {
        if (!memory.limit) return memory.free.value_or(0);
        return std::max<std::int64_t>(0, std::min(memory.free.value_or(0), *memory.limit - reserved()));
    }

    void say(fmt::string_view form, auto... bytes) {
        told.arithmetic.push_back(fmt::format(fmt::runtime(form), amount_text(bytes)...));
    }
    void figure(const char* name, std::optional<std::int64_t> bytes) {
        if (bytes) told.figures.push_back({name, *bytes, "bytes"});
    }

    void add_figures() {
        figure("requested", memory.requested);
        figure("total", memory.total);
        figure("free", memory.free);
        figure("limit", memory.limit);
        figure("this process", memory.process);
        std::optional<std::int64_t> named;
        for (const auto& [id, bytes] : memory.named) named = named.value_or(0) + bytes;
        figure("other processes", named);
        figure("allocated", memory.allocated);
        figure("private pools", memory.private_pools);
        figure("reserved but unallocated", memory.idle);
    }

    void say_limit() {
        if (!memory.limit) return;
        say("the program allows itself {} (torch.cuda.set_per_process_memory_fraction): {} are reserved, {} remain",
            *memory.limit, reserved(), std::max<std::int64_t>(0, *memory.limit - reserved()));
    }

    void say_processes() {
        if (memory.total && memory.allocated && reserved() > *memory.total)
            say("PyTorch holds {}, {} more than the GPU has: the driver of Windows and WSL lends memory of the host",
                reserved(), reserved() - *memory.total);
        if (memory.process && memory.allocated && *memory.process > reserved())
            say("this process uses {}: {} of PyTorch and {} of its CUDA context and libraries", *memory.process,
                reserved(), *memory.process - reserved());
        for (const auto& [id, bytes] : memory.named)
            told.arithmetic.push_back(fmt::format("process {} uses {}{}", id, amount_text(bytes),
                                                  memory.process ? "" : "; in a container it may be this one"));
        if (!memory.named.empty()) return;
        if (const auto elsewhere = other_processes(); elsewhere > 0) say("other processes use {}", elsewhere);
        if (memory.process || !memory.total || !memory.free || !memory.idle) return;
        if (const auto outside = *memory.total - *memory.free - reserved(); outside > *memory.total / 100)
            say("{} lie outside PyTorch: CUDA contexts and libraries, and other processes", outside);
    }

    // Named, or what is left of the total: only if the text gives this process's share.
    std::int64_t other_processes() const {
        if (!memory.process || !memory.total || !memory.free) return 0;
        const auto left = *memory.total - *memory.free - *memory.process;
        return left > *memory.total / 100 ? left : 0;
    }

    void say_little() {
        told.remedies.emplace_back("python -c 'import torch; print(torch.cuda.mem_get_info())'");
        told.remedies.emplace_back("nvidia-smi --query-compute-apps=pid,used_memory --format=csv");
    }

    void say_fragmentation() {
        if (memory.requested <= idle())
            say("PyTorch holds {} that no tensor uses, and no piece of it is as large as {}: fragmentation", idle(),
                memory.requested);
        else
            say("{} would fit if the {} that no tensor uses could be given back: it lies between tensors in use",
                memory.requested, idle());
        if (has_gaps())
            told.arithmetic.push_back(
                fmt::format("{:.0f} % of what PyTorch reserves is lost to gaps; empty_cache() does not return them",
                            100.0 * static_cast<double>(idle()) / static_cast<double>(reserved())));
        else
            say("tensors hold {} of the {} that PyTorch reserves: what helps is to use less", reserved() - idle(),
                reserved());
        told.claims = {"002-06", "002-14", "000-07"};
        add_remedies_for_gaps();
        if (!has_gaps()) told.remedies.insert(told.remedies.begin(), less_memory);
    }

    void add_remedies_for_gaps() {
        if (memory.expandable) {
            told.arithmetic.emplace_back(
                "expandable segments are on already; the hint to set them appears all the same (pytorch#173049)");
            told.remedies = {"free or shrink long-lived tensors before the peak",
                             "torch.cuda.memory._record_memory_history(); "
                             "torch.cuda.memory._dump_snapshot('memory.pickle')   (shows which tensors keep the gaps)"};
        } else if (memory.old_form) {
            told.remedies = {"export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128   (before the program starts)"};
        } else {
            told.remedies = {"export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True   (before the program starts)",
                             "export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128   (where the driver refuses that)"};
        }
    }

    void say_free_enough() {
        say("{} were free when the message was written, more than the {} requested", room(), memory.requested);
        told.arithmetic.emplace_back(
            "the free memory is read after the failure: another process has ended since, or the driver refuses for "
            "another reason (Windows and WSL, a MIG instance, ulimit -v, a virtual GPU)");
        told.remedies = {"nvidia-smi --query-compute-apps=pid,used_memory --format=csv,noheader --loop=1", "ulimit -v"};
    }

    void say_short() {
        const auto lacking = memory.requested - room() - idle();
        told.figures.push_back({"lacking", lacking, "bytes"});
        if (idle() > 0)
            say("{} requested - {} free - {} reserved but unused = {} lacking, whatever the fragmentation",
                memory.requested, room(), idle(), lacking);
        else say("{} requested - {} free = {} lacking", memory.requested, room(), lacking);
        told.remedies = {less_memory};
        if (memory.limit && memory.requested <= memory.free.value_or(0)) {
            told.remedies = {"raise the fraction given to torch.cuda.set_per_process_memory_fraction"};
            return;
        }
        if (other_processes() >= lacking) {
            say("without the other processes it would have been enough");
            told.remedies.insert(told.remedies.begin(),
                                 "nvidia-smi --query-compute-apps=pid,used_memory --format=csv   (then end them)");
        } else say("enough would have been: a GPU with {}, or a peak lower by {}", *memory.total + lacking, lacking);
        if (memory.expandable || memory.old_form || !has_gaps()) return;
        told.remedies.emplace_back(
            "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True   (frees what is lost to gaps; alone it is not "
            "enough)");
    }
};

}  // namespace

MemoryTold memory_told(std::string_view text, std::size_t at) {
    const auto message = flattened(text.substr(at));
    MemoryTold memory;
    memory.requested = amount_after(message, "Tried to allocate ").value_or(0);
    memory.expandable = sets_expandable_segments(text);
    if (message.find("Free (according to CUDA)") != std::string::npos) read_asynchronous_form(message, memory);
    else if (message.find(" already allocated;") != std::string::npos) read_old_form(message, memory);
    else read_new_form(message, memory);
    return memory;
}

void explain_memory(const MemoryTold& memory, Explanation& told) { Sum(memory, told).add(); }

}  // namespace tocuda::doctor
