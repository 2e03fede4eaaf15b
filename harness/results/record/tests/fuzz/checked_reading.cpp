// tocuda, Apache-2.0.
// Invariants of every reading: sections are reported whole and in order, no time is negative, and the report depends
// neither on the block size nor on earlier readings.
#include "record/tests/fuzz/checked_reading.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "record/digest.hpp"
#include "record/record_reader.hpp"
#include "record/verification.hpp"

namespace tocuda {
namespace {

struct Checker : RecordVisitor {
    explicit Checker(std::string_view all) : bytes(all) {}

    void run(const RunLine& run, const LinePlace& place) override {
        must(!inside, "a run within a section");
        inside = true;
        told += run.run;
        look_at(place);
    }
    void measurement(const MeasurementRow& row, const LinePlace& place) override {
        for (const double seconds : row.samples.seconds)
            must(std::isfinite(seconds) && seconds >= 0, "a time that is negative or not finite");
        must(row.round >= 0 && row.process >= 0 && row.samples.batch >= 0 && row.samples.bytes_one_way >= 0,
             "a negative count");
        must(row_id(row.benchmark, row.samples.parameters, 1).size() == 16, "an id of the wrong length");
        row_at(place, row.id);
    }
    void scenario(const Row& row, const LinePlace& place) override { row_at(place, row.name); }
    void other(std::string_view kind, const LinePlace& place) override {
        must(kind != "run" && kind != "end" && kind != "measurement" && kind != "scenario",
             "a known kind reported as other");
        row_at(place, std::string(kind));
    }
    void end(const SectionEnd& end) override {
        must(inside, "an end without a run");
        must(end.begin >= before && end.begin + end.size <= bytes.size(), "a section outside the file");
        must(end.rows >= rows, "fewer rows than were reported");
        must(end.sha256.size() == 64 && end.whole.size() == 64, "a digest of the wrong length");
        inside = false;
        rows = 0;
        before = end.begin + end.size;
        told += end.whole;
    }
    void warning(int line, const std::string& what) override {
        must(!what.empty(), "an empty warning");
        told += fmt::format("{}{}", line, what);
    }

    void must(bool so, const char* otherwise) {
        if (!so && wrong.empty()) wrong = otherwise;
    }
    void row_at(const LinePlace& place, const std::string& what) {
        must(inside, "a row outside a section");
        ++rows;
        told += what;
        look_at(place);
    }
    void look_at(const LinePlace& place) {
        must(place.offset + place.text.size() < bytes.size() &&
                 bytes.substr(place.offset, place.text.size()) == place.text,
             "a line at the wrong offset");
        must(place.text.find('\n') == std::string_view::npos && bytes[place.offset + place.text.size()] == '\n',
             "an incomplete line");
    }

    std::string_view bytes;
    std::string told, wrong;
    bool inside = false;
    int rows = 0;
    std::uint64_t before = 0;
};

std::string told_by(std::string_view bytes, Reading reading, std::size_t block, std::string& wrong) {
    Checker checker(bytes);
    const auto read = read_record_bytes(bytes, "file", reading, checker, block);
    const auto what = read ? "" : read.error().what;
    if (read) checker.must(!checker.inside, "a section whose end was not reported");
    else checker.must(what.starts_with("file:") && what.size() > 6, "an error without a place");
    if (wrong.empty()) wrong = checker.wrong;
    return checker.told + what;
}

// Every readable file can be verified, and a file that the strict reader refuses has a problem.
std::string wrong_with_verifying(std::string_view bytes) {
    Checker checker(bytes);
    const bool refused = !read_record_bytes(bytes, "file", Reading::strict, checker, 4096);
    const auto verification = verify_bytes(bytes, "file");
    if (!verification) return refused ? "" : "readable but not verifiable";
    if (refused && (verification->problems.empty() || verification->whole))
        return "refused but verified without a problem";
    const auto in_order = [](const Problem& one, const Problem& other) { return one.line < other.line; };
    return std::is_sorted(verification->problems.begin(), verification->problems.end(), in_order)
               ? ""
               : "problems out of order";
}

}  // namespace

std::string wrong_with_reading(std::string_view bytes) {
    constexpr std::array<std::size_t, 4> blocks{1, 13, 256, 4096};
    const auto choice = bytes.empty() ? 0U : static_cast<unsigned char>(bytes.front());
    if (!bytes.empty()) bytes.remove_prefix(1);
    const auto reading = choice % 2 == 0 ? Reading::strict : Reading::lenient;
    if (choice % 5 == 4) return wrong_with_verifying(bytes);
    std::string wrong;
    const auto whole = told_by(bytes, reading, blocks.back(), wrong);
    const auto block = blocks[choice / 2 % blocks.size()];
    if (block != blocks.back() && whole != told_by(bytes, reading, block, wrong))
        return fmt::format("reported differently in blocks of {}", block);
    return wrong;
}

}  // namespace tocuda
