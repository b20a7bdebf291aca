"""Draw how time grows with size, from the document that ``run.py --json`` writes.

python -m benchmarks.growth_figure results.json docs/images/growth.svg
"""

import argparse
import json
from pathlib import Path
from typing import Any

import altair as alt


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("figure", type=Path)
    given = parser.parse_args()
    results = json.loads(given.results.read_text(encoding="utf-8"))["results"]
    drawing([one for one in results if one["unit"] == "exponent"]).save(given.figure)


def drawing(results: list[dict[str, Any]]) -> alt.LayerChart:
    """One line for each, on logarithmic scales; each begins at 1, so that slopes are compared."""
    rows = [
        {
            "size": size / one["sizes"][0],
            "time": seconds / one["our_runs"][0],
            "what": f"{one['name'].replace(', exponent over', ' by')}: {one['ours']:.2f}",
        }
        for one in results
        for size, seconds in zip(one["sizes"], one["our_runs"], strict=True)
    ]
    scale = alt.Scale(type="log", base=2)
    kind = {"field": "what", "type": "nominal", "title": "exponent over the three largest"}
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("size:Q", scale=scale, title="size, as a multiple of the smallest"),
        y=alt.Y("time:Q", scale=scale, title="time, as a multiple of the smallest"),
        color=alt.Color(**kind),
    )
    points = base.mark_point(filled=True, size=60).encode(shape=alt.Shape(**kind, legend=None))
    drawn = (base.mark_line() + points).properties(width=420, height=320)
    return drawn.configure_legend(labelLimit=400)


if __name__ == "__main__":
    main()
