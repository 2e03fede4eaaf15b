// tocuda, Apache-2.0.
// A worker for tests of `bench`: its benchmarks measure nothing and print what a test needs. Each fails in its own way,
// most of them at 65536 bytes. FAKE_LOG=FILE records the requests, one line for each process. Times are invented: 1 us
// plus 10 GB/s.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/schema/compiled.hpp"

namespace {

using Sets = std::vector<std::string>;  // each the JSON line of a parameter set

struct Fake {
    std::string_view name;
    void (*measure)(const Sets& sets);
    std::string_view more = "";  // additional fields of its description
    int gpus = 0;
};

constexpr long bad = 65536;

void say(std::string_view text) {
    while (!text.empty()) {
        const auto written = write(3, text.data(), text.size());
        if (written <= 0) std::exit(3);
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

long bytes_of(const std::string& set) {
    const auto found = set.find("\"bytes\":");
    return found == std::string::npos ? 0 : std::atol(set.c_str() + found + 8);
}

bool is_bad(const std::string& set) { return bytes_of(set) == bad; }

std::string line_of(const std::string& set, const std::string& status, double factor = 1,
                    const std::string& more = "") {
    const auto bytes = std::to_string(bytes_of(set));
    const auto seconds = std::to_string((1 + static_cast<double>(bytes_of(set)) / 1e4) * factor) + "e-6";
    const auto samples = status == "ok" ? seconds + "," + seconds + "," + seconds : "";
    return "{\"kind\":\"samples\",\"parameters\":" + set + ",\"status\":\"" + status +
           "\",\"check\":\"every byte\",\"clock\":\"host\",\"batch\":1,"
           "\"bytes_one_way\":" +
           bytes + ",\"bytes_touched\":" + bytes + ",\"unit\":\"s\",\"samples\":[" + samples + "]" + more + "}\n";
}

void say_ok(const std::string& set) { say(line_of(set, "ok")); }

void steady(const Sets& sets) {
    for (const auto& set : sets) say_ok(set);
}

// Calls `fault` for the bad set and answers all others.
template <class Fault>
void except(const Sets& sets, Fault fault) {
    for (const auto& set : sets) {
        if (is_bad(set)) fault(set);
        else say_ok(set);
    }
}

// Counts the processes in the current folder, by a byte for each in a file: two that run at once get different numbers.
unsigned long number_of_process() {
    const int file = ::open("fake_count", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || ::write(file, "x", 1) != 1) std::abort();
    return static_cast<unsigned long>(::lseek(file, 0, SEEK_CUR)) - 1;
}

// Times differ from process to process.
void noisy(const Sets& sets) {
    const auto count = number_of_process();
    for (const auto& set : sets) say(line_of(set, "ok", 1 + 0.1 * static_cast<int>(count % 3)));
}

// Times vary by up to 0.2 % from process to process, determined by the process's number; all are multiplied by
// FAKE_FACTOR.
void wandering(const Sets& sets) {
    const auto count = number_of_process();
    const char* factor = std::getenv("FAKE_FACTOR");
    for (std::size_t set = 0; set < sets.size(); ++set) {
        const auto random = ((count * 40 + set + 1) * 0x9e3779b97f4a7c15UL) >> 40;  // 24 bits
        const double off = 0.004 * (static_cast<double>(random) / static_cast<double>(1UL << 24) - 0.5);
        say(line_of(sets[set], "ok", (1 + off) * (factor ? std::atof(factor) : 1)));
    }
}

void crash(const std::string&) {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

void hang(const std::string&) {
    for (const int number : {SIGTERM, SIGINT, SIGHUP}) signal(number, SIG_IGN);
    while (true) pause();
}

void half(const std::string& set) {
    say(line_of(set, "ok").substr(0, 40));
    std::exit(0);
}

void leave(const std::string&) { std::exit(0); }
void garbage(const std::string&) { say("the weather is fine\n"); }
void sticky(const std::string& set) {
    say(line_of(set, "failed"));
    std::exit(71);
}
void sticky_without_a_word(const std::string&) {
    std::fputs("cudaErrorIllegalAddress\n", stderr);
    std::exit(71);
}
void surplus(const Sets& sets) {
    steady(sets);
    say_ok("{\"bytes\":5}");
}
void twice(const std::string& set) {
    say_ok(set);
    say_ok(set);
}
void slowly(const Sets& sets) {
    for (const auto& set : sets) {
        usleep(100'000);
        say_ok(set);
    }
}
void unable(const Sets&) {
    std::fputs("libnothing.so: cannot be loaded\n", stderr);
    std::exit(3);
}
void flagged(const Sets& sets) {
    for (const auto& set : sets)
        say(line_of(set, "ok", 1,
                    ",\"flags\":[\"sw_power_cap\"],\"peak_bytes_per_second\":2e10,\"peak_source\":\"made up\""));
}
// Removes all GPUs from the simulated machine, then crashes.
void lose_gpu(const std::string&) {
    if (const char* file = std::getenv("TOCUDA_SIMULATION")) std::ofstream(file) << tocuda::compiled({});
    crash("");
}
void elsewhere(const Sets& sets) {
    for (const auto& set : sets) say(line_of(set, "ok", 1, ",\"gpu\":\"GPU-of-someone-else\""));
}

// Reports the barrier file's name and how many processes share it, as a flag.
void meeting(const Sets& sets) {
    const std::string file = std::getenv("TOCUDA_MEETING") ? std::getenv("TOCUDA_MEETING") : "";
    unsigned members = 0;
    std::ifstream(file, std::ios::binary).read(reinterpret_cast<char*>(&members), sizeof members);
    const auto flag = "meeting_" + file.substr(file.rfind('/') + 1) + "_of_" + std::to_string(members);
    for (const auto& set : sets) say(line_of(set, "ok", 1, ",\"flags\":[\"" + flag + "\"]"));
}
void crash_on_the_second_gpu(const std::string& set) {
    const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
    if (visible && std::string_view(visible) == "1") crash(set);
    say_ok(set);
}

template <void (*Fault)(const std::string&)>
void at_the_bad_one(const Sets& sets) {
    except(sets, Fault);
}
template <char Word>
void status_at_the_bad_one(const Sets& sets) {
    except(sets, [](const std::string& set) {
        say(line_of(set, Word == 'w' ? "wrong" : Word == 'i' ? "invalid" : Word == 's' ? "skipped" : "failed"));
    });
}

constexpr std::array fakes{
    Fake{"steady", steady, ",\"quick\":{\"bytes\":[4096]},\"full\":{\"bytes\":[4096,65536,1048576,4194304]}"},
    Fake{"limited", steady, ",\"allowed\":{\"bytes\":{\"least\":16}},\"quick\":{\"bytes\":[]}"},
    Fake{"noisy", noisy, ",\"quick\":{\"bytes\":[4096]}"},
    Fake{"noisy_gpu", noisy, "", 1},
    Fake{"wandering", wandering},
    Fake{"wandering_gpu", wandering, "", 1},
    Fake{"turns", steady, ",\"alternates\":\"through\",\"quick\":{\"bytes\":[]}"},
    Fake{"flagged", flagged},
    Fake{"slow", slowly},
    Fake{"crashes", at_the_bad_one<crash>},
    Fake{"hangs", at_the_bad_one<hang>},
    Fake{"garbage", at_the_bad_one<garbage>},
    Fake{"torn", at_the_bad_one<half>},
    Fake{"leaves", at_the_bad_one<leave>},
    Fake{"surplus", surplus},
    Fake{"twice", at_the_bad_one<twice>},
    Fake{"sticky", at_the_bad_one<sticky>},
    Fake{"sticky_silent", at_the_bad_one<sticky_without_a_word>},
    Fake{"unable", unable},
    Fake{"wrong", status_at_the_bad_one<'w'>},
    Fake{"invalid", status_at_the_bad_one<'i'>},
    Fake{"failed", status_at_the_bad_one<'f'>},
    Fake{"skips", status_at_the_bad_one<'s'>},
    Fake{"on_gpu", steady, "", 1},
    Fake{"on_two", steady, "", 2},
    Fake{"elsewhere", elsewhere, "", 1},
    Fake{"loses_gpu", at_the_bad_one<lose_gpu>, "", 1},
    Fake{"meeting", meeting, "", 1},
    Fake{"one_crashes", at_the_bad_one<crash_on_the_second_gpu>, "", 1},
    Fake{"memory/steady", steady, ",\"quick\":{\"bytes\":[]}"},  // in a different group from the fakes above
    Fake{"memory/hangs", at_the_bad_one<hang>, ",\"quick\":{\"bytes\":[]}"},
};

std::string name_of(const Fake& fake) {
    return (fake.name.find('/') == std::string_view::npos ? "fake/" : "") + std::string(fake.name);
}

int describe() {
    say("{\"kind\":\"worker\",\"protocol\":1,\"built_with\":{\"cuda\":\"13.0\",\"toolkit\":\"13.0.88\","
        "\"architectures\":\"90a "
        "120\"}}\n");
    for (const auto& fake : fakes) {
        const bool turns = fake.name == "turns";
        say("{\"kind\":\"benchmark\",\"name\":\"" + name_of(fake) +
            "\",\"summary\":\"is made up\",\"clock\":\"host\",\"parameters\":{\"bytes\":[4096,65536,1048576]" +
            (turns ? ",\"through\":[\"libtorch\",\"runtime\"]" : "") + "}" + std::string(fake.more) +
            (fake.name.starts_with("memory/") ? ",\"group\":{\"name\":\"memory\",\"order\":1}" : "") +
            ",\"needs\":{\"gpus\":" + std::to_string(fake.gpus) + "}}\n");
    }
    return 0;
}

Sets read_sets(const std::string& name) {
    Sets sets;
    std::string log = name;
    for (std::string line; std::getline(std::cin, line);) {
        log += " " + line;
        if (line.find("\"kind\":\"protocol\"") == std::string::npos) sets.push_back(line);
    }
    if (const char* file = std::getenv("FAKE_LOG")) std::ofstream(file, std::ios::app) << log + "\n";
    return sets;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string verb = count > 1 ? arguments[1] : "";
    if (verb == "describe") return describe();
    if (verb != "measure" || count < 3) return 2;
    for (const auto& fake : fakes)
        if (arguments[2] == name_of(fake)) {
            fake.measure(read_sets(arguments[2]));
            return 0;
        }
    return 2;
}
