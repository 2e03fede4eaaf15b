// tocuda, Apache-2.0.
// What others published of the rows of a page.
#include "printing/published_words.hpp"
#include "report/parts.hpp"

namespace tocuda::page {

Html published_part(const Report& report, const Redaction& redaction) {
    Html html(redaction);
    for (const auto& rows : report.held) {
        html.add("<p>{}. They never decide whether a result is a finding.</p><ul>", held_total(rows));
        for (const auto& row : rows) html.add("<li>{}", held_words(row));
        html.add("</ul>");
    }
    return html;
}

}  // namespace tocuda::page
