// tocuda, Apache-2.0.
// Moves a tensor, checks its device, brings it back and compares the bytes.
#include "libtorch/many_moves.hpp"

#include "libtorch/attempt.hpp"
#include "libtorch/specimens.hpp"

namespace tocuda {

std::string word(Way way) {
    return way == Way::blocking ? "blocking" : way == Way::non_blocking ? "non_blocking" : "pinned";
}

void ManyMoves::move(const at::Tensor& source, const std::string& name, Way way) {
    auto from = source;
    if (way == Way::pinned) {
        const auto pinning = attempt([&] { from = source.pin_memory(); });
        if (pinning.threw) {
            unpinned[pinning.type].insert(name);
            return;
        }
    }
    ++tried;
    auto there = from;
    const auto moving =
        attempt([&] { there = from.to(at::Device(at::kCUDA, 0), from.scalar_type(), way != Way::blocking); });
    if (moving.threw) {
        const bool nowhere = from.is_cpu() && from.layout() == at::kStrided &&
                             attempt([&] { from.clone(at::MemoryFormat::Contiguous); }).threw;
        (nowhere ? refused_on_the_cpu_too : refused)[moving.type + " " + word(way)].insert(name);
        if (first_words.empty()) first_words = moving.message.substr(0, moving.message.find('\n'));
        return;
    }
    if (!there.is_cuda()) {
        stayed[word(way)].insert(name);
        return;
    }
    ++moved_there;
    compare(source, there, name, word(way));
}

void ManyMoves::compare(const at::Tensor& source, const at::Tensor& moved, const std::string& name,
                        const std::string& way) {
    if (moved.scalar_type() != source.scalar_type() || moved.layout() != source.layout())
        changed["dtype or layout, " + way].insert(name);
    if (is_packed(source.scalar_type())) return;
    at::Tensor back;
    const auto returning = attempt([&] { back = moved.to(at::kCPU); });
    if (returning.threw) changed["cannot come back: " + returning.type + ", " + way].insert(name);
    else if (bytes_of(back) != bytes_of(source)) changed["bytes, " + way].insert(name);
}

Values ManyMoves::listed(const Names& names) {
    Values lines;
    for (const auto& [what, whom] : names) {
        std::string line = what + ":";
        for (const auto& name : whom) line += " " + name;
        lines.emplace_back(line);
    }
    return lines;
}

void ManyMoves::say(Observer& see, const std::string& name) const {
    see(name + ".not_made", missing);
    see(name + ".unpinned", listed(unpinned));
    see(name + ".tried", tried);
    see(name + ".moved", moved_there);
    see(name + ".refused", listed(refused));
    see(name + ".refused_on_the_cpu_too", listed(refused_on_the_cpu_too));
    see(name + ".first_words", first_words);
    see(name + ".stayed", listed(stayed));
    see.computed_by_gpu(name + ".changed", listed(changed));
}

void ManyMoves::require_no_fault(const Evidence& evidence, const std::string& name) {
    for (const auto& line : evidence.list(name + ".refused")) {
        const auto* text = std::get_if<std::string>(&line.held);
        if (!text) throw Undecided("the list of refusals holds something other than text");
        for (const auto* fault : {"c10::AcceleratorError", "c10::OutOfMemoryError", "std::exception"})
            if (text->starts_with(fault))
                throw Undecided("the GPU itself failed: " + text->substr(0, text->find(": ")));
    }
}

}  // namespace tocuda
