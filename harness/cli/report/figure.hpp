// tocuda, Apache-2.0.
// A figure of the page: its heading, what it shows, the chart, and the table of its numbers with the run they are from.
#pragma once

#include <string>
#include <vector>

#include "report/chart.hpp"
#include "report/html.hpp"

namespace tocuda::page {

struct Column {
    std::string name{};
    bool numeric = true;
};

struct Table {
    std::string caption{};
    std::vector<Column> columns{};
    std::vector<std::vector<std::string>> rows{};
    bool cards = false;  // on a narrow screen each row is a card, whose cells have their column's name
};

Html written(const Table& table, const Redaction& redaction);

// Numbers the figures of a page, and its identifiers with them.
class Figures {
public:
    explicit Figures(const Redaction& redaction) : hidden(&redaction) {}

    // `about`: sentences below the heading. `run`: the id of the run that the numbers are from, if any.
    template <class Chart>
    Html with(const Chart& chart, const std::vector<std::string>& about, const Table& table, const std::string& run) {
        ++count;
        return framed(chart.title, about, drawn(chart, *hidden, count), table, run);
    }
    // Charts that share a table.
    template <class Chart>
    Html with(const std::vector<Chart>& charts, const std::vector<std::string>& about, const Table& table,
              const std::string& run) {
        Html all(*hidden);
        for (const auto& chart : charts) all.add("{}", drawn(chart, *hidden, ++count));
        return framed(table.caption, about, all, table, run);
    }
    // A table that needs no picture.
    Html table(const std::string& title, const std::vector<std::string>& about, const Table& table,
               const std::string& run);
    // The same without a click.
    Html open_table(const std::string& title, const std::vector<std::string>& about, const Table& table,
                    const std::string& run);

private:
    Html framed(const std::string& title, const std::vector<std::string>& about, const Html& chart, const Table& table,
                const std::string& run, const std::string& state = "") const;

    const Redaction* hidden;
    int count = 0;
};

std::string short_run(const std::string& run);  // the first eight letters, by which files are named

}  // namespace tocuda::page
