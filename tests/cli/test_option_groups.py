"""Several options as one parameter of a command."""

from dataclasses import dataclass
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from unslant.cli.option_groups import settings_of, takes


@dataclass(frozen=True, kw_only=True)
class Size:
    width: int = 3
    deep_as: float = 0.5
    open: bool = True
    unasked: str = "own"


SIZE = settings_of(
    Size,
    width="How wide.",
    deep_as="How deep.",
    open=typer.Option("--open/--closed", help="Whether it is open."),
)


def looks_of(colour: Annotated[str | None, typer.Option(help="Its colour.")] = None) -> str:
    return f"a {colour or 'grey'} one"


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer()

    @app.command()
    @takes(size=SIZE, looks=looks_of)
    def made(
        *,
        name: Annotated[str, typer.Argument(help="Its name.")],
        size: Size,
        looks: str,
        quiet: bool = False,
    ) -> None:
        """Make a box."""
        typer.echo(f"{name} {size} {looks} {quiet}")

    return app


def test_without_options_the_settings_are_the_defaults_of_the_fields(app: typer.Typer) -> None:
    said = CliRunner().invoke(app, ["box"])
    assert said.exit_code == 0
    assert said.output.strip() == f"box {Size()} a grey one False"


def test_every_option_reaches_its_field(app: typer.Typer) -> None:
    given = ["box", "--width", "7", "--deep-as", "0.25", "--closed", "--colour", "red", "--quiet"]
    said = CliRunner().invoke(app, given)
    assert said.output.strip() == f"box {Size(width=7, deep_as=0.25, open=False)} a red one True"


def test_help_lists_the_options_in_the_place_of_the_parameter(app: typer.Typer) -> None:
    said = CliRunner().invoke(app, ["--help"]).output
    order = [said.index(name) for name in ("--width", "--deep-as", "--open", "--colour", "--quiet")]
    assert order == sorted(order)
    assert "Make a box." in said
    assert "How deep." in said
    assert "--size" not in said
    assert "--looks" not in said
    assert "--unasked" not in said


def test_a_value_of_the_wrong_type_is_refused(app: typer.Typer) -> None:
    said = CliRunner().invoke(app, ["box", "--width", "wide"])
    assert said.exit_code == 2
    assert "--width" in said.output


def test_an_option_without_a_field_is_refused_when_the_command_is_written() -> None:
    with pytest.raises(KeyError, match="height"):
        settings_of(Size, height="How high.")
