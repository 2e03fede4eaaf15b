// tocuda, Apache-2.0.
#include "command/paired_files.hpp"

#include "lines/measurement_line.hpp"

namespace tocuda {

PairedFiles::PairedFiles(const std::filesystem::path& folder, const RunLine& ours, const RunLine& theirs)
    : files{ResultFile::create(folder, ours), ResultFile::create(folder, theirs)} {}

void PairedFiles::take(Whose whose, std::size_t pair, MeasurementRow row) {
    row.process = processes.try_emplace({pair, row.round}, static_cast<int>(processes.size())).first->second;
    const auto number = static_cast<std::size_t>(whose);
    files.at(number).append(to_line(row));
    measured.at(number).push_back(std::move(row));
}

void PairedFiles::end(const std::string& status) {
    for (auto& file : files) file.end(status);
}

}  // namespace tocuda
