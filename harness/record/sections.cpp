// tocuda, Apache-2.0.
#include "record/sections.hpp"

namespace tocuda {
namespace {

struct Collector : RecordVisitor {
    explicit Collector(const std::filesystem::path& file) : recording{file, {}, {}} {}

    void run(const RunLine& run, const LinePlace&) override {
        recording.sections.push_back({run, {}, {}, std::nullopt, {}});
    }
    void measurement(const MeasurementRow& row, const LinePlace& place) override {
        recording.sections.back().measurements.push_back({place.line, row});
    }
    void scenario(const Row& row, const LinePlace& place) override {
        recording.sections.back().rows.push_back({place.line, row});
    }
    void end(const SectionEnd& end) override {
        recording.sections.back().end = end.end;
        recording.sections.back().digest = end.whole;
    }
    void warning(int line, const std::string& what) override {
        recording.warnings.push_back(at_line(recording.file, line, what));
    }

    Recording recording;
};

}  // namespace

Expected<Recording> read_recording(const std::filesystem::path& file) {
    Collector collector(file);
    if (const auto read = read_record(file, Reading::lenient, collector); !read) return problem(read.error());
    return std::move(collector.recording);
}

}  // namespace tocuda
