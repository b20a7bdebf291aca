"""Write the JSON Schema of records to docs/schema/."""

import json
from pathlib import Path

from unslant.core.record import FORMAT, Record
from unslant.core.schema import schema_of


def main() -> None:
    folder = Path(__file__).parents[1] / "docs" / "schema"
    folder.mkdir(exist_ok=True)
    path = folder / f"record-{FORMAT.rpartition(' ')[2]}.schema.json"
    path.write_text(json.dumps(schema_of(Record, FORMAT), indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
