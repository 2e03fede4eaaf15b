// tocuda, Apache-2.0.
#include "report/figure.hpp"

#include "terminal/quantities.hpp"

namespace tocuda::page {

std::string short_run(const std::string& run) { return run.substr(0, 8); }

// Closing tags that HTML allows to leave out are left out: tables are most of a long page.
Html written(const Table& table, const Redaction& redaction) {
    Html html(redaction);
    html.add("<div class=scroll tabindex=0 role=region aria-label=\"{}\"><table><caption>{}</caption><thead><tr>",
             table.caption, table.caption);
    for (const auto& column : table.columns)
        html.add("<th scope=col{}>{}", column.numeric ? "" : " class=t", column.name);
    html.add("<tbody>");
    for (const auto& row : table.rows) {
        html.add("\n<tr>");
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i == 0) html.add("<th scope=row>{}", row[i]);
            else if (table.columns[i].numeric || row[i].empty()) html.add("<td>{}", row[i]);
            else html.add("<td class=t>{}", row[i]);
        }
    }
    return html.add("</table></div>");
}

Html Figures::framed(const std::string& title, const std::vector<std::string>& about, const Html& chart,
                     const Table& table, const std::string& run) const {
    Html html(*hidden);
    html.add("<figure id=f{}><figcaption><h4>{}</h4>", count, title);
    html.add("<p>");
    for (const auto& sentence : about)
        if (!sentence.empty()) html.add("{} ", sentence);
    html.add("</p></figcaption>{}<details class=numbers><summary>Table: {}</summary>{}</details>", chart,
             counted(std::ssize(table.rows), "row"), written(table, *hidden));
    return html.add("<p class=source>run {}</p></figure>", run);
}

Html Figures::table(const std::string& title, const std::vector<std::string>& about, const Table& table,
                    const std::string& run) {
    ++count;
    return framed(title, about, Html(*hidden), table, run);
}

}  // namespace tocuda::page
