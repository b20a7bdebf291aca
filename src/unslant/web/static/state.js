// What is chosen stands in the address, behind the #, so that it can be kept, sent to oneself and
// gone back to. Browsers send nothing of it, and it holds no secret.

const parts = new Map(); // name of a tab -> { read, write }
const LONGEST = 4000;
let now = () => "";
let go = () => {};
let isGoing = false;

// A tab says what it shows as [name, value] pairs, none where nothing was asked for yet, and shows
// what such pairs say.
export function keepState(tab, part) {
  parts.set(tab, part);
}

// Note what is shown now; a step back returns to what was shown before.
export function noted() {
  if (isGoing) return;
  const tab = now();
  const found = new URLSearchParams([["tab", tab], ...(parts.get(tab)?.read() ?? []), ...(parts.get("")?.read() ?? [])]);
  const hash = `#${found}`;
  if (hash !== location.hash && hash.length <= LONGEST) history.pushState(null, "", hash);
}

async function restore() {
  const asked = new URLSearchParams(location.hash.slice(1));
  isGoing = true; // what is shown now stands in the address already
  try {
    go(asked.get("tab") ?? "");
    for (const name of ["", now()]) await parts.get(name)?.write(asked);
  } finally {
    isGoing = false;
  }
}

// Show what the address says, now and whenever it changes; whether it said anything.
export function startState(current, open) {
  now = current;
  go = open;
  addEventListener("popstate", restore);
  if (!location.hash.includes("tab=")) return false;
  restore();
  return true;
}

// Choose in a list what the address names, if it is still there.
export function choose(select, value) {
  if (value !== null && [...select.options].some((option) => option.value === value)) select.value = value;
}
