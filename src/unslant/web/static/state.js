// What is chosen stands in the address, behind the #, so that it can be kept, sent to oneself and
// gone back to. Browsers send nothing of it, and it holds no secret.

const parts = new Map(); // name of a tab -> { read, write }
const LONGEST = 4000;
let now = () => "";
let go = () => {};
let first = "";
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
  const pairs = [...(parts.get(tab)?.read() ?? []), ...(parts.get("")?.read() ?? [])];
  if (!location.hash && tab === first && !pairs.length) return; // the page as it began
  const hash = `#${new URLSearchParams([["tab", tab], ...pairs])}`;
  if (hash !== location.hash && hash.length <= LONGEST) history.pushState(null, "", hash);
}

// What is restored stands in the address already, so it is not noted again.
function restore() {
  const asked = new URLSearchParams(location.hash.slice(1));
  isGoing = true;
  try {
    go(asked.get("tab") ?? "");
    for (const name of ["", now()]) parts.get(name)?.write(asked);
  } finally {
    isGoing = false;
  }
}

// Show what the address says, now and whenever it changes; whether it said anything. `usual` is the
// tab that the page begins with.
export function startState(current, open, usual) {
  now = current;
  go = open;
  first = usual;
  addEventListener("popstate", restore);
  if (!location.hash.includes("tab=")) return false;
  restore();
  return true;
}

// Choose in a list what the address names, if it is still there.
export function choose(select, value) {
  if (value !== null && [...select.options].some((option) => option.value === value)) select.value = value;
}
