// tocuda, Apache-2.0.
// Many moves to the GPU in one process, told as counts and as lists of what did not go as it should.
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
    // A tensor that cannot be pinned is not moved that way either.
    void move(const at::Tensor& source, const std::string& name, Way way);
    void not_made() { ++missing; }

    // NAME.not_made, .unpinned, .tried, .moved, .refused ("c10::Error blocking: UInt1 UInt2"), .refused_on_the_cpu_too (those of which the
    // CPU cannot make a copy either), .first_words, .stayed, .changed
    void say(Observer& see, const std::string& name) const;

    // For judges: undecided where a move ended in an error of the GPU or of its memory, which says nothing about what was moved.
    static void require_no_fault(const Evidence& evidence, const std::string& name);

private:
    using Names = std::map<std::string, std::set<std::string>>;  // of the tensors, by what befell them
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
