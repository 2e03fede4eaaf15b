// tocuda, Apache-2.0.
// What a scenario says while it looks: each call is one line on descriptor 3, out before the next thing happens, so that a crash
// leaves all that was seen before it.
#pragma once

#include <functional>
#include <string>

#include "model/value.hpp"

namespace tocuda {

class Observer {
public:
    using Write = std::function<void(const std::string& line)>;
    using Computed = std::function<bool()>;

    // `computed` answers, at this moment, whether values that come back from a GPU were computed by one.
    Observer(std::string variant, Write write, Computed computed)
        : chosen(std::move(variant)), write_line(std::move(write)), is_computed(std::move(computed)) {}

    void operator()(const std::string& key, const Value& value) { say(key, value, true); }
    // A value that rests on what a GPU kernel computed: on a simulated GPU it decides nothing.
    void computed_by_gpu(const std::string& key, const Value& value) { say(key, value, is_computed()); }

    const std::string& variant() const { return chosen; }

private:
    void say(const std::string& key, const Value& value, bool computed);

    std::string chosen;
    Write write_line;
    Computed is_computed;
};

}  // namespace tocuda
