"""Hooks in a network: each context has its own, fires in its own thread only, and removes them."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Any

from unslant.models.language.layout import Site

Change = Callable[[Any], Any]
"""Maps the vectors of a site (batch × tokens × width) to new ones, or returns them unchanged."""


_CHANGING = threading.Lock()


class Hooks:
    """A context in which functions see, and may replace, what passes through sites of a network.

    Contexts nest: the outer one acts first, and leaving one removes its own hooks and no others,
    also after an exception. Another thread that uses the network meanwhile is not affected.
    """

    def __init__(self, network: Any, changes: Iterable[tuple[Site, Change]]) -> None:
        self._network = network
        self._changes = list(changes)
        self._removals: list[Callable[[], None]] = []
        self._calls: dict[str, int] = {}
        self._thread = 0

    def __enter__(self) -> "Hooks":
        self._thread = threading.get_ident()
        try:
            # A module can run several times in one pass (ALBERT has one block for all layers), so a
            # site may mean its n-th call. Calls are counted from the beginning of each pass.
            if any(site.call is not None for site, _ in self._changes):
                self._removals.append(added(self._network, "input", self._begin))
            for site, change in self._changes:
                self._add(site, change)
        # Python does not call __exit__ if __enter__ fails; the hooks added so far must go here,
        # also after Ctrl-C.
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._remove()

    def _remove(self) -> None:
        for remove in self._removals:
            remove()
        self._removals.clear()

    def _begin(self, module: Any, given: Any) -> None:
        if threading.get_ident() == self._thread:
            self._calls.clear()

    def _add(self, site: Site, change: Change) -> None:
        module = self._network.get_submodule(site.module)
        # Two erasers at one module count its calls separately, or each would see every other call.
        key = f"{len(self._removals)} {site.module}"

        def is_meant() -> bool:
            if threading.get_ident() != self._thread:
                return False
            call = self._calls.get(key, 0)
            self._calls[key] = call + 1
            return site.call is None or site.call == call

        def before(_: Any, args: tuple[Any, ...]) -> Any:
            if not is_meant():
                return None
            return (_changed(args[0], site, change), *args[1:])

        def after(_: Any, args: Any, given: Any) -> Any:
            if not is_meant():
                return None
            if isinstance(given, tuple):
                return (_changed(given[0], site, change), *given[1:])
            return _changed(given, site, change)

        hook = before if site.side == "input" else after
        self._removals.append(added(module, site.side, hook))


def added(module: Any, side: str, hook: Any) -> Callable[[], None]:
    """Add a hook to a module; the returned function removes it.

    The module gets a new table of hooks each time. torch's own functions change the table in
    place, which fails in another thread that is just going through it.
    """
    from torch.utils.hooks import RemovableHandle

    table = "_forward_pre_hooks" if side == "input" else "_forward_hooks"
    with _CHANGING:
        hooks = OrderedDict(getattr(module, table))
        # Only for its number: torch counts handles through the whole process, so no handle of a
        # library that also hooks this module can remove ours.
        number = RemovableHandle(hooks).id
        hooks[number] = hook
        vars(module)[table] = hooks  # directly: torch looks at every attribute that is set

    def remove() -> None:
        with _CHANGING:
            kept = OrderedDict(getattr(module, table))
            kept.pop(number, None)
            vars(module)[table] = kept

    return remove


def _changed(state: Any, site: Site, change: Change) -> Any:
    """The state with the columns of a site replaced by what the function makes of them."""
    if site.columns is None:
        return change(state)
    first, last = site.columns
    part = state[..., first:last]
    new = change(part)
    if new is part:
        return state
    # A copy, because the state may be a view of another module's output or be kept for later
    # passes; both must not see the change.
    state = state.clone()
    state[..., first:last] = new
    return state


# Another computation in the place of a module's own: in one thread, within a context.

Replacement = Callable[..., Any]
"""Gets what the module would have computed with, ``own``, and then what the module is given."""


class Replaced:
    """A context in which calls of a module are answered by a function.

    The module's hooks still act, because they surround what is replaced. Contexts nest: the inner
    one answers, and its ``own`` is the outer one. Leaving one removes it and no other, also after
    an exception. Another thread that uses the network meanwhile is not affected.
    """

    def __init__(self, module: Any, function: Replacement) -> None:
        self._module, self._function = module, function
        self._thread = 0

    def __enter__(self) -> "Replaced":
        self._thread = threading.get_ident()
        with _CHANGING:
            own = vars(self._module)  # directly: torch looks at every attribute that is set
            if not isinstance(answers := own.get("forward"), _Answers):
                answers = own["forward"] = _Answers(self._module.forward)
            answers.by_thread.setdefault(self._thread, []).append(self._function)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with _CHANGING:
            answers = vars(self._module)["forward"]
            mine = answers.by_thread[self._thread]
            # By value, not by position: contexts of one thread may end in another order than
            # nesting.
            mine.remove(self._function)
            if not mine:
                del answers.by_thread[self._thread]
            if not answers.by_thread:
                del vars(self._module)["forward"]


class _Answers:
    """A module's replacements by thread; other threads use the module itself."""

    def __init__(self, own: Callable[..., Any]) -> None:
        self._own = own
        self.by_thread: dict[int, list[Replacement]] = {}

    def __call__(self, *args: Any, **options: Any) -> Any:
        answer = self._own
        for function in tuple(self.by_thread.get(threading.get_ident(), ())):
            answer = _around(function, answer)
        return answer(*args, **options)


def _around(function: Replacement, own: Callable[..., Any]) -> Callable[..., Any]:
    def answer(*args: Any, **options: Any) -> Any:
        return function(own, *args, **options)

    return answer
