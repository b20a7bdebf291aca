// Where in a language model: a list that is there while a model is chosen.

import { fill, find } from "/parts.js";

export function startPlaces(start, vectors, place) {
  const known = new Map(start.vectors.map((item) => [item.id, item]));
  const update = () => {
    const { places = [], place: usual = "" } = known.get(find(vectors).value);
    find(`${place}-label`).hidden = !places.length;
    fill(find(place), places.map((text) => [text, text]), usual);
  };
  find(vectors).addEventListener("change", update);
  update();
}
