"""The routes of the server: small answers here, work in jobs, everything behind the guard."""

import json
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from unslant.core.errors import UnslantError
from unslant.measures.registry import metrics
from unslant.methods.method import DEBIASERS
from unslant.reports.figures.theme import THEMES, config
from unslant.reports.html.shell import template_text, vega_script
from unslant.web.drops import TOO_SLOW
from unslant.web.guard import DROP_PATH, Guard, Policy
from unslant.web.jobs import BUG, DONE, Job
from unslant.web.measuring import listed_parameters, listed_probes
from unslant.web.view import PageResult, Told, Written
from unslant.web.work import Desk

# The three methods that the page offers by what they are for, each with its expression.


@dataclass(frozen=True, kw_only=True)
class OfferedMethod:
    """A method by what it does; in a language model it may be another expression."""

    name: str
    says: str
    vectors: str
    model: str


CHOICES = (
    OfferedMethod(
        name="Keep meaning, remove the direction",
        says="Takes the concept’s direction out of every word that should not have it, and makes "
        "pairs equal. Words keep most of what they were like.",
        vectors="hard",
        model="linear",
    ),
    OfferedMethod(
        name="Smallest change",
        says="Moves the vectors as little as possible so that no linear classifier can tell the "
        "groups apart. Less direct tests may still find bias.",
        vectors="leace",
        model="leace",
    ),
    OfferedMethod(
        name="Strongest removal",
        says="Removes direction after direction until a classifier is left with nothing. More of "
        "what the vectors know goes with them.",
        vectors="inlp",
        model="inlp",
    ),
)


def listed_choices() -> list[dict[str, str]]:
    """The choices as the page shows them."""
    return [asdict(choice) for choice in CHOICES]


_STATIC = files("unslant.web") / "static"
_SCRIPTS = (
    "door", "page", "parts", "results", "explore", "places", "own", "measure", "compare", "given",
    "keep", "choices", "drop", "pins", "probes", "state", "subjects", "tables",
)  # fmt: skip
_FILES = ("page.css", *(f"{name}.js" for name in _SCRIPTS))
_TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
_CHUNK = 1 << 18


def application(desk: Desk, policy: Policy) -> Guard:
    """The guarded application."""
    program = [
        _file_route("index.html", "/"),
        Route("/vega.js", _vega),
        *(_file_route(name, f"/{name}") for name in _FILES),
        Route("/base.css", _text(template_text("page.css"), "text/css")),
        Route("/charts.js", _text(template_text("charts.js"), "text/javascript")),
    ]
    routes = [
        *program,
        Route("/api/start", _start),
        Route("/api/check", _check),
        Route("/api/association", _association, methods=["POST"]),
        Route("/api/probes", _probes),
        Route(DROP_PATH, _dropped, methods=["POST"]),
        Route("/api/jobs", _begin, methods=["POST"]),
        Route("/api/jobs/{id}", _job),
        Route("/api/jobs/{id}/cancel", _cancel, methods=["POST"]),
        Route("/api/jobs/{id}/result", _result),
        Route("/api/jobs/{id}/record.json", _record),
        Route("/api/jobs/{id}/file", _file),
        Route("/api/cells/{study}/{cell}", _cell),
    ]
    app = Starlette(
        routes=routes,
        exception_handlers={
            HTTPException: _plain_error,
            UnslantError: _told,
            Exception: _bug,
        },
    )
    app.router.redirect_slashes = False
    app.state.desk = desk
    return Guard(app, policy, public=[route.path for route in program])


def _json(value: Any, status: int = 200) -> Response:
    content = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    return Response(content, status, media_type="application/json")


async def _plain_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    texts = {404: "There is nothing here.", 405: "This address does not take that method."}
    return PlainTextResponse(f"{texts.get(error.status_code, 'Refused.')}\n", error.status_code)


async def _told(request: Request, error: Exception) -> Response:
    """A mistake of the user is an answer like others; browsers log every refusal as an error."""
    return _json({"mistake": str(error)})


async def _bug(request: Request, error: Exception) -> Response:
    return _json({"mistake": BUG}, 500)


def _text(content: str, media_type: str) -> Any:
    encoded = content.encode()

    async def answer(request: Request) -> Response:
        return Response(encoded, media_type=media_type)

    return answer


def _file_route(name: str, path: str) -> Route:
    content = (_STATIC / name).read_text(encoding="utf-8")
    return Route(path, _text(content, _TYPES[name[name.rindex(".") :]]))


