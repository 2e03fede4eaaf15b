// tocuda, Apache-2.0.
// Makes many moves to the GPU in one process and reports counts, and lists of the moves that went wrong.
#pragma once

#include <ATen/ATen.h>

#include <map>
#include <set>
#include <string>

#include "model/evidence.hpp"
#include "worker/observer.hpp"

namespace tocuda {

enum class Way { blocking, non_blocking, pinned };
std::string word(Way way);

class ManyMoves {
public:
    // A tensor that cannot be pinned is not moved from pinned memory.
    void move(const at::Tensor& source, const std::string& name, Way way);
    void not_made() { ++missing; }

    // Records NAME.not_made, .unpinned, .tried, .moved, .refused ("c10::Error blocking: UInt1 UInt2"),
    // .refused_on_the_cpu_too (those that the CPU cannot copy either), .first_words, .stayed and .changed.
    void say(Observer& see, const std::string& name) const;

    // For judges: throws Undecided if a move failed with an error of the GPU or its memory, which says nothing about
    // the tensor.
    static void require_no_fault(const Evidence& evidence, const std::string& name);

private:
    using Names = std::map<std::string, std::set<std::string>>;  // tensors by outcome
    static Values listed(const Names& names);
    void compare(const at::Tensor& source, const at::Tensor& moved, const std::string& name, const std::string& way);

    std::int64_t missing = 0;
    std::int64_t tried = 0;
    std::int64_t moved_there = 0;
    Names unpinned;
    Names refused;
    Names refused_on_the_cpu_too;
    Names stayed;
    Names changed;
    std::string first_words;
};

}  // namespace tocuda
