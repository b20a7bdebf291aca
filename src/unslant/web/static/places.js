// Where in a language model: a list that is there while a model is chosen.

import { fill, find } from "/parts.js";
import { subject } from "/subjects.js";

export function updatePlaces(vectors, place, chosen = null) {
  const { places = [], place: usual = "" } = subject(find(vectors).value) ?? {};
  find(`${place}-label`).hidden = !places.length;
  fill(find(place), places.map((text) => [text, text]), places.includes(chosen) ? chosen : usual);
}

export function startPlaces(vectors, place) {
  find(vectors).addEventListener("change", () => updatePlaces(vectors, place));
  updatePlaces(vectors, place);
}
