// tocuda, Apache-2.0.
// Filters the claims of a report, and copies the table of a figure as CSV. The page is complete without it.
"use strict";
(() => {
  const units = { B: 0, KiB: 10, MiB: 20, GiB: 30, TiB: 40 };

  // "64 MiB" as bytes; everything else as it is.
  const plain = (text) => {
    const size = /^(\d+) ([KMGT]?i?B)$/.exec(text);
    return size && size[2] in units ? String(size[1] * 2 ** units[size[2]]) : text;
  };
  const cell = (text) => (/[",\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text);
  // A row without a heading has that of the row above.
  const csv = (table) => {
    let heading = [];
    const lines = [...table.rows].map((row) => {
      const cells = [...row.cells].map((one) => cell(plain(one.textContent.trim())));
      if (row.cells[0].tagName !== "TH") return [...heading, ...cells].join(",");
      heading = cells.slice(0, 1);
      return cells.join(",");
    });
    return lines.join("\r\n") + "\r\n";
  };

  // Where a page may not use the clipboard, the text stands ready to be copied.
  const copy = async (button, text) => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      area.setAttribute("aria-label", "the table as CSV");
      button.after(area);
      area.select();
    }
    button.dataset.csv = text;
  };
  for (const details of document.querySelectorAll("details.numbers")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy as CSV";
    button.addEventListener("click", () => copy(button, csv(details.querySelector("table"))));
    details.querySelector("summary").after(button);
  }

  const form = document.getElementById("filter");
  if (!form) return;
  form.hidden = false;
  const [verdict, words, shown] = ["verdict", "words", "shown"].map((id) => document.getElementById(id));
  const rows = [...document.querySelectorAll("#claims tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const filter = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    rows.forEach((row, i) => {
      const suits =
        verdict.value === "" ||
        (verdict.value === "unexpected" ? row.dataset.unexpected === "1" : row.dataset.verdict === verdict.value);
      row.hidden = !(suits && wanted.every((word) => texts[i].includes(word)));
      count += row.hidden ? 0 : 1;
    });
    shown.textContent = `${count} of ${rows.length} shown`;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  filter();
})();
