// A result on the page: sentences, figures, tables and notes.
// Texts of others go into the page as text only.

import { make } from "/parts.js";
import { finderIn, forget, narrow, watch, withFinder } from "/pins.js";
import { tableOf } from "/tables.js";

narrow.addEventListener("change", () => {
  for (const [live, spec] of drawn) if (live.isConnected) unslantCharts.show(live, fitted(spec));
});
const drawn = new Map(); // element -> the specification as it came

// Everything that a result shows, in place of what was there.
export function showResult(place, result, options = {}) {
  const figures = (options.figures || ((all) => all))(result.figures || []);
  const waiting = showFigures(place, figures);
  const isLead = (element) => element.dataset.name === result.lead;
  const parts = [...leadOf(result, waiting.elements.filter(isLead), options), ...waiting.elements.filter((element) => !isLead(element))];
  if (options.tables !== false) {
    parts.push(...(result.tables || []).map((table) => tableOf(table, options)));
  }
  if (options.notes !== false && result.notes && result.notes.length) {
    const list = make("ul", { className: "notes" }, ...result.notes.map((text) => make("li", { textContent: text })));
    parts.push(make("details", { open: options.notes === "open" }, make("summary", { textContent: `Notes (${result.notes.length})` }), list));
  }
  place.replaceChildren(...withFinder(place, parts));
  place.classList.remove("stale");
  place.setAttribute("aria-busy", "false");
  return waiting.drawn.then(() => {
    finderIn(place);
    for (const live of place.querySelectorAll(".live")) live.classList.toggle("too-wide", live.scrollWidth > live.clientWidth + 2);
  });
}

// A later result says more about the same: its verdict and main figure take the place of the earlier.
export function showLead(place, result, options = {}) {
  const old = place.querySelector(".lead");
  if (!old || !result.sentences?.length) return Promise.resolve();
  const waiting = showFigures(old, result.figures.filter((figure) => figure.name === result.lead));
  old.replaceWith(...leadOf(result, waiting.elements, options));
  return waiting.drawn;
}

// Bring the verdict and the figure below it onto the screen, if they came below its end.
export function reveal(place) {
  const figure = place.querySelector("figure .live") ?? place.firstElementChild;
  if (figure && figure.getBoundingClientRect().bottom > innerHeight) place.scrollIntoView({ block: "start" });
}

// The answer with the main figure beside it; below it on a narrow screen.
function leadOf(result, figures, options) {
  const warnings = (result.warnings ?? []).map(warningOf);
  if (options.waiting) return [make("div", { className: "lead" }, ...warnings, make("p", { className: "answer under", textContent: options.waiting }))];
  if (!result.sentences?.length) return [...warnings, ...figures];
  return [make("div", { className: figures.length ? "lead has-figure" : "lead" }, ...warnings, answerOf(result, options), ...figures)];
}

// What a record warns of stands before its verdict, as in the report and in the terminal.
function warningOf(text) {
  const notice = make("div", { className: "notice" }, make("p", { textContent: `Warning: ${text}` }));
  notice.setAttribute("role", "note");
  return notice;
}

// The verdict and what it rests on; how it was measured is a click away, so that figures stand high.
function answerOf(result, options) {
  const lines = result.sentences.map((text, place) => make("p", { textContent: text, className: result.verdict && !place ? "verdict" : "" }));
  const rest = lines.splice(result.verdict ? (narrow.matches ? 1 : 2) : lines.length);
  if (options.about && narrow.matches) rest.unshift(make("p", { textContent: options.about }));
  if (rest.length) lines.push(make("details", {}, make("summary", { textContent: "More in words" }), ...rest));
  return make("div", { className: "answer" }, ...lines);
}

// Take everything away, charts with all that they hold.
export function empty(place) {
  for (const live of place.querySelectorAll(".live")) cleared(live);
  place.replaceChildren();
}

function cleared(live) {
  drawn.delete(live);
  forget(live);
  unslantCharts.clear(live);
}

// On a narrow screen, panels are stacked.
function fitted(spec) {
  if (!narrow.matches) return spec;
  if (spec.hconcat) {
    const { hconcat, ...rest } = spec;
    return { ...rest, vconcat: hconcat.map(fitted) };
  }
  return spec.concat ? { ...spec, columns: 1 } : spec;
}

// Figures that were there before under the same name keep their place, so that they change in it.
function showFigures(place, figures) {
  const old = new Map([...place.querySelectorAll("figure.chart")].map((item) => [item.dataset.name, item]));
  const waiting = [];
  const elements = figures.map((figure) => {
    const element = old.get(figure.name) || frame(figure.name);
    old.delete(figure.name);
    element.querySelector("h3").textContent = figure.title;
    element.querySelector("figcaption").textContent = figure.caption;
    const live = element.querySelector(".live");
    live.setAttribute("role", "group");
    live.setAttribute("aria-label", `${figure.title}. ${figure.description} Arrow keys go from mark to mark; Enter pins a word.`);
    drawn.set(live, figure.spec);
    watch(live);
    waiting.push(unslantCharts.show(live, fitted(figure.spec)).catch((error) => {
      console.error(figure.name, error); // the others are drawn all the same
      live.textContent = `This figure could not be drawn. ${figure.description}`;
    }));
    return element;
  });
  for (const gone of old.values()) cleared(gone.querySelector(".live"));
  return { elements, drawn: Promise.all(waiting) };
}

function frame(name) {
  const live = make("div", { className: "live" });
  const element = make("figure", { className: "chart is-live" }, make("h3"), live, make("figcaption"));
  element.dataset.name = name;
  return element;
}
