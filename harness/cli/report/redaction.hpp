// tocuda, Apache-2.0.
// Replaces what names a machine in a text: hosts, GPUs, boots and sessions by pseudonyms, paths and other UUIDs by
// marks. Run ids stay: a report is found by them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/machine.hpp"

namespace tocuda::page {

class Redaction {
public:
    Redaction() = default;  // leaves every text unchanged
    explicit Redaction(const std::vector<RunLine>& runs);

    std::string operator()(std::string_view text) const;
    bool hides() const { return active; }

private:
    void hide(const std::string& name, const std::string& pseudonym);

    bool active = false;
    std::vector<std::pair<std::string, std::string>> names{};  // longest first
    std::vector<std::string> runs_kept{};
};

}  // namespace tocuda::page
