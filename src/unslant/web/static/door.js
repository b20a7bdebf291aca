// The secret of this tab: given for the key or the token in the address, kept by the tab alone, and
// sent as a header. Not a cookie: browsers send cookies to every port of a host, and so to servers
// of other users of this machine.

const PLACE = "unslant-secret";
let held = kept() ?? "";

// Taken out of the address before anything else happens, so that neither the history nor a
// screenshot keeps it.
const brought = Object.fromEntries(new URLSearchParams(location.search));
if (location.search) history.replaceState(null, "", location.pathname + location.hash);

// What shows the server that a request comes from this tab.
export const secret = () => [["X-Unslant-Secret", held]];

export class Refused extends Error {}
export const NO_ANSWER = "The server does not answer. Is it still running in its terminal?";

// Get a secret for what the address brought. A tab that has one and comes with a spent key stays in.
export async function enter() {
  if (held && !("key" in brought || "token" in brought)) return;
  const response = await fetch("/api/enter", {
    method: "POST",
    cache: "no-store",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(brought),
  }).catch(() => {
    throw new Error(NO_ANSWER);
  });
  if (response.ok) keep((await response.json()).secret);
  else if (!held) throw new Refused((await response.text()).trim());
}

// Browsers that store nothing for a page refuse even to be asked; then a reload needs a new address.
function kept() {
  try {
    return sessionStorage.getItem(PLACE);
  } catch {
    return null;
  }
}

function keep(secret) {
  held = secret;
  try {
    sessionStorage.setItem(PLACE, secret);
  } catch {
    // held is enough until the page is loaded again
  }
}
