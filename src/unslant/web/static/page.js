// The page as a whole: tabs, theme, and what to choose from.

import { ask, fill, find, make } from "/parts.js";
import { startComparing } from "/compare.js";
import { startExploring } from "/explore.js";
import { startGiven } from "/given.js";
import { startMeasuring } from "/measure.js";
import { startPlaces } from "/places.js";
import { startOwnWords, update as updateOwnWords } from "/own.js";

const tabs = [...document.querySelectorAll("[role=tab]")];

function open(tab, focus = false) {
  for (const other of tabs) {
    const is = other === tab;
    other.setAttribute("aria-selected", String(is));
    other.tabIndex = is ? 0 : -1;
    find(other.getAttribute("aria-controls")).hidden = !is;
  }
  if (focus) tab.focus();
  if (tab.id === "tab-own") updateOwnWords();
}

function startTabs() {
  for (const tab of tabs) {
    tab.addEventListener("click", () => open(tab));
    tab.addEventListener("keydown", (event) => {
      const there = tabs.filter((other) => !other.hidden);
      const at = there.indexOf(tab);
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: there.length - 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      open(there[(next + there.length) % there.length], true);
    });
  }
}

function startTheme(themes) {
  unslantCharts.themes = themes;
  const button = find("theme");
  const named = () => {
    document.documentElement.dataset.theme = unslantCharts.theme;
    button.textContent = unslantCharts.theme === "dark" ? "Light theme" : "Dark theme";
  };
  named();
  button.addEventListener("click", () => {
    unslantCharts.toggle();
    named();
  });
}

async function start() {
  startTabs();
  const found = await ask("/api/start");
  startTheme(found.themes);
  const vectors = found.vectors.map((item) => [item.id, item.name === item.note ? item.name : `${item.name} (${item.note})`]);
  for (const id of ["vectors", "own-vectors", "left-vectors", "right-vectors", "measure-vectors"]) fill(find(id), vectors, found.first.vectors);
  const concepts = found.concepts.map((item) => [item.id, item.title]);
  for (const id of ["concept", "compare-concept", "measure-concept"]) fill(find(id), concepts, found.first.concept);
  startPlaces(found, "vectors", "place"); // before others hear that the choice changed
  startPlaces(found, "measure-vectors", "measure-place");
  startOwnWords(found);
  startMeasuring(found);
  startComparing(found);
  if (startGiven(found)) open(find("tab-given"));
  await startExploring(found);
}

start().catch((error) => {
  const place = make("p", { className: "error", textContent: error.message });
  place.setAttribute("role", "alert");
  find("main").prepend(place);
  console.error(error);
});
