"""Errors of calls."""

from __future__ import annotations

from typing import Any, Mapping

import httpx


class FinmeterError(Exception):
    """A failed call.

    A call that the server refused was not charged. If no answer came back (``status`` is 0), it may have been charged once;
    repeating it with the same ``idempotency_key`` within 24 hours is free, except for operations of an upstream whose response
    cannot be stored.
    """

    def __init__(self, problem: Mapping[str, Any], status: int) -> None:
        super().__init__(str(problem["detail"]))
        self.code: str = str(problem["code"])
        """``insufficient_credits``, ``rate_limited``, ...; without an answer: ``connection_failed``, ``timed_out``, ``bad_answer``."""
        self.status = status
        """The HTTP status; 0 if there was no answer."""
        self.param: str | None = problem.get("param")
        """The parameter that is wrong."""
        self.allowed: list[str] = list(problem.get("allowed") or [])
        self.suggestions: list[str] = list(problem.get("suggestions") or [])
        self.retry_after: float | None = problem.get("retry_after")
        """Seconds to wait before the next try, if the server named a time."""
        self.request_id: str | None = problem.get("request_id")
        self.docs: str | None = problem.get("docs")
        """The page where you can act on it or read more."""
        self.idempotency_key = ""
        """The key that all tries had."""


def lost(error: Exception) -> FinmeterError:
    """A failure on the way to the server or back."""
    if isinstance(error, httpx.TimeoutException):
        return FinmeterError({"code": "timed_out", "detail": "No answer in time."}, 0)
    if isinstance(error, ValueError):
        return FinmeterError({"code": "bad_answer", "detail": "The answer was cut off or is not JSON."}, 0)
    return FinmeterError(
        {"code": "connection_failed", "detail": "The connection failed, or broke off before the answer was complete."}, 0
    )


def read_problem(response: httpx.Response) -> FinmeterError:
    """The problem in a refused answer, also when a proxy on the way wrote it."""
    try:
        body = response.json()
    except ValueError:
        body = None
    problem: dict[str, Any] = body if isinstance(body, dict) else {}
    problem.setdefault("code", f"http_{response.status_code}")
    problem.setdefault("detail", f"The server answered {response.status_code}.")
    try:
        problem["retry_after"] = float(response.headers["retry-after"])
    except (KeyError, ValueError):
        pass
    return FinmeterError(problem, response.status_code)