async def _vega(request: Request) -> Response:
    script = await run_in_threadpool(vega_script)
    return Response(script, media_type="text/javascript")


async def _start(request: Request) -> Response:
    desk = _desk(request)

    def told() -> dict[str, Any]:
        return {
            "vectors": [*desk.spaces.listed(), *desk.models.listed()],
            "concepts": desk.concepts.listed(),
            "first": {"vectors": desk.first, "concept": desk.concepts.first},
            "methods": [
                {"name": entry.name, "summary": entry.summary.replace("``", "")}
                for entry in DEBIASERS
            ],
            "choices": listed_choices(),
            "measures": listed_measures(),
            "given": desk.given.listed(),
            "themes": {theme: config(theme) for theme in THEMES},
        }

    return _json(await run_in_threadpool(told))


async def _check(request: Request) -> Response:
    """Whether a chain can run, as it is typed."""
    return _json({"runs": _desk(request).chain(request.query_params)})


async def _association(request: Request) -> Response:
    result = await run_in_threadpool(_desk(request).associate, await _asked(request))
    return _json({"job": result.told()}, 202) if isinstance(result, Job) else _json(result)


async def _probes(request: Request) -> Response:
    """The probes, with their possible predictors; their sets take a moment to read."""
    desk = _desk(request)
    models = {item["id"]: desk.models[item["id"]] for item in desk.models.listed()}
    return _json({"probes": await run_in_threadpool(listed_probes, models)})


async def _dropped(request: Request) -> Response:
    """Take a file and begin to read it; its name is only a text."""
    desk = _desk(request)
    name, size = request.query_params.get("name", ""), int(request.headers["content-length"])
    try:
        dropped = await desk.drops.take(name, size, request.stream())
    except ClientDisconnect:
        return PlainTextResponse(f"{TOO_SLOW}\n", 408)
    return _json((await run_in_threadpool(desk.open_dropped, dropped)).told(), 202)


async def _begin(request: Request) -> Response:
    job = await run_in_threadpool(_desk(request).start, await _asked(request))
    return _json(job.told(), 202)


async def _job(request: Request) -> Response:
    return _json(_found(request).told())


async def _cancel(request: Request) -> Response:
    job = _desk(request).jobs.cancel(_found(request).id)
    return _json(job.told() if job else {})


async def _result(request: Request) -> Response:
    return Response(_done(request, PageResult, Told).shown, media_type="application/json")


async def _record(request: Request) -> Response:
    content = json.dumps(_done(request, PageResult).record.to_dict(), indent=1, allow_nan=False)
    headers = _attached("unslant-record.json")
    return Response(f"{content}\n", media_type="application/json", headers=headers)


async def _file(request: Request) -> Response:
    written = _done(request, Written)
    try:
        stream = written.path.open("rb")
        size = written.path.stat().st_size
    except OSError:
        return PlainTextResponse("The file was removed to make room. Ask for it again.\n", 410)

    def blocks() -> Iterator[bytes]:
        with stream:
            while block := stream.read(_CHUNK):
                yield block

    headers = {"content-length": str(size), **_attached(written.name)}
    return StreamingResponse(blocks(), media_type="application/octet-stream", headers=headers)


async def _cell(request: Request) -> Response:
    """The record of one cell of a study, found by its id in the study's index."""
    study, cell = request.path_params["study"], request.path_params["cell"]
    record = await run_in_threadpool(_desk(request).given.cell, study, cell)
    if record is None:
        raise HTTPException(404)
    return _json(record)


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


async def _asked(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise UnslantError("The request is not a JSON object.")
    return body


def _found(request: Request) -> Job:
    job = _desk(request).jobs.find(request.path_params["id"])
    if job is None:
        raise HTTPException(404)
    return job


def _done(request: Request, *kinds: type[Any]) -> Any:
    job = _found(request)
    if job.state != DONE or not isinstance(job.result, kinds):
        raise HTTPException(404)
    return job.result


def _attached(name: str) -> dict[str, str]:
    """Save, do not open: a report has a policy of its own, which ours would not let it keep."""
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:120]
    return {"content-disposition": f'attachment; filename="{plain}"'}


def listed_measures() -> list[dict[str, Any]]:
    """Every metric with its parameters, as the page shows them."""
    return [
        {
            "name": entry.name,
            "summary": entry.summary.replace("``", ""),
            "takes": entry.facts.takes,
            "parameters": listed_parameters(entry.component),
        }
        for entry in metrics()
    ]
