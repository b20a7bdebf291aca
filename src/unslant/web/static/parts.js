// What every part of the page is made of: elements, requests and jobs.
// Texts of others go into the page as text only.

import { NO_ANSWER, Refused, secret } from "/door.js";

const NOT_SAVED = "The file did not arrive. Either the server has ended, or the file is too large for the browser: then write it in the terminal with unslant debias FILE --with METHOD -o OUT";
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

async function answer(path, { headers = [], ...options } = {}) {
  const response = await fetch(path, { cache: "no-store", headers: [...secret(), ...headers], ...options }).catch(() => {
    throw new Error(NO_ANSWER);
  });
  const isJson = (response.headers.get("content-type") || "").startsWith("application/json");
  const value = isJson ? await response.json() : { mistake: (await response.text()).trim() };
  if (response.status === 401) throw new Refused(value.mistake);
  if (value.mistake || !response.ok) throw new Error(value.mistake || "The server refused that.");
  return value;
}

export const ask = (path) => answer(path);

export const send = (path, value = {}, options = {}) => answer(path, {
  ...options,
  method: "POST",
  headers: [["Content-Type", "application/json"]],
  body: JSON.stringify(value),
});

// Fetch a file and save it. A link could not send the secret, and an address must not hold it.
// Not with fetch, which fills the memory of the tab before it fails on a file that is too large.
export function download(path) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.responseType = "blob";
    request.addEventListener("error", () => failed(new Error(NOT_SAVED)));
    request.addEventListener("load", async () => {
      if (request.status !== 200) return failed(new Error((await request.response.text()).trim()));
      const [, name] = /filename="([^"]+)"/.exec(request.getResponseHeader("content-disposition"));
      done(saveAs(request.response, name));
    });
    request.open("GET", path);
    for (const [name, value] of secret()) request.setRequestHeader(name, value);
    request.send();
  });
}

export function saveAs(blob, name) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  say(`${name} is saved.`);
}

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

  // Show an error, unless it is only that nobody waits for the job any more. It is brought onto the
  // screen unless `reveal` is false, as where the message is about what is just being typed.
  told(error, turn = this.turn, { reveal = true } = {}) {
    if (turn !== this.turn) return;
    if (error instanceof Cancelled) {
      this.element.replaceChildren(make("p", { className: "under", textContent: error.message }));
      return;
    }
    const place = problem(error.message);
    this.element.replaceChildren(place);
    if (reveal) place.scrollIntoView({ block: "nearest" });
  }
}

// A message about what went wrong, which a button or Escape closes.
export function problem(message) {
  const before = document.activeElement;
  const text = make("p", { textContent: message });
  const close = make("button", { type: "button", className: "dismiss", textContent: "Close" });
  const place = make("div", { className: "error" }, text, close);
  text.setAttribute("role", "alert");
  close.setAttribute("aria-label", "Close this message");
  close.addEventListener("click", () => {
    const hadFocus = place.contains(document.activeElement);
    place.remove();
    if (hadFocus) (before?.isConnected && before !== document.body ? before : find("main")).focus();
  });
  return place;
}

addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
  const seen = [...document.querySelectorAll(".error .dismiss")].filter((button) => button.checkVisibility());
  seen.at(-1)?.click();
});

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
