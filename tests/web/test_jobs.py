"""Jobs: told how far they are, cancelled at once, never lost without a word."""

import logging
import threading
import time
from collections.abc import Iterator

import pytest

from unslant.core.errors import UnslantError
from unslant.web import jobs as jobs_module
from unslant.web.jobs import BUG, MOST_KEPT, MOST_WAITING, Job, Jobs, Report, TooBusyError


@pytest.fixture
def jobs() -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


class Held:
    """Work that goes step by step, each step when it is let."""

    def __init__(self) -> None:
        self.steps = threading.Semaphore(0)
        self.begun = threading.Event()
        self.ended = threading.Event()

    def __call__(self, report: Report) -> str:
        self.begun.set()
        try:
            for done in range(100):
                self.steps.acquire(timeout=10)
                report("Stepping", done, 100)
        finally:
            self.ended.set()
        return "all of it"


def until_over(jobs: Jobs, job: Job) -> Job:
    assert jobs.wait(job, 10)
    return job


def test_a_job_tells_its_progress_and_then_its_result(jobs: Jobs) -> None:
    work = Held()
    job = jobs.start(("a",), work)
    work.begun.wait(10)
    work.steps.release(5)
    deadline = time.monotonic() + 10
    while job.told()["done"] < 4 and time.monotonic() < deadline:
        time.sleep(0.005)
    told = job.told()
    assert (told["state"], told["doing"], told["done"], told["total"]) == (
        "running", "Stepping", 4, 100,
    )  # fmt: skip
    work.steps.release(100)
    assert until_over(jobs, job).state == "done"
    assert job.result == "all of it"


def test_cancelling_is_told_at_once_and_the_thread_ends_at_its_next_step(jobs: Jobs) -> None:
    work = Held()
    job = jobs.start(("a",), work)
    work.begun.wait(10)
    jobs.cancel(job.id)
    assert job.told()["state"] == "cancelled"
    assert not work.ended.is_set()
    work.steps.release()
    assert work.ended.wait(10)
    follower = until_over(jobs, jobs.start(("b",), lambda report: "next"))
    assert (follower.result, job.state, job.result) == ("next", "cancelled", None)


def test_a_waiting_job_that_is_cancelled_never_begins(jobs: Jobs) -> None:
    work, never = Held(), Held()
    first = jobs.start(("a",), work)
    second = jobs.start(("b",), never)
    assert second.told()["state"] == "waiting"
    jobs.cancel(second.id)
    work.steps.release(100)
    until_over(jobs, first)
    until_over(jobs, jobs.start(("c",), lambda report: None))
    assert not never.begun.is_set()


def test_a_mistake_of_the_input_is_told_in_its_one_sentence(jobs: Jobs) -> None:
    def work(report: Report) -> None:
        raise UnslantError("The file is cut. Fetch it again.")

    job = until_over(jobs, jobs.start(("a",), work))
    assert (job.state, job.error) == ("failed", "The file is cut. Fetch it again.")


def test_a_bug_is_logged_and_the_page_is_told_where_to_look(
    jobs: Jobs, caplog: pytest.LogCaptureFixture
) -> None:
    def work(report: Report) -> None:
        raise ZeroDivisionError("secret of the machine")

    with caplog.at_level(logging.ERROR, "unslant.web"):
        job = until_over(jobs, jobs.start(("a",), work))
    assert (job.state, job.error) == ("failed", BUG)
    assert "secret" not in job.error
    assert "ZeroDivisionError" in caplog.text


def test_the_same_work_is_done_once_but_failed_work_may_be_tried_again(jobs: Jobs) -> None:
    count = []

    def work(report: Report) -> int:
        count.append(1)
        if len(count) == 1:
            raise UnslantError("Not yet.")
        return len(count)

    until_over(jobs, jobs.start(("a",), work))
    second = until_over(jobs, jobs.start(("a",), work))
    assert second.result == 2
    assert jobs.start(("a",), work) is second
    assert len(count) == 2


def test_a_result_that_is_of_no_use_any_more_is_made_again(jobs: Jobs) -> None:
    first = until_over(jobs, jobs.start(("a",), lambda report: "old"))

    def is_new(result: str) -> bool:
        return result == "new"

    again = jobs.start(("a",), lambda report: "new", still_holds=is_new)
    assert again is not first
    assert until_over(jobs, again).result == "new"
    assert jobs.start(("a",), lambda report: "newer", still_holds=is_new) is again


def test_a_long_job_does_not_keep_a_quick_one_waiting(jobs: Jobs) -> None:
    work = Held()
    jobs.start(("long",), work)
    work.begun.wait(10)
    assert until_over(jobs, jobs.start(("quick",), lambda report: 1, lane="quick")).result == 1


def test_only_one_job_of_a_lane_runs_at_a_time_and_few_may_wait(jobs: Jobs) -> None:
    works = [Held() for _ in range(MOST_WAITING + 1)]
    made = [jobs.start((number,), work) for number, work in enumerate(works[:1])]
    works[0].begun.wait(10)
    made += [jobs.start((number,), work) for number, work in enumerate(works[1:], 1)]
    assert [job.state for job in made] == ["running"] + ["waiting"] * MOST_WAITING
    with pytest.raises(TooBusyError, match="8 jobs are waiting already"):
        jobs.start(("more",), lambda report: None)
    for job in made:
        jobs.cancel(job.id)
    works[0].steps.release()


def test_of_jobs_that_are_over_only_the_last_are_kept(jobs: Jobs) -> None:
    made = [
        until_over(jobs, jobs.start((number,), lambda report: "x"))
        for number in range(MOST_KEPT + 6)
    ]
    known = [jobs.find(job.id) is not None for job in made]
    assert sum(known) <= MOST_KEPT + 1
    assert known[-1]
    assert not known[0]


def test_a_job_that_takes_too_long_is_ended_with_advice(
    jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_module, "LONGEST_SECONDS", -1.0)
    job = until_over(jobs, jobs.start(("a",), lambda report: None))
    assert job.state == "failed"
    assert "Run it in a terminal" in job.error


def test_closing_ends_what_is_running(jobs: Jobs) -> None:
    work = Held()
    job = jobs.start(("a",), work)
    work.begun.wait(10)
    jobs.close()
    work.steps.release()
    assert work.ended.wait(10)
    assert job.state == "cancelled"


def test_what_is_asked_for_after_the_end_is_not_waited_for(jobs: Jobs) -> None:
    jobs.close()
    late = jobs.start(("late",), lambda report: 1)
    assert jobs.wait(late, 0)
    assert late.state == "cancelled"
