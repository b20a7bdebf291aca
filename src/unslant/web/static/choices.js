// Three methods by what they are for; all others are behind "More".

import { find, make } from "/parts.js";
import { subject } from "/subjects.js";

let choices = [];

const expression = (choice) => (subject(find("vectors").value)?.places ? choice.model : choice.vectors);

// Buttons that call `apply` with the expression of a method, the empty text for none.
export function startChoices(start, apply) {
  choices = start.choices;
  find("choices").replaceChildren(
    button("as-it-is", "As it is", "no method", () => apply("")),
    ...choices.map((choice, place) => button(`choice-${place + 1}`, choice.name, choice.vectors, () => apply(expression(choice)))),
    moreButton(),
  );
}

function button(id, name, below, work) {
  const found = make("button", { type: "button", id, className: "choice" },
    make("span", { className: "choice-name", textContent: name }), make("code", { textContent: below }));
  found.addEventListener("click", work);
  return found;
}

function moreButton() {
  const found = button("more", "More", "your own", () => openMore(find("more-methods").hidden, true));
  found.setAttribute("aria-expanded", "false");
  found.setAttribute("aria-controls", "more-methods");
  return found;
}

export function openMore(isOpen, focus = false) {
  find("more-methods").hidden = !isOpen;
  find("more").setAttribute("aria-expanded", String(isOpen));
  if (isOpen && focus) find("method").focus();
}

// Mark the choice that is applied, and say what it does.
export function markChoice(applied) {
  const at = choices.findIndex((choice) => expression(choice) === applied);
  const pressed = !applied ? "as-it-is" : at < 0 ? "more" : `choice-${at + 1}`;
  for (const item of find("choices").children) {
    item.setAttribute("aria-pressed", String(item.id === pressed));
    const place = Number(item.id.split("-")[1]) - 1;
    if (choices[place]) item.querySelector("code").textContent = expression(choices[place]);
  }
  find("choice-says").textContent = at < 0 ? "" : choices[at].says;
  if (pressed === "more") openMore(true);
}
