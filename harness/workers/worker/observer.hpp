// tocuda, Apache-2.0.
// Writes a scenario's observations: each call writes one line to descriptor 3 at once, so that a crash loses nothing
// that was observed before it.
#pragma once

#include <functional>
#include <string>

#include "model/evidence.hpp"

namespace tocuda {

class Observer {
public:
    using Write = std::function<void(const std::string& line)>;
    using Computed = std::function<bool()>;

    // `computed` returns whether values that come back from a GPU now were computed by it.
    Observer(std::string variant, Write write, Computed computed)
        : chosen(std::move(variant)), write_line(std::move(write)), is_computed(std::move(computed)) {}

    void operator()(const std::string& key, const Value& value) { say(key, value, true); }
    // Records a value that depends on a GPU kernel's result: from a simulated GPU it decides nothing.
    void computed_by_gpu(const std::string& key, const Value& value) { say(key, value, is_computed()); }

    const std::string& variant() const { return chosen; }

private:
    void say(const std::string& key, const Value& value, bool computed);

    std::string chosen;
    Write write_line;
    Computed is_computed;
};

}  // namespace tocuda
