// tocuda, Apache-2.0.
// The two result files of builds that are measured in turns: one for each build, with the same numbers for rounds and
// processes.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "record/result_file.hpp"

namespace tocuda {

enum class Whose : std::size_t { ours, theirs };

class PairedFiles {
public:
    PairedFiles(const std::filesystem::path& folder, const RunLine& ours, const RunLine& theirs);

    // `pair` is the number of the two units that belong together.
    void take(Whose whose, std::size_t pair, MeasurementRow row);
    void end(const std::string& status);

    std::string path(Whose whose) const { return files.at(static_cast<std::size_t>(whose)).path().string(); }
    const std::vector<MeasurementRow>& rows(Whose whose) const { return measured.at(static_cast<std::size_t>(whose)); }

private:
    std::array<ResultFile, 2> files;
    std::array<std::vector<MeasurementRow>, 2> measured{};
    std::map<std::pair<std::size_t, int>, int> processes{};  // by pair and round
};

}  // namespace tocuda
