"""Whether what matters is seen without scrolling."""

from collections.abc import Sequence

from tests.browser.tabs import Tab

FOLD = 800
"""The height of a first screen, in CSS pixels."""


def beyond_the_first_screen(tab: Tab, places: Sequence[str]) -> list[str]:
    """Which of the places are missing, empty, or not wholly within the first 800 pixels."""
    size = tab.page.viewport_size
    assert size is not None
    found = []
    for place in places:
        spot = tab.page.locator(place).first
        box = spot.bounding_box() if spot.count() else None
        if box is None or box["height"] < 10:
            found.append(f"{place} is missing")
        elif box["y"] < 0 or box["y"] + box["height"] > FOLD:
            found.append(f"{place} from {box['y']:.0f} to {box['y'] + box['height']:.0f}")
        elif box["x"] < 0 or box["x"] + box["width"] > size["width"]:
            found.append(f"{place} across {box['x']:.0f} to {box['x'] + box['width']:.0f}")
    return found
