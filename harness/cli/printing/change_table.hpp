// tocuda, Apache-2.0.
// What `compare` prints: the table of changes and the text around it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/change_report.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

// Prints the most important rows first, and for undecided ones where they lean, the reason and what would decide them.
// `all` includes the rows that are the same, and every undecided row.
std::string change_table(const ChangeReport& report, bool all, const Paper& paper);

std::string level_text(const std::optional<PrintedRate>& rate, double seconds);  // "12.34 us", or as it was printed

// What a row that is not sure may be, and what that rests on: "likely slower by 3.1 %. Starts of this GPU differ by
// 0.4 %; they would have to differ by 0.6 % to explain it. To be sure: 20 more starts". Empty if there is nothing to
// say.
std::string basis_words(const RowChange& change);

// A line for each host that changed unlike the rest, and each GPU unlike the others of its host: "node05 unlike the
// rest: +5.0 %".
std::vector<std::string> apart_words(const RowChange& change);
// "two groups: 4 hosts +2.9 to +3.1 % (node03, node04, node05, node06), 6 hosts -0.1 to +0.1 %"; empty if it is one.
std::string groups_words(const RowChange& change);
std::string all_groups_words(const ChangeReport& report);  // "; two groups: ...": of the row where they differ most
std::string host_name(const std::string& host);
std::string listed(const std::vector<std::string>& names);  // the first eight: "node01, node02 and 30 more"
// "; node05 unlike the rest: +5.0 % in 12 rows": each host and GPU that is, once; empty: none.
std::string unlike_words(const ChangeReport& report);
std::string aside_words(
    const ChangeReport& report);  // of hosts that are far from the others, but not surely unlike them
// "; hosts that kept the driver changed, too, by up to +1.0 %": what else qualifies any answer; empty: nothing.
std::string beside_words(const ChangeReport& report);

// The same without its first part.
std::string reason_words(const RowChange& change);

// "1 likely slower of 5 rows", "nothing could be compared, because ...": the answer, without its full stop.
std::string finding_words(const ChangeReport& report);
std::string nothing_words(const ChangeReport& report);  // of a comparison that found nothing to compare
// The rows that changed most, for one sentence.
std::string rows_words(const ChangeReport& report);

std::string simulated_words(const Paper& paper);
// What was compared: files, starts, GPUs, attribution, notes.
struct LabelledLine {
    std::string label{};
    std::string words{};
};
std::vector<LabelledLine> compared_lines(const ChangeReport& report);
std::string compared_words(const ChangeReport& report, const Paper& paper);  // the same as text
// Two models are two machines, neither of which is the other's past.
struct SideNames {
    std::string before = "old";
    std::string after = "new";
};
SideNames side_names(const ChangeReport& report);
// What decides how the rest is to be read: the same file or start on both sides, sections that were skipped or cut off,
// hosts that are left out, an assumption that was not used.
std::vector<std::string> notes_on(const ChangeReport& report);
std::string unused_noise_words(const ChangeReport& report);  // empty: --start-noise was used, or not given
// "starts differ by 0.2 % without any change (--start-noise)"; empty: nothing is assumed.
std::string assumed_words(const ChangeReport& report);
// Everything that changed or differs, in one sentence without its full stop.
std::string attribution_words(const Attribution& attribution);
// A line each: sides that are swapped, a roll-back, hosts that are left out or on one side only, and GPUs that moved.
std::vector<std::string> host_changes(const ChangeReport& report);
// The words that people read; files and documents keep the others.
std::string plain_verdict(const std::string& verdict);
// Undecided is not unchanged: " (2 lean slower, 1 faster)"; empty: none leans.
std::string leaning_words(const ChangeReport& report);
std::string claim_words(const ChangeReport& report, const Paper& paper);
std::string unpaired_words(const ChangeReport& report, const Paper& paper);
// How to get the starts that undecided rows need: the commands as they were recorded. Empty if none would help.
std::string deciding_words(const ChangeReport& report, const Paper& paper);
std::string total_words(const ChangeReport& report);  // on one line

// The whole comparison as one paragraph of Markdown, with run ids and digests.
std::string change_ticket(const ChangeReport& report);

// For --fleet. `all` prints every row that stands out, otherwise the worst of each GPU.
std::string fleet_words(const FleetReport& report, bool all, const Paper& paper);

}  // namespace tocuda
