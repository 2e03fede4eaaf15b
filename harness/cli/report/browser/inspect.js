// tocuda, Apache-2.0.
// What the tests ask of a page. Each function is run in it by name.
"use strict";
const asked = {
  // Texts whose contrast with what lies behind them is below AA.
  contrast() {
    const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
    const luminance = (colour) => {
      const [red, green, blue] = channels(colour)
        .slice(0, 3)
        .map((one) => one / 255)
        .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (element) => {
      for (let one = element; one; one = one.parentElement) {
        const colour = getComputedStyle(one).backgroundColor;
        if (colour.startsWith("rgb") && (channels(colour)[3] ?? 1) === 1) return colour;
      }
      return "rgb(255, 255, 255)";
    };
    const low = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let seen = 0;
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("script, title, desc"))
        continue;
      const style = getComputedStyle(element);
      const text = luminance(element.closest("svg") ? style.fill : style.color);
      const paper = luminance(behind(element));
      const ratio = (Math.max(text, paper) + 0.05) / (Math.min(text, paper) + 0.05);
      const large =
        parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
      seen += 1;
      if (ratio < (large ? 3 : 4.5)) low.push(`${ratio.toFixed(2)} ${walker.currentNode.data.trim().slice(0, 40)}`);
    }
    return [seen, low];
  },
  openEverything() {
    for (const details of document.querySelectorAll("details")) details.open = true;
  },
  // How far the page reaches beyond its window, and what does.
  overflow() {
    const width = document.documentElement.clientWidth;
    const outside = [...document.querySelectorAll("body *")].filter((one) => {
      const box = one.getBoundingClientRect();
      return box.right > width + 1 && !one.closest(".scroll > *") && one.checkVisibility();
    });
    for (const text of document.querySelectorAll("svg.chart text")) {
      if (!text.checkVisibility()) continue;
      const [box, chart] = [text.getBoundingClientRect(), text.closest("svg").getBoundingClientRect()];
      if (box.left < chart.left - 1 || box.right > chart.right + 1) outside.push(text);
    }
    return [document.documentElement.scrollWidth - width, outside.map((one) => one.outerHTML.slice(0, 80))];
  },
  // The part of the page's width that the charts of each figure without neighbours have, with their keys.
  chartsAcross() {
    const width = document.querySelector("main section").getBoundingClientRect().width;
    return [...document.querySelectorAll(".figures > figure:only-child")]
      .map((figure) => [...figure.querySelectorAll("svg.chart, ul.legend")].map((one) => one.getBoundingClientRect()))
      .filter((boxes) => boxes.length)
      .map((boxes) => (Math.max(...boxes.map((one) => one.right)) - Math.min(...boxes.map((one) => one.left))) / width);
  },
  // Figures that would be cut by the edge of a page of this height.
  tallerThan(height) {
    return [...document.querySelectorAll("figure")].filter((one) => one.getBoundingClientRect().height > height)
      .map((one) => one.querySelector("h4").textContent);
  },
  // Rows of claims that name a scenario more than once.
  namedTwice() {
    return [...document.querySelectorAll("#claims tbody tr")].filter((row) => {
      const names = [...row.querySelectorAll("a")]
        .map((link) => link.textContent.split(" "))
        .filter((words) => words.length > 1);
      return new Set(names.map((words) => words[0])).size < names.length;
    }).map((row) => row.querySelector("code").textContent);
  },
  // Each row with its heading, which stands once for several.
  tables() {
    const rowsOf = (table) => {
      let heading = "";
      return [...table.rows].map((row) => {
        const [first, ...others] = [...row.cells].map((cell) => cell.textContent);
        if (row.cells[0].tagName !== "TH") return [heading, first, ...others];
        heading = first;
        return [first, ...others];
      });
    };
    return [...document.querySelectorAll("figure")].map((figure) => ({
      title: figure.querySelector("h4").textContent,
      run: figure.querySelector(".source").textContent,
      rows: rowsOf(figure.querySelector("table")),
    }));
  },
  // What a screen reader needs and does not find.
  structure() {
    const missing = [];
    const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((one) => Number(one.tagName[1]));
    if (levels.filter((level) => level === 1).length !== 1) missing.push("one h1");
    for (const one of document.querySelectorAll("table"))
      if (!one.caption || !one.querySelector("th[scope=col]")) missing.push("caption or column headings");
    for (const one of document.querySelectorAll("svg.chart")) {
      const names = (one.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id));
      if (one.getAttribute("role") !== "img" || names.length !== 2 || !names.every((name) => name?.textContent))
        missing.push("name and description of a chart");
    }
    for (const one of document.querySelectorAll("svg:not(.chart)"))
      if (one.getAttribute("aria-hidden") !== "true") missing.push("aria-hidden of a key");
    for (const one of document.querySelectorAll("select, input")) if (!one.labels?.length) missing.push("label");
    const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
    if (new Set(ids).size !== ids.length) missing.push("unique identifiers");
    for (const link of document.querySelectorAll("a"))
      if (!document.getElementById(link.getAttribute("href").slice(1)))
        missing.push(`target ${link.getAttribute("href")}`);
    return missing;
  },
  shown() {
    return [...document.querySelectorAll("#claims tbody tr")].filter((row) => row.checkVisibility())
      .map((row) => [row.dataset.verdict, row.textContent]);
  },
  filter(verdict, words) {
    document.getElementById("verdict").value = verdict;
    document.getElementById("words").value = words;
    document.getElementById("words").dispatchEvent(new Event("input", { bubbles: true }));
    return document.getElementById("shown").textContent;
  },
  csv(number) {
    const details = document.querySelectorAll("details.numbers")[number];
    details.open = true;
    details.querySelector("button").click();
    return new Promise((done) => setTimeout(() => done(details.querySelector("button").dataset.csv), 200));
  },
  evidence() {
    const link = document.querySelector("#claims a");
    link.click();
    return document.querySelector(link.getAttribute("href")).checkVisibility();
  },
  loaded() {
    const [entry] = performance.getEntriesByType("navigation");
    return [document.readyState, entry.domComplete, document.querySelectorAll("table tr").length];
  },
};
return asked[arguments[0]](...[...arguments].slice(1));
