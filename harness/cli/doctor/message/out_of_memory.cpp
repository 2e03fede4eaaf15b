// tocuda, Apache-2.0.
#include "doctor/message/out_of_memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {
namespace {

constexpr std::string_view hint_before = "try setting PYTORCH_";
constexpr auto less_memory = "use a smaller batch, or accumulate gradients over several";
constexpr std::int64_t largest_context = std::int64_t{1} << 30;  // of one process, with the kernels of its libraries
constexpr std::int64_t largest_beside = 2 * largest_context;     // with buffers of NCCL, workspaces and captured graphs

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
    memory.cut = !memory.idle && message.find(" cached") == std::string_view::npos;
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
    memory.cut = !memory.idle;
}

class Sum {
public:
    Sum(const MemoryTold& numbers, Explanation& explanation) : memory(numbers), told(explanation) {}

    void add() {
        add_figures();
        if (!memory.total || !memory.free) return;
        say_holders();
        say_limit();
        if (lent_by_windows()) return say_lent();
        if (memory.requested > *memory.total) return say_too_large();
        if (memory.requested <= room()) return is_full() ? say_full() : say_nobody();
        if (hides_holders()) return;
        const auto lacking = memory.requested - room() - idle();
        const bool others_decide = outside() >= memory.requested - room() && outside() > context();
        if (lacking <= 0) say_fragmentation();
        else say_short(lacking);
        if (!others_decide) return;
        if (lacking > 0 || !has_gaps()) say_others();
        else if (outside() * 4 >= *memory.total) add_ways_around_others();
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
    // This process with its context, where the text gives it, else without.
    std::int64_t own() const {
        if (memory.process) return *memory.process;
        for (const auto& [id, bytes] : memory.named)
            if (is_this_one(bytes)) return bytes;
        return reserved();
    }
    // In a container the text names this process by its number on the host. Where there is no room for both, they are
    // one.
    bool is_this_one(std::int64_t bytes) const {
        if (memory.process || bytes < reserved()) return false;
        return bytes - reserved() <= largest_context || bytes + reserved() > *memory.total - *memory.free;
    }
    // Cut off before it says how much this process holds: nothing is told of who has the memory.
    bool hides_holders() const { return memory.cut && !memory.process; }
    std::int64_t outside() const { return std::max<std::int64_t>(0, *memory.total - *memory.free - own()); }
    // What a context of this process may take of that.
    std::int64_t context() const { return own() == reserved() ? largest_beside : *memory.total / 100; }
    // Of so little the driver keeps some for itself.
    bool is_full() const { return !memory.limit && *memory.free * 50 < *memory.total; }
    bool lent_by_windows() const { return reserved() > *memory.total; }

    void say(fmt::string_view form, auto... bytes) {
        told.arithmetic.push_back(fmt::format(fmt::runtime(form), amount_text(bytes)...));
    }
    void figure(const char* name, std::optional<std::int64_t> bytes) {
        if (bytes) told.figures.push_back({name, *bytes, "bytes"});
    }

    void add_figures() {
        if (memory.requested > 0) figure("requested", memory.requested);
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
        if (memory.total && memory.free && !hides_holders()) figure("outside this process", outside());
    }

    // First of all: who has the memory.
    void say_holders() {
        if (hides_holders()) return say_in_use();
        say("of {}: this process {}, others {}, free: {}", *memory.total, own(), outside(), *memory.free);
        for (const auto& [id, bytes] : memory.named)
            told.arithmetic.push_back(fmt::format("process {} has {}{}", id, amount_text(bytes),
                                                  is_this_one(bytes) ? ": this one, by its size" : ""));
        if (memory.allocated && !memory.cut && own() > reserved())
            say("this process: {} of PyTorch, {} of its CUDA context and libraries", reserved(), own() - reserved());
        else if (outside() > 0 && own() == reserved())
            say("the others' {} include this process's CUDA context and libraries, some hundred MiB and more",
                outside());
        if (own() == reserved() && outside() > *memory.total / 4 && *memory.total < 2 * largest_context)
            told.arithmetic.emplace_back("on so small a GPU the context of this process alone may be that much");
    }

    void say_in_use() {
        for (const auto& [id, bytes] : memory.named)
            told.arithmetic.push_back(fmt::format("process {} has {}", id, amount_text(bytes)));
        say("{} of {} are in use; by whom is not in the text, which is cut: paste all of it, or nvidia-smi's output",
            *memory.total - *memory.free, *memory.total);
    }

    void say_limit() {
        if (!memory.limit) return;
        say("the program allows itself {} (torch.cuda.set_per_process_memory_fraction): {} are reserved, {} remain",
            *memory.limit, reserved(), std::max<std::int64_t>(0, *memory.limit - reserved()));
    }

    void say_too_large() {
        say("{} in one piece is more than the whole GPU has ({})", memory.requested, *memory.total);
        const auto lacking = memory.requested - room() - idle();
        figure("lacking", lacking);
        told.remedies = {"print the shape of the tensor on the failing line: one dimension is too large",
                         "torch.nn.functional.scaled_dot_product_attention(...)   (if it is attention: a matrix of all "
                         "pairs is not made)",
                         less_memory};
    }

    // The driver of Windows or WSL backs allocations with memory of the host, which is slow, until that ends too.
    void say_lent() {
        say("PyTorch holds {}, {} more than the GPU has: the driver of Windows or WSL lends memory of the host",
            reserved(), reserved() - *memory.total);
        if (memory.requested > *memory.total) say("{} in one piece is more than the whole GPU has", memory.requested);
        figure("lacking", memory.requested - room() - idle());
        told.remedies = {"use a smaller batch or model: it does not fit this GPU, and what is lent is slow",
                         {"NVIDIA Control Panel, Manage 3D settings, CUDA - Sysmem Fallback Policy: Prefer No Sysmem "
                          "Fallback   (then it fails earlier, and never slows down)",
                          Scope::machine}};
    }

    void say_full() {
        say("{} of {} were free when the message was written, and not all of it can be had: the GPU is full",
            *memory.free, *memory.total);
        told.remedies = {less_memory};
        if (outside() > context() && !hides_holders()) say_others();
    }

    void say_nobody() {
        say("{} were free when the message was written, more than the {} requested", room(), memory.requested);
        told.certain = false;
        if (memory.requested > room() - room() / 20)
            told.arithmetic.emplace_back(
                "it is nearly all that is free, and not every byte of that can be had in one piece: too large by a "
                "hair");
        told.meaning =
            "The driver refused memory that was free: not the GPU is full, but another limit was met, or another "
            "process had it for a moment.";
        told.remedies = {
            {"nvidia-smi --query-compute-apps=pid,used_memory --format=csv,noheader --loop=1   (another process in "
             "between?)",
             Scope::look},
            {"ulimit -v; free -h   (each allocation of the GPU also takes addresses or memory of the host)",
             Scope::look},
            less_memory};
        if (memory.windows)
            told.remedies.insert(told.remedies.begin(),
                                 {"enlarge the page file: System, Advanced, Performance, Virtual memory   (Windows "
                                  "counts each allocation of the GPU against its commit limit)",
                                  Scope::machine});
    }

    void say_fragmentation() {
        if (memory.requested <= idle())
            say(has_gaps() ? "PyTorch holds {} that no tensor uses, and no piece of it is as large as {}: fragmentation"
                           : "of the {} that no tensor uses no piece is as large as {}: the GPU is full",
                idle(), memory.requested);
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
        if (!has_gaps()) {
            std::erase(told.remedies, Remedy(less_memory));
            told.remedies.insert(told.remedies.begin(), less_memory);
        }
    }

    void add_remedies_for_gaps() {
        if (memory.expandable) {
            told.arithmetic.emplace_back(
                "expandable segments are on already; the hint to set them appears all the same (pytorch#173049)");
            told.remedies = {"free or shrink long-lived tensors before the peak",
                             "torch.cuda.memory._record_memory_history(); "
                             "torch.cuda.memory._dump_snapshot('memory.pickle')   (shows which tensors keep the gaps)"};
        } else if (memory.old_form) {
            told.remedies = {"export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128   (before the program starts)",
                             less_memory};
        } else {
            told.remedies = {
                "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True   (before the program starts)",
                "export PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:128   (instead, where the driver does not support "
                "expandable segments)"};
        }
    }

    void say_short(std::int64_t lacking) {
        figure("lacking", lacking);
        if (idle() > 0)
            say("{} requested - {} free - {} reserved but unused = {} short, even without fragmentation",
                memory.requested, room(), idle(), lacking);
        else say("{} requested - {} free = {} short", memory.requested, room(), lacking);
        told.remedies = {less_memory};
        if (memory.limit && memory.requested <= memory.free.value_or(0)) {
            told.remedies = {"raise the fraction given to torch.cuda.set_per_process_memory_fraction"};
            return;
        }
        if (lacking > *memory.total / 100)
            say("for this allocation: a GPU with {}, or {} less in use", *memory.total + lacking, lacking);
        else say("with {} less in use this allocation would fit, and perhaps not the next one", lacking);
        if (memory.expandable || memory.old_form || !has_gaps()) return;
        told.remedies.emplace_back(
            "export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True   (frees what is lost to gaps; alone it is not "
            "enough)");
    }

    // Others hold as much as is lacking: that comes before anything that this program could do.
    void say_others() {
        say("without the {} of others it would have been enough", outside());
        told.meaning = fmt::format("Other processes use {} of this GPU; what is left is too little for this program.",
                                   amount_text(outside()));
        auto own_ways = std::exchange(told.remedies, {});
        add_ways_around_others();
        told.remedies.insert(told.remedies.end() - 1, own_ways.begin(), own_ways.end());
    }

    void add_ways_around_others() {
        told.remedies.emplace_back(
            "nvidia-smi --query-compute-apps=pid,used_memory,name --format=csv   (lists the other processes)",
            Scope::look);
        told.remedies.emplace_back("CUDA_VISIBLE_DEVICES=1 python ...   (another GPU, if there is one)");
        told.remedies.emplace_back("end the other processes   (only your own, or after asking whoever runs them)",
                                   Scope::others);
    }
};

}  // namespace

MemoryTold memory_told(std::string_view text, std::size_t at) {
    const auto message = flattened(text.substr(at));
    MemoryTold memory;
    memory.requested = amount_after(message, "Tried to allocate ").value_or(0);
    memory.expandable = sets_expandable_segments(text);
    memory.windows = origin_of(text).windows;
    if (message.find("Free (according to CUDA)") != std::string::npos) read_asynchronous_form(message, memory);
    else if (message.find(" already allocated;") != std::string::npos) read_old_form(message, memory);
    else read_new_form(message, memory);
    return memory;
}

void explain_memory(const MemoryTold& memory, Explanation& told) { Sum(memory, told).add(); }

}  // namespace tocuda::doctor
