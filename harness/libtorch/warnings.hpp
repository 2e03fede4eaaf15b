// tocuda, Apache-2.0.
// Collects LibTorch's warnings while this object lives.
#pragma once

#include <c10/util/Exception.h>

#include <string>
#include <vector>

namespace tocuda {

class Warnings : public c10::WarningHandler {
public:
    Warnings() : before(c10::WarningUtils::get_warning_handler()) { c10::WarningUtils::set_warning_handler(this); }
    ~Warnings() override { c10::WarningUtils::set_warning_handler(before); }
    Warnings(const Warnings&) = delete;
    Warnings& operator=(const Warnings&) = delete;

    void process(const c10::Warning& warning) override { heard.push_back(warning.msg()); }
    const std::vector<std::string>& texts() const { return heard; }

private:
    c10::WarningHandler* before;
    std::vector<std::string> heard;
};

}  // namespace tocuda
