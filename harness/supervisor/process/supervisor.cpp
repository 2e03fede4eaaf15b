// tocuda, Apache-2.0.
// One loop over the pipes of all children.
#include "process/supervisor.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <set>
#include <vector>

#include "process/child.hpp"
#include "process/process_tree.hpp"
#include "process/watched_child.hpp"

namespace tocuda {

struct Supervisor::Inside {
    explicit Inside(std::string program) : guardian(std::move(program)) {
        for (const auto process : children_of(getpid())) older.insert(process);
        prctl(PR_GET_CHILD_SUBREAPER, &was_subreaper);
        prctl(PR_SET_CHILD_SUBREAPER, 1);  // adopts what a killed guardian leaves behind
    }
    ~Inside() { prctl(PR_SET_CHILD_SUBREAPER, was_subreaper); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

    std::set<pid_t> not_orphans() const {
        auto processes = older;
        for (const auto& [id, child] : children)
            if (!child.guardian_gone()) processes.insert(child.guardian());
        return processes;
    }

    void end_orphans() const;
    void end_if_over(Id id);

    std::string guardian;
    std::map<Id, WatchedChild> children;
    Id next = 1;
    std::string room = std::string(std::size_t{1} << 16, '\0');
    std::set<pid_t> older;  // earlier children of this process, which must not be ended
    int was_subreaper = 0;
};

// While a supervisor exists, every new child of this process is a guardian or was left behind by a dead one.
void Supervisor::Inside::end_orphans() const {
    constexpr double give_up_seconds = 1;
    const auto spared = not_orphans();
    for (const double give_up = now() + give_up_seconds; now() < give_up; usleep(500)) {
        bool any = false;
        for (const auto process : children_of(getpid())) {
            if (spared.contains(process)) continue;
            any = true;
            kill(process, SIGKILL);
            waitpid(process, nullptr, WNOHANG);
        }
        if (!any) return;
    }
}

void Supervisor::Inside::end_if_over(Id id) {
    const auto found = children.find(id);
    if (!found->second.ended()) return;
    const auto gone = children.extract(found);
    const auto& on_end = gone.mapped().reactions().on_end;
    if (on_end) on_end(gone.mapped().end());
}

Supervisor::Supervisor(std::string guardian) : inside(std::make_unique<Inside>(std::move(guardian))) {}

Supervisor::~Supervisor() {
    auto& children = inside->children;
    for (auto& [id, child] : children) child.silence();
    stop_all("the supervisor ended");
    while (!children.empty()) step(1);
    inside->end_orphans();
}

Supervisor::Id Supervisor::start(const Child& child, Reactions reactions) {
    const Id id = inside->next++;
    inside->children.try_emplace(id, child, std::move(reactions)).first->second.start(inside->guardian, child);
    return id;
}

void Supervisor::send(Id child, std::string text) {
    const auto found = inside->children.find(child);
    if (found != inside->children.end()) found->second.send(text);
}

void Supervisor::close_input(Id child) {
    const auto found = inside->children.find(child);
    if (found != inside->children.end()) found->second.close_input();
}

void Supervisor::stop(Id child, const std::string& why) {
    const auto found = inside->children.find(child);
    if (found != inside->children.end()) found->second.stop(why);
}

void Supervisor::stop_all(const std::string& why) {
    for (auto& [id, child] : inside->children) child.stop(why);
}

int Supervisor::running() const { return static_cast<int>(inside->children.size()); }

void Supervisor::step(double seconds, int wake) {
    double until = now() + seconds;
    std::vector<pollfd> watched{{wake, POLLIN, 0}};
    std::vector<Id> ids;
    for (const auto& [id, child] : inside->children) {
        ids.push_back(id);
        for (const auto& one : child.awaited()) watched.push_back(one);
        until = std::min(until, child.next_moment());
    }
    if (poll(watched.data(), watched.size(), poll_timeout(until - now())) < 0)
        for (auto& one : watched) one.revents = 0;
    const auto* found = watched.data() + 1;
    for (const auto id : ids) {
        std::array<pollfd, WatchedChild::descriptors> of_child;
        std::copy_n(found, of_child.size(), of_child.begin());
        found += of_child.size();
        auto& child = inside->children.at(id);
        const bool watched_before = !child.guardian_gone();
        child.attend(of_child, inside->room);
        if (watched_before && child.guardian_was_killed()) inside->end_orphans();
        inside->end_if_over(id);
    }
}

}  // namespace tocuda
