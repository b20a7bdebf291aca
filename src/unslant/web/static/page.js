// The page as a whole: tabs, theme, and what to choose from.

import { enter, Refused } from "/door.js";
import { ask, fill, find, make, problem } from "/parts.js";
import { startComparing } from "/compare.js";
import { startDropping } from "/drop.js";
import { explore, glance, startExploring } from "/explore.js";
import { showGiven, startGiven, update as updateGiven } from "/given.js";
import { startMeasuring } from "/measure.js";
import { finderIn, startPins } from "/pins.js";
import { openProbes, startProbes } from "/probes.js";
import { noted, startState } from "/state.js";
import { listSubjects, setSubjects } from "/subjects.js";
import { startOwnWords, update as updateOwnWords } from "/own.js";

const tabs = [...document.querySelectorAll("[role=tab]")];
const panelOf = (tab) => find(tab.getAttribute("aria-controls"));
const current = () => tabs.find((tab) => tab.getAttribute("aria-selected") === "true").id.slice("tab-".length);

function open(tab, focus = false) {
  for (const other of tabs) {
    const is = other === tab;
    other.setAttribute("aria-selected", String(is));
    other.tabIndex = is ? 0 : -1;
    panelOf(other).hidden = !is;
  }
  if (focus) tab.focus();
  finderIn(panelOf(tab).querySelector("[id$=-result]"));
}

// Somebody opened a tab: what it needs is asked for now.
function opened(tab, focus = false) {
  open(tab, focus);
  noted();
  if (tab.id === "tab-own") updateOwnWords();
  if (tab.id === "tab-probes") openProbes();
  if (tab.id === "tab-explore" && !find("explore-result").children.length) glance();
  if (tab.id === "tab-given" && !find("given-result").children.length) updateGiven();
}

function startTabs() {
  for (const tab of tabs) {
    tab.addEventListener("click", () => opened(tab));
    tab.addEventListener("keydown", (event) => {
      const there = tabs.filter((other) => !other.hidden);
      const at = there.indexOf(tab);
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: there.length - 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      opened(there[(next + there.length) % there.length], true);
    });
  }
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address has other things to keep
    find("main").focus();
  });
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

function startOpened(found, start) {
  scrollTo({ top: 0 }); // what was opened is shown from its beginning
  if (found.record) {
    showGiven(start, found.record);
    open(find("tab-given"));
  } else {
    open(find("tab-explore"));
    explore(found.vectors);
  }
  noted();
}

async function start() {
  startTabs();
  await enter();
  const found = await ask("/api/start");
  startTheme(found.themes);
  setSubjects(found.vectors);
  for (const id of ["vectors", "own-vectors", "measure-vectors", "probe-vectors"]) listSubjects(id, found.first.vectors);
  const concepts = found.concepts.map((item) => [item.id, item.title]);
  for (const id of ["concept", "compare-concept", "measure-concept", "probe-concept"]) fill(find(id), concepts, found.first.concept);
  startPins();
  startOwnWords(found);
  startMeasuring(found);
  startProbes();
  startComparing(found);
  startExploring(found);
  startDropping(startOpened);
  const hasGiven = startGiven(found);
  const usual = find(hasGiven ? "tab-given" : "tab-explore");
  const named = (name) => tabs.find((tab) => tab.id === `tab-${name}` && !tab.hidden) ?? usual;
  const isKept = startState(current, (name) => open(named(name)), usual.id.slice("tab-".length));
  if (isKept) return;
  open(usual);
  if (hasGiven) updateGiven();
  await glance();
}

start().catch((error) => {
  if (!(error instanceof Refused)) {
    find("main").prepend(problem(error.message));
    console.error(error);
    return;
  }
  const place = make("p", { className: "error", textContent: error.message });
  place.setAttribute("role", "alert");
  find("main").replaceChildren(place); // nothing else here would work
  for (const part of document.querySelectorAll("nav, .tools, .hint, footer")) part.remove();
});
