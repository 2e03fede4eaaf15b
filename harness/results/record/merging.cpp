// tocuda, Apache-2.0.
#include "record/merging.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <thread>
#include <tuple>
#include <utility>

#include "record/digest.hpp"
#include "record/replacement.hpp"

namespace tocuda {
namespace {

namespace filesystem = std::filesystem;

// The sections of one file, or why it cannot be read.
struct Survey : RecordVisitor {
    explicit Survey(const filesystem::path& surveyed, std::size_t number) : path(surveyed), file(number) {}

    void run(const RunLine& line, const LinePlace&) override { id = line.run; }
    void end(const SectionEnd& end) override {
        sections.push_back({id, end.sha256, end.whole, file, end.begin, end.size, end.rows, !end.end});
    }
    void warning(int line, const std::string& what) override { warnings.push_back(at_line(path, line, what)); }
    void flaw(Flaw flaw, int line, const std::string& what) override {
        if (flaw == Flaw::altered && altered.empty()) altered = at_line(path, line, what);
        else warning(line, what);
    }

    filesystem::path path;
    std::size_t file;
    std::string id;
    std::vector<FoundSection> sections;
    std::vector<std::string> warnings;
    std::string altered;  // where the first such section is
    Expected<void> read;
};

std::vector<std::unique_ptr<Survey>> survey_all(const std::vector<filesystem::path>& files, unsigned threads) {
    std::vector<std::unique_ptr<Survey>> surveys;
    for (std::size_t i = 0; i < files.size(); ++i) surveys.push_back(std::make_unique<Survey>(files[i], i));
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (auto i = next++; i < files.size(); i = next++)
            surveys[i]->read = read_record(files[i], Reading::strict, *surveys[i]);
    };
    std::vector<std::thread> others;
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (auto& other : others) other.join();
    return surveys;
}

auto order_of(const FoundSection& section) { return std::tie(section.run, section.sha256, section.whole); }
bool comes_before(const FoundSection& one, const FoundSection& other) { return order_of(one) < order_of(other); }
bool is_the_same(const FoundSection& one, const FoundSection& other) { return order_of(one) == order_of(other); }

void say_what_is_twofold(MergePlan& plan, const std::vector<filesystem::path>& files) {
    for (std::size_t i = 1; i < plan.sections.size(); ++i) {
        const auto& one = plan.sections[i - 1];
        const auto& other = plan.sections[i];
        if (one.run != other.run) continue;
        auto names = std::pair{files[one.file].string(), files[other.file].string()};
        if (names.second < names.first) std::swap(names.first, names.second);
        plan.warnings.push_back(names.second + ": the section of run " + one.run.substr(0, 8) +
                                " differs from the one in " + names.first + "; both are kept");
    }
}

std::string cause() { return std::strerror(errno); }

// Copies a section and checks that it has not changed since it was planned.
Expected<void> copy(const FoundSection& section, const filesystem::path& from, const Replacement& to,
                    std::vector<char>& room) {
    const OpenFile file(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number < 0) return problem(from.string() + ": " + cause());
    Digest digest;
    for (std::uint64_t done = 0; done < section.size;) {
        const auto got = ::pread(file.number, room.data(), std::min<std::uint64_t>(room.size(), section.size - done),
                                 static_cast<off_t>(section.begin + done));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return problem(from.string() + ": cannot be read: " + cause());
        if (got == 0) break;
        const std::string_view bytes(room.data(), static_cast<std::size_t>(got));
        digest.add(bytes);
        if (!to.write(bytes)) return problem("the merged file cannot be written: " + cause());
        done += bytes.size();
    }
    if (digest.hex() != section.whole) return problem(from.string() + ": changed while it was being merged");
    return {};
}

}  // namespace

Expected<MergePlan> plan_merge(const std::vector<filesystem::path>& files, unsigned threads) {
    MergePlan plan;
    for (const auto& survey : survey_all(files, threads)) {
        if (!survey->read) return problem(survey->read.error());
        if (!survey->altered.empty()) return problem(survey->altered);
        std::move(survey->sections.begin(), survey->sections.end(), std::back_inserter(plan.sections));
        std::move(survey->warnings.begin(), survey->warnings.end(), std::back_inserter(plan.warnings));
    }
    std::stable_sort(plan.sections.begin(), plan.sections.end(), comes_before);
    const auto twice = std::unique(plan.sections.begin(), plan.sections.end(), is_the_same);
    plan.duplicates = static_cast<int>(plan.sections.end() - twice);
    plan.sections.erase(twice, plan.sections.end());
    for (const auto& section : plan.sections) plan.rows += section.rows;
    say_what_is_twofold(plan, files);
    std::sort(plan.warnings.begin(), plan.warnings.end());
    return plan;
}

Expected<void> check_output(const filesystem::path& output, const std::vector<filesystem::path>& files) {
    std::error_code error;
    const auto status = filesystem::status(output, error);
    if (!filesystem::exists(status)) return {};
    if (!filesystem::is_regular_file(status)) return problem(output.string() + ": not a regular file");
    for (const auto& file : files)
        if (filesystem::equivalent(file, output, error))
            return problem(output.string() + ": is one of the files to read");
    return {};
}

Expected<void> check_result_output(const filesystem::path& output, const std::vector<filesystem::path>& files) {
    if (auto usable = check_output(output, files); !usable) return usable;
    std::ifstream in(output, std::ios::binary);
    constexpr std::string_view first = R"({"kind":"run")";
    std::string begin(first.size(), '\0');
    in.read(begin.data(), std::ssize(begin));
    if (in.gcount() == 0 || begin == first) return {};
    return problem(output.string() + ": exists and is not a result file, so it is not replaced");
}

Expected<void> write_merged(const MergePlan& plan, const std::vector<filesystem::path>& files,
                            const filesystem::path& output) {
    std::error_code error;
    const auto place = filesystem::weakly_canonical(output, error);
    Replacement replacement(error ? output : place);
    if (!replacement.opened()) return problem(output.string() + ": cannot be written: " + cause());
    std::vector<char> room(std::size_t{1} << 20U);
    for (const auto& section : plan.sections)
        if (auto copied = copy(section, files[section.file], replacement, room); !copied) return copied;
    if (!replacement.put_in_place()) return problem(output.string() + ": cannot be written: " + cause());
    return {};
}

}  // namespace tocuda
