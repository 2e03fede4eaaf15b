// tocuda, Apache-2.0.
// A worker for tests that keeps the protocol and breaks everything else. Each scenario fails in one way, except
// faulty/fine. FAULTY_PROTOCOL=2 makes it answer with another protocol; FAULTY_JUDGE=crash|hang|garbage makes it fail
// while judging.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Fault {
    std::string_view name;
    std::string_view summary;
    void (*commit)();
};

void say(std::string_view text) {
    while (!text.empty()) {
        const auto written = write(3, text.data(), text.size());
        if (written <= 0) std::exit(3);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void say_done() { say("{\"kind\":\"done\",\"device\":\"none\",\"stand_in\":[]}\n"); }

void say_seen(std::string_view key, std::string_view value) {
    say("{\"kind\":\"seen\",\"key\":\"" + std::string(key) + "\",\"value\":\"" + std::string(value) + "\"}\n");
}

template <int Signal>
void end_by() {
    say_seen("before", "the end");
    signal(Signal, SIG_DFL);
    raise(Signal);
}

void crash_by_address() {
    say_seen("before", "the end");
    *static_cast<volatile int*>(nullptr) = 1;
}

[[noreturn]] void wait_for_ever() {
    while (true) pause();
}

void hang() {
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) signal(number, SIG_IGN);
    say_seen("hangs", "ignoring SIGTERM");
    wait_for_ever();
}

void garbage() {
    say("this is not JSON\n{\"kind\":17}\n\xff\xfe\n[]\n");
    say_done();
}

void half_line() { say("{\"kind\":\"seen\",\"key\":\"ha"); }

void flood() {
    const std::string line(1 << 20, 'x');
    for (int times = 0; times < 1024; ++times) say(line.substr(1) + "\n");
    say_done();
}

void close_early() {
    say_seen("before", "closing");
    close(3);
}

void say_nothing() {}

void leave_grandchild() {
    if (fork() == 0) wait_for_ever();
    say_done();
}

void start_grandchild_in_own_session() {
    const auto between = fork();
    if (between == 0) {
        setsid();
        if (fork() == 0) {
            for (const int number : {SIGTERM, SIGINT, SIGHUP}) signal(number, SIG_IGN);
            wait_for_ever();
        }
        _exit(0);
    }
    waitpid(between, nullptr, 0);  // leaves only the process in its own session
}

void leave_grandchild_in_own_session() {
    start_grandchild_in_own_session();
    say_done();
}

void stay_with_grandchild_in_own_session() {
    start_grandchild_in_own_session();
    hang();
}

// Forks and exits again and again, so that each process found is already gone. Limited to half a minute, in case a
// guardian does not catch it.
void leave_hopping_grandchild() {
    if (fork() == 0) {
        setsid();
        for (const auto until = time(nullptr) + 30; time(nullptr) < until;)
            if (fork() > 0) _exit(0);
        _exit(0);
    }
    say_done();
}

void fill_stderr() {
    const std::string line(1 << 16, 'e');
    for (int times = 0; times < 256; ++times) std::fprintf(stderr, "%d %s\n", times, line.c_str());
    std::fputs("the last words", stderr);
    say_done();
}

void eat_memory() {
    static std::vector<std::vector<char>> eaten;
    while (true) {
        eaten.emplace_back(std::size_t{8} << 20, 'm');
        usleep(2000);
    }
}

void kill_guardian() {
    if (fork() == 0) {
        setsid();
        wait_for_ever();
    }
    say_seen("kills", "its parent");
    kill(getppid(), SIGKILL);
    wait_for_ever();
}

void work() {
    say_seen("works", "yes");
    say_done();
}

constexpr std::array faults{
    Fault{"fine", "works", work},
    Fault{"segv", "writes to address 0", crash_by_address},
    Fault{"abrt", "aborts", end_by<SIGABRT>},
    Fault{"kill", "is killed", end_by<SIGKILL>},
    Fault{"bus", "ends by a bus error", end_by<SIGBUS>},
    Fault{"hang", "never ends and ignores SIGTERM", hang},
    Fault{"garbage", "writes lines that are not of the protocol", garbage},
    Fault{"half_line", "ends in the middle of a line", half_line},
    Fault{"flood", "writes a gigabyte", flood},
    Fault{"closes_early", "closes descriptor 3 and exits normally", close_early},
    Fault{"says_nothing", "exits normally without writing anything", say_nothing},
    Fault{"grandchild", "leaves a process behind", leave_grandchild},
    Fault{"grandchild_own_session", "leaves a process behindin its own session", leave_grandchild_in_own_session},
    Fault{"grandchild_hops", "leaves a process behind that forks and exits again and again", leave_hopping_grandchild},
    Fault{"stays_with_grandchild_in_own_session", "hangs, and so does its process in another session",
          stay_with_grandchild_in_own_session},
    Fault{"fills_stderr", "writes 16 MiB to standard error", fill_stderr},
    Fault{"eats_memory", "allocates memory without end", eat_memory},
    Fault{"kills_guardian", "kills its guardian and keeps running", kill_guardian},
};

int describe() {
    const char* const protocol = std::getenv("FAULTY_PROTOCOL");
    say(std::string("{\"kind\":\"worker\",\"protocol\":") + (protocol ? protocol : "1") + "}\n");
    for (const auto& fault : faults)
        say("{\"kind\":\"scenario\",\"name\":\"faulty/" + std::string(fault.name) + "\",\"summary\":\"" +
            std::string(fault.summary) +
            "\",\"claims\":[{\"id\":\"900-01\",\"statement\":\"the worker fails on purpose\"}],\"needs\":{\"gpus\":0},"
            "\"variants\":[{\"name\":\"default\",\"environment\":{},\"fakes\":[],"
            "\"limits\":{\"seconds\":3,\"resident_bytes\":209715200},\"expected\":{\"900-01\":\"reproduced\"}}]}\n");
    return 0;
}

int observe(std::string_view name) {
    for (const auto& fault : faults)
        if (name == "faulty/" + std::string(fault.name)) {
            fault.commit();
            return 0;
        }
    std::fprintf(stderr, "no scenario named '%s'\n", std::string(name).c_str());
    return 2;
}

// Returns a field whose value is a string without escapes, as in our own rows.
std::string field(const std::string& row, const std::string& name) {
    const auto head = "\"" + name + "\":\"";
    const auto begin = row.find(head);
    if (begin == std::string::npos) return {};
    return row.substr(begin + head.size(), row.find('"', begin + head.size()) - begin - head.size());
}

int judge() {
    const char* const asked = std::getenv("FAULTY_JUDGE");
    const std::string_view fault = asked ? asked : "";
    for (std::string row; std::getline(std::cin, row);) {
        if (fault == "crash") crash_by_address();
        if (fault == "hang") hang();
        if (fault == "garbage") garbage();
        say("{\"kind\":\"ruling\",\"name\":\"" + field(row, "name") + "\",\"variant\":\"" + field(row, "variant") +
            "\",\"claim\":\"900-01\",\"verdict\":\"reproduced\",\"because\":\"the row was judged\"}\n");
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (fcntl(3, F_GETFD) < 0) {
        std::fputs("descriptor 3 is closed\n", stderr);
        return 2;
    }
    const std::string_view word = count > 1 ? arguments[1] : "";
    if (word == "describe") return describe();
    if (word == "observe" && count == 4) return observe(arguments[2]);
    if (word == "judge") return judge();
    std::fputs("describe | observe NAME VARIANT | judge\n", stderr);
    return 2;
}
