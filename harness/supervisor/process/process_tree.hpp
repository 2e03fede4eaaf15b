// tocuda, Apache-2.0.
// Finds the descendants of a process in /proc. The answer is outdated when it is read, so callers ask again.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace tocuda {

std::vector<pid_t> children_of(pid_t process);
std::vector<pid_t> children_by_asking_all(pid_t process);  // slow; for kernels that do not list children
std::vector<pid_t> descendants_of(pid_t process);          // children of children too, in no particular order
bool runs(pid_t process);                                  // neither gone nor a zombie
std::int64_t resident_bytes_of(pid_t process);             // 0 if it is gone

}  // namespace tocuda
