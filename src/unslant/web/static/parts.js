// What every part of the page is made of: elements, requests and jobs.
// Texts of others go into the page as text only.

const token = document.querySelector("meta[name=unslant-token]").content;
const POLL = 300;

export const find = (id) => document.getElementById(id);

export function make(tag, given = {}, ...children) {
  const element = Object.assign(document.createElement(tag), given);
  element.append(...children);
  return element;
}

// Say something to those who do not see the page change.
export function say(text) {
  find("live").textContent = text;
}

async function answer(path, options) {
  let response;
  try {
    response = await fetch(path, { cache: "no-store", ...options });
  } catch {
    throw new Error("The server does not answer. Is it still running in its terminal?");
  }
  const isJson = (response.headers.get("content-type") || "").startsWith("application/json");
  const value = isJson ? await response.json() : { mistake: (await response.text()).trim() };
  if (value.mistake || !response.ok) throw new Error(value.mistake || "The server refused that.");
  return value;
}

export const ask = (path) => answer(path, {});

// What shows the server that a request comes from this page.
export const secret = () => [["X-Unslant-Token", token]];

export const send = (path, value = {}, options = {}) => answer(path, {
  ...options,
  method: "POST",
  headers: [["Content-Type", "application/json"], ...secret()],
  body: JSON.stringify(value),
});

export class Cancelled extends Error {}

// Work that nobody will see the end of is ended when the page is closed or loaded again.
const underWay = new Set();
addEventListener("pagehide", () => {
  for (const id of underWay) send(`/api/jobs/${id}/cancel`, {}, { keepalive: true }).catch(() => {});
});

// A place for one job at a time: progress, a button to cancel, and errors.
export class JobPlace {
  constructor(element) {
    this.element = element;
    this.turn = 0;
    this.id = null;
    this.isCancelled = false;
  }

  // Start a job and follow it to its end; a later one takes the place of an earlier one.
  async run(wanted) {
    const turn = await this.begin();
    try {
      const start = () => send("/api/jobs", wanted);
      return await this.follow(await start(), turn, start);
    } catch (error) {
      this.told(error, turn);
      throw error;
    }
  }

  // Run a job and show what it found; whatever goes wrong is told in this place.
  async runAndShow(wanted, show) {
    let job;
    try {
      job = await this.run(wanted);
    } catch {
      return null;
    }
    const turn = this.turn;
    try {
      const result = await ask(`/api/jobs/${job.id}/result`);
      if (turn !== this.turn) return null;
      await show(result, job.id);
      return job.id;
    } catch (error) {
      console.error(error);
      this.told(error, turn);
      return null;
    }
  }

  async begin() {
    const turn = ++this.turn;
    this.isCancelled = false;
    this.element.replaceChildren();
    if (this.id) {
      const old = this.id;
      this.over();
      await send(`/api/jobs/${old}/cancel`).catch(() => {});
    }
    return turn;
  }

  // The same work asked for in two tabs is one job; `again` asks anew where the other one ended it.
  async follow(job, turn, again = null) {
    this.check(turn);
    this.id = job.id;
    underWay.add(job.id);
    let parts = null;
    const begun = performance.now();
    while (job.state === "waiting" || job.state === "running") {
      if (!parts && performance.now() - begun > 150) parts = this.show();
      if (parts) draw(parts, job);
      const isNew = performance.now() - begun < 2000; // most of what is asked for is done by then
      await new Promise((done) => setTimeout(done, isNew ? 60 : POLL));
      this.check(turn);
      job = await ask(`/api/jobs/${job.id}`);
      this.check(turn);
    }
    this.over();
    this.element.replaceChildren();
    if (job.state === "cancelled" && again && !this.isCancelled) return this.follow(await again(), turn);
    if (job.state === "cancelled") {
      say("Cancelled.");
      throw new Cancelled("Cancelled.");
    }
    if (job.state === "failed") throw new Error(job.error);
    return job;
  }

  over() {
    underWay.delete(this.id);
    this.id = null;
  }

  check(turn) {
    if (turn !== this.turn) throw new Cancelled("Something else was asked for.");
  }

  show() {
    const text = make("p", { textContent: "Working…" });
    const bar = make("progress", { max: 1 });
    bar.setAttribute("aria-label", "Progress");
    const button = make("button", { type: "button", textContent: "Cancel", className: "cancel" });
    button.addEventListener("click", () => this.cancel(text, button));
    this.element.replaceChildren(make("div", { className: "job" }, text, bar, button));
    say("Working.");
    return { text, bar, button };
  }

  async cancel(text, button) {
    this.isCancelled = true;
    button.disabled = true;
    text.textContent = "Cancelling…";
    if (this.id) await send(`/api/jobs/${this.id}/cancel`).catch(() => {});
  }

  // Show an error, unless it is only that nobody waits for the job any more.
  told(error, turn = this.turn) {
    if (turn !== this.turn) return;
    if (error instanceof Cancelled) {
      this.element.replaceChildren(make("p", { className: "under", textContent: error.message }));
      return;
    }
    const place = make("p", { className: "error", textContent: error.message });
    place.setAttribute("role", "alert");
    this.element.replaceChildren(place);
  }
}

function draw({ text, bar }, job) {
  text.textContent = job.state === "waiting" ? "Waiting for other work to end…" : job.doing || "Working…";
  if (job.total > 0) bar.value = Math.min(1, job.done / job.total);
  else bar.removeAttribute("value");
}

export function fill(select, items, chosen) {
  select.replaceChildren(...items.map(([value, text]) => make("option", { value, textContent: text, selected: value === chosen })));
}

export function later(work, wait) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), wait);
  };
}
