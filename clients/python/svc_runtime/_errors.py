"""What a request or a run ends with instead of a result."""

from __future__ import annotations

import http.client
import ssl
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Literal, Mapping


class SvcError(Exception):
    """The response of the service instead of a result."""

    status: int
    """The status code of HTTP."""
    code: str | None
    """A code for programs, such as `NOT_FOUND`. A response of something between client and service has none."""
    message: str
    """The problem of the request, and how to solve it."""
    request_id: str | None
    """The id of the request in the log of the service."""
    retry_after: float | None
    """Seconds after which the request may be repeated."""
    problems: list[dict[str, Any]]
    """One for each field of a request that cannot be read."""

    def __init__(self, status: int, body: Any, headers: Mapping[str, str]) -> None:
        fields = body if isinstance(body, dict) else {}
        detail = fields.get("detail")
        self.message = detail if isinstance(detail, str) and detail else f"The service responded with status {status}"
        hint = fields.get("hint")
        if isinstance(hint, str) and hint:
            self.message = f"{self.message}. {hint}"
        super().__init__(self.message)
        self.status = status
        self.code = fields.get("error_code")
        self.request_id = headers.get("x-request-id")
        self.retry_after = _seconds(headers.get("retry-after", ""))
        errors = fields.get("errors")
        self.problems = errors if isinstance(errors, list) else []


class SvcConnectionError(Exception):
    """The service could not be reached, or the connection was cut. `__cause__` has the error of the network."""

    message: str

    def __init__(self, url: str, reason: object) -> None:
        self.message = f"No response from {url}: {str(reason) or type(reason).__name__}{_scheme_hint(url, reason)}"
        super().__init__(self.message)


class SvcWarning(UserWarning):
    """The service has not used a part of a request, such as a field that it does not know."""


RunErrorStatus = Literal["ERROR", "CANCELLED", "PAUSED", "RUNNING"]


class SvcRunError(Exception):
    """Text that is no whole answer, raised where only the text of a run is read."""

    status: RunErrorStatus
    """`RUNNING`: the run continues, and the model answers again."""
    run: dict[str, str]
    """Its `run_id` and `session_id`: it can be continued or watched."""
    message: str

    def __init__(self, status: RunErrorStatus, message: str, run: dict[str, str]) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.run = run


def _scheme_hint(url: str, reason: object) -> str:
    """What responds can speak the other one of http and https."""
    if url.startswith("https:"):
        wrong = isinstance(reason, ssl.SSLError) and reason.reason in _no_handshake
        hint = "What responds there does not speak https. If it is the service, begin base_url with http://"
    else:
        wrong = isinstance(reason, (ConnectionResetError, http.client.BadStatusLine, EOFError))
        hint = "If the service speaks https, begin base_url with https://"
    return f". {hint}" if wrong else ""


_no_handshake = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "PACKET_LENGTH_TOO_LONG", "HTTP_REQUEST")


def _seconds(text: str) -> float | None:
    """`Retry-After` is a number of seconds or a date."""
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=timezone.utc)
    return max(0.0, (date - datetime.now(timezone.utc)).total_seconds())
