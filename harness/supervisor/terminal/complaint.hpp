// tocuda, Apache-2.0.
// What a verb says besides its table: its exit code, lines on standard error, with the rank's number before each in a
// fleet, and with --json one document on standard output. Failures to print are ignored: they are no reason to end a
// run.
#pragma once

#include <string>
#include <utility>

#include "model/problem.hpp"

namespace tocuda {

// Documented in the README.
enum ExitCode : int {
    as_expected = 0,
    finding = 1,
    usage = 2,
    undecided = 3,
    nothing_done = 4,
    stopped_early = 5,
};

// Why a verb ends early; after "tocuda: ".
struct Refusal {
    int code = usage;
    std::string why{};  // empty: it has been printed
};

template <class Value>
using OrExit = tl::expected<Value, Refusal>;

inline tl::unexpected<Refusal> refuse(int code, std::string why) {
    return tl::unexpected(Refusal{code, std::move(why)});
}

// Prints a line on standard error, with the rank's number before it in a fleet. Failures to do so are ignored: they are
// no reason to end a run.
void complain(const std::string& line);

// Prints why a verb ends with this exit code; returns the code.
int complain(int code, const std::string& line);
int complain(const Refusal& refusal);

void print_document(const std::string& document);

// Standard output belonged to the command that the verb ran: no document may follow there.
void stdout_is_not_ours();

// For --json: prints a document with the last line of standard error if the verb failed without printing its own.
void print_failure(int code);

}  // namespace tocuda
