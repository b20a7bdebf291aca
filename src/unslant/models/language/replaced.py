"""Another computation in the place of a module's own: in one thread, within a context."""

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

Replacement = Callable[..., Any]
"""Gets what the module would have computed with, ``own``, and then what the module is given."""

_CHANGING = threading.Lock()


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
            mine.remove(self._function)
            if not mine:
                del answers.by_thread[self._thread]
            if not answers.by_thread:
                del vars(self._module)["forward"]


class _Answers:
    """What a module answers in each thread that has replaced it; in others what it is."""

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
