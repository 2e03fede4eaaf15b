// tocuda, Apache-2.0.
// Which processes stand below another, as /proc tells it. What it says is already past when it is read: callers ask again.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace tocuda {

std::vector<pid_t> children_of(pid_t process);
std::vector<pid_t> children_by_asking_all(pid_t process);  // the slow way, for a kernel that lists no children
std::vector<pid_t> descendants_of(pid_t process);  // children of children too, in no promised order
bool runs(pid_t process);                          // not gone, and not a zombie that waits to be reaped
std::int64_t resident_bytes_of(pid_t process);     // 0 where it is gone

}  // namespace tocuda
