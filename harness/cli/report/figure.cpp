// tocuda, Apache-2.0.
#include "report/figure.hpp"

#include <algorithm>

#include "terminal/quantities.hpp"

namespace tocuda::page {

std::string short_run(const std::string& run) { return run.substr(0, 8); }

namespace {

// The heading of a row stands once before all rows that follow with the same.
void add_heading(Html& html, const Table& table, std::size_t row) {
    const auto& name = table.rows[row].front();
    if (row > 0 && table.rows[row - 1].front() == name) return;
    const auto first = table.rows.begin() + static_cast<std::ptrdiff_t>(row);
    const auto end = std::find_if(first, table.rows.end(), [&](const auto& other) { return other.front() != name; });
    if (end - first == 1) html.add("<th>{}", name);
    else html.add("<th rowspan={}>{}", end - first, name);
}

// Whether any row has a value there.
bool is_used(const Table& table, std::size_t column) {
    return std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return !row[column].empty(); });
}

}  // namespace

// Tables are most of a long page, so whatever HTML implies is left out: closing tags, and the scope of a row's heading.
// So are columns without a value.
Html written(const Table& table, const Redaction& redaction) {
    Html html(redaction);
    html.add("<div class=scroll tabindex=0 role=region aria-label=\"{}\"><table><caption>{}</caption><thead><tr>",
             table.caption, table.caption);
    std::vector<std::size_t> used;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        if (column > 0 && !is_used(table, column)) continue;
        html.add("<th scope=col{}>{}", table.columns[column].numeric ? "" : " class=t", table.columns[column].name);
        if (column > 0) used.push_back(column);
    }
    html.add("<tbody>");
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const auto& row = table.rows[i];
        html.add("\n<tr>");
        add_heading(html, table, i);
        for (const auto column : used) {
            if (table.cards && row[column].empty()) html.add("<td>");
            else if (table.cards)
                html.add("<td{} data-of=\"{}\">{}", table.columns[column].numeric ? "" : " class=t",
                         table.columns[column].name, row[column]);
            else if (table.columns[column].numeric || row[column].empty()) html.add("<td>{}", row[column]);
            else html.add("<td class=t>{}", row[column]);
        }
    }
    return html.add("</table></div>");
}

Html Figures::framed(const std::string& title, const std::vector<std::string>& about, const Html& chart,
                     const Table& table, const std::string& run, const std::string& state) const {
    Html html(*hidden);
    html.add("<figure id=f{}{}><figcaption><h4>{}</h4>", count, table.cards ? " class=cards" : "", title);
    html.add("<p>");
    for (const auto& sentence : about)
        if (!sentence.empty()) html.add("{} ", sentence);
    html.add("</p></figcaption>{}<details class=numbers{}><summary>Table: {}</summary>{}</details>", chart, state,
             counted(std::ssize(table.rows), "row"), written(table, *hidden));
    if (!run.empty()) html.add("<p class=source>run {}</p>", run);
    return html.add("</figure>");
}

Html Figures::table(const std::string& title, const std::vector<std::string>& about, const Table& table,
                    const std::string& run) {
    ++count;
    return framed(title, about, Html(*hidden), table, run);
}

Html Figures::open_table(const std::string& title, const std::vector<std::string>& about, const Table& table,
                         const std::string& run) {
    ++count;
    return framed(title, about, Html(*hidden), table, run, " open");
}

}  // namespace tocuda::page
