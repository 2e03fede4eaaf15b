// tocuda, Apache-2.0.
#include "worker/observer.hpp"

#include "json_lines/worker_lines.hpp"

namespace tocuda {

void Observer::say(const std::string& key, const Value& value, bool computed) {
    write_line(to_line(Observation{key, value, computed}));
}

}  // namespace tocuda
