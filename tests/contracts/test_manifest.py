"""The manifest names every component and command, with the texts that lists show."""

from scripts.manifest import SOURCE, manifest_text

from unslant.core.manifest import PATH


def test_the_manifest_is_current() -> None:
    committed = (SOURCE / "core" / PATH).read_text(encoding="utf-8")
    assert committed == manifest_text(), "run python -m scripts.manifest"
