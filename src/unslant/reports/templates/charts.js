// Charts on a page: drawn by Vega-Lite in the page's theme, with tips for mouse and keyboard.
// Text goes into the page as text only; nothing is fetched and nothing is remembered.
"use strict";
var unslantCharts = (() => {
  const shown = new Map(); // element -> what it takes to draw it again
  const charts = {
    themes: {},
    theme: window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    show, clear, use, toggle, start,
  };
  const phone = window.matchMedia("(max-width: 40rem)");
  let tip = null;

  // Draw a Vega-Lite spec in an element, in place of what was drawn there; a promise of the view.
  function show(element, spec, theme) {
    const old = shown.get(element);
    const chart = { spec, count: (old ? old.count : 0) + 1, view: old ? old.view : null, at: -1 };
    shown.set(element, chart);
    const place = document.createElement("div");
    const options = {
      mode: "vega-lite", ast: true, actions: false, renderer: "svg", defaultStyle: false,
      tooltip: (handler, event, item, value) => pointed(event, value),
      config: charts.themes[theme || charts.theme],
    };
    place.className = isBeside(spec) ? "stacked" : "";
    return window.vegaEmbed(place, phone.matches ? stacked(spec) : spec, options).then((result) => {
      const now = shown.get(element);
      if (now !== chart) { // a later one was asked for meanwhile
        result.finalize();
        return now ? now.view : null;
      }
      if (chart.view) chart.view.finalize();
      chart.view = result.view;
      silence(place);
      element.replaceChildren(place);
      listen(element);
      return result.view;
    });
  }

  // What Vega calls a symbol without a name says nothing to those who cannot see it.
  function silence(place) {
    for (const empty of place.querySelectorAll("svg [role^=graphics]:not([aria-label])")) empty.removeAttribute("role");
  }

  // Whether a spec has panels beside each other.
  function isBeside(spec) {
    return Boolean(spec.hconcat || spec.columns);
  }

  // The spec with such panels below each other, for a narrow screen.
  function stacked(spec) {
    const { hconcat, columns, ...rest } = spec;
    if (hconcat) return { ...rest, vconcat: hconcat.map(stacked) };
    if (rest.concat) return { ...rest, columns: 1, concat: rest.concat.map(stacked) };
    return rest.vconcat ? { ...rest, vconcat: rest.vconcat.map(stacked) } : spec;
  }

  // Take a chart away.
  function clear(element) {
    const chart = shown.get(element);
    if (chart && chart.view) chart.view.finalize();
    shown.delete(element);
    element.replaceChildren();
    hide();
  }

  // Switch the page and all its charts to a theme; a promise that all are drawn.
  function use(theme) {
    charts.theme = theme;
    document.documentElement.dataset.theme = theme;
    hide();
    return Promise.all([...shown].map(([element, chart]) => show(element, chart.spec)));
  }

  function toggle() {
    return use(charts.theme === "dark" ? "light" : "dark");
  }

  // Keyboard: the chart is one stop of the Tab key, and the arrow keys go from mark to mark.
  function listen(element) {
    if (element.dataset.listens) return;
    element.dataset.listens = "yes";
    element.tabIndex = 0;
    element.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") hide();
      else if (event.key === "Home") go(element, 0, 1);
      else if (event.key === "End") go(element, -1, -1);
      else if (step) go(element, shown.get(element).at + step, step);
      else return;
      event.preventDefault();
    });
    element.addEventListener("blur", hide);
  }

  function go(element, place) {
    const chart = shown.get(element);
    const marks = marksOf(element);
    if (!marks.length) return;
    chart.at = (place + marks.length) % marks.length;
    const mark = marks[chart.at];
    hide();
    mark.classList.add("marked");
    mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    const box = mark.getBoundingClientRect();
    tell(mark.__data__.tooltip, box.left + box.width / 2, box.top + box.height / 2);
  }

  // The marks that have something to tell, each once: a dot and its label tell the same.
  function marksOf(element) {
    const told = new Set();
    return [...element.querySelectorAll("svg *")].filter((node) => {
      const item = node.__data__;
      if (!item || !item.tooltip || item._svg !== node) return false;
      const text = JSON.stringify(item.tooltip);
      return !told.has(text) && told.add(text);
    });
  }

  function pointed(event, value) {
    if (value === null || value === undefined || value === "") hide();
    else tell(value, event.clientX, event.clientY);
  }

  function tell(value, x, y) {
    const box = tipBox();
    const list = document.createElement("dl");
    const rows = typeof value === "object" ? Object.entries(value) : [["", value]];
    for (const [name, text] of rows) {
      const term = document.createElement("dt");
      const told = document.createElement("dd");
      term.textContent = name;
      told.textContent = String(text);
      list.append(term, told);
    }
    box.replaceChildren(list);
    box.hidden = false;
    const { width, height } = box.getBoundingClientRect();
    const right = document.documentElement.clientWidth - width - 8;
    const below = y + 16 + height < window.innerHeight;
    box.style.left = `${Math.max(8, Math.min(x + 14, right))}px`;
    box.style.top = `${below ? y + 16 : Math.max(8, y - height - 12)}px`;
  }

  function hide() {
    for (const mark of document.querySelectorAll(".marked")) mark.classList.remove("marked");
    if (tip) tip.hidden = true;
  }

  function tipBox() {
    if (!tip) {
      tip = document.createElement("div");
      tip.className = "tip";
      tip.setAttribute("role", "status");
      document.body.append(tip);
    }
    return tip;
  }

  // What a report does when it opens: themes and specs are data blocks of the page.
  function start() {
    charts.themes = JSON.parse(document.getElementById("themes").textContent);
    document.documentElement.dataset.theme = charts.theme;
    const button = document.getElementById("theme");
    button.hidden = false;
    button.addEventListener("click", toggle);
    phone.addEventListener("change", () => use(charts.theme));
    const sizes = new ResizeObserver((changed) => changed.forEach(({ target }) => reachable(target)));
    for (const wide of document.querySelectorAll(".wide")) sizes.observe(wide);
    let folded = [];
    window.addEventListener("beforeprint", () => {
      folded = [...document.querySelectorAll("details:not([open])")];
      for (const item of folded) item.open = true;
    });
    window.addEventListener("afterprint", () => {
      for (const item of folded) item.open = false;
    });
    // One after the other, so that the page answers meanwhile.
    return [...document.querySelectorAll("figure.chart")].reduce(
      (before, figure) => before.then(() => enliven(figure)), Promise.resolve(),
    );
  }

  // What is wider than its place is a stop of the Tab key, so that the arrow keys can move it.
  function reachable(wide) {
    if (wide.scrollWidth > wide.clientWidth) {
      const caption = wide.querySelector("caption");
      wide.tabIndex = 0;
      wide.setAttribute("role", "region");
      wide.setAttribute("aria-label", (caption && caption.textContent.trim()) || "Table");
    } else for (const name of ["tabindex", "role", "aria-label"]) wide.removeAttribute(name);
  }

  function enliven(figure) {
    const spec = JSON.parse(figure.querySelector("script").textContent);
    return show(figure.querySelector(".live"), spec).then(
      () => figure.classList.add("is-live"),
      (error) => console.error(error), // the still picture stays
    );
  }

  return charts;
})();
