// A result on the page: sentences, figures, tables and notes.
// Texts of others go into the page as text only.

import { make } from "/parts.js";

// Everything that a result shows, in place of what was there.
export function showResult(place, result, options = {}) {
  const parts = [];
  if (result.sentences && result.sentences.length) {
    parts.push(make("div", { className: "answer" }, ...result.sentences.map((text) => make("p", { textContent: text }))));
  }
  const figures = (options.figures || ((all) => all))(result.figures || []);
  const waiting = showFigures(place, figures);
  parts.push(...waiting.elements);
  if (options.tables !== false) {
    parts.push(...(result.tables || []).map((table) => tableOf(table, options)));
  }
  if (options.notes !== false && result.notes && result.notes.length) {
    const list = make("ul", { className: "notes" }, ...result.notes.map((text) => make("li", { textContent: text })));
    parts.push(make("details", { open: options.notes === "open" }, make("summary", { textContent: `Notes (${result.notes.length})` }), list));
  }
  place.replaceChildren(...parts);
  place.classList.remove("stale");
  place.setAttribute("aria-busy", "false");
  return waiting.drawn;
}

// Take everything away, charts with all that they hold.
export function empty(place) {
  for (const live of place.querySelectorAll(".live")) unslantCharts.clear(live);
  place.replaceChildren();
}

// Figures that were there before under the same name keep their place, so that they change in it.
function showFigures(place, figures) {
  const old = new Map([...place.querySelectorAll("figure.chart")].map((item) => [item.dataset.name, item]));
  const drawn = [];
  const elements = figures.map((figure) => {
    const element = old.get(figure.name) || frame(figure.name);
    old.delete(figure.name);
    element.querySelector("h3").textContent = figure.title;
    element.querySelector("figcaption").textContent = figure.caption;
    const live = element.querySelector(".live");
    live.setAttribute("role", "group");
    live.setAttribute("aria-label", `${figure.title}. ${figure.description} Arrow keys go from mark to mark.`);
    drawn.push(unslantCharts.show(live, figure.spec).catch((error) => {
      console.error(figure.name, error); // the others are drawn all the same
      live.textContent = `This figure could not be drawn. ${figure.description}`;
    }));
    return element;
  });
  for (const gone of old.values()) unslantCharts.clear(gone.querySelector(".live"));
  return { elements, drawn: Promise.all(drawn) };
}

function frame(name) {
  const live = make("div", { className: "live" });
  const element = make("figure", { className: "chart is-live" }, make("h3"), live, make("figcaption"));
  element.dataset.name = name;
  return element;
}

function tableOf(table, options) {
  const heads = table.columns.map((column) => {
    const cell = make("th", { textContent: column.name, className: column.is_number ? "n" : "" });
    cell.scope = "col";
    return cell;
  });
  const rows = table.rows.map((row) => make("tr", {}, ...row.map((value, place) => {
    const cell = make(place === 0 ? "th" : "td", { className: table.columns[place].is_number ? "n" : "" });
    if (place === 0) cell.scope = "row";
    if (value && typeof value === "object") cell.append(...linked(value, options));
    else cell.textContent = value;
    if (typeof value === "string" && value.startsWith("≠")) cell.classList.add("gone");
    return cell;
  })));
  const place = make("div", { className: "wide", tabIndex: 0 },
    make("table", {}, make("caption", { textContent: table.title }), make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows)));
  place.setAttribute("role", "region");
  place.setAttribute("aria-label", table.title);
  return place;
}

function linked(value, options) {
  const button = make("button", { type: "button", textContent: value.text, title: "The record behind this number" });
  button.addEventListener("click", () => options.open(value.cells));
  return [button];
}
