// tocuda, Apache-2.0.
// Decides when the operations of all streams happen in virtual time: in the order in which they could begin, whatever
// stream they are in.
#pragma once

#include <map>
#include <vector>

namespace tocuda::simulator {

class Stream;

class Schedule {
public:
    explicit Schedule(const double& now) : now_(now) {}
    Schedule(const Schedule&) = delete;
    Schedule& operator=(const Schedule&) = delete;

    double now() const { return now_; }
    void add(Stream* stream) { unsettled_.push_back(stream); }  // an operation of it has no time yet
    // Gives a time to every operation that nothing blocks.
    void settle();

    // How long someone has been waiting in real time: the patience of a kernel that polls a flag runs out by that, too.
    double waited_seconds = 0;

    // From the first to the last operation that kept a GPU busy. Negative if there was none.
    struct Work {
        double begin = -1;
        double end = -1;
    };
    void note_work(int device, double begin, double end);
    Work work(int device) const;

private:
    const double& now_;
    std::vector<Stream*> unsettled_;
    std::map<int, Work> work_;
};

}  // namespace tocuda::simulator
