// tocuda, Apache-2.0.
#include "terminal/complaint.hpp"

#include <fmt/core.h>

#include <cstdio>

#include "json_lines/documents.hpp"
#include "json_lines/visible.hpp"
#include "terminal/this_rank.hpp"

namespace tocuda {
namespace {

// What this process has printed so far, for there is one standard output and one standard error.
struct Printed {
    bool document = false;
    std::string last_line{};
};

Printed& printed() {
    static Printed all;
    return all;
}

}  // namespace

// Ranks share one standard error, so each line is written by one call and names its rank.
void complain(const std::string& line) {
    const auto rank = this_rank();
    const auto whose = rank && rank->size > 1 ? fmt::format("[rank {}] ", rank->rank) : "";
    printed().last_line = visible_lines(line);
    std::fputs((whose + printed().last_line + "\n").c_str(), stderr);
}

int complain(int code, const std::string& line) {
    complain(line);
    return code;
}

int complain(const Refusal& refusal) {
    return refusal.why.empty() ? refusal.code : complain(refusal.code, "tocuda: " + refusal.why);
}

void print_document(const std::string& document) {
    printed().document = true;
    std::fputs((document + "\n").c_str(), stdout);
}

void stdout_is_not_ours() { printed().document = true; }

void print_failure(int code) {
    if (code != 0 && !printed().document) print_document(error_document(printed().last_line, code));
}

}  // namespace tocuda
