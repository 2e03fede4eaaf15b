// tocuda, Apache-2.0.
// The progress line on stderr: on a terminal it is rewritten in place; elsewhere it is printed after two seconds, and
// then less and less often.
#pragma once

#include <string>

namespace tocuda {

class Progress {
public:
    Progress(bool quiet, double now);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void say(double now, std::string text);
    void clear();

private:
    bool silent;
    bool terminal;
    double next;
    double pause = 2;
    std::size_t shown = 0;  // columns
};

}  // namespace tocuda
