"""The Python client of Svc, a self-hosted runtime service for AI agents."""

from typing import TYPE_CHECKING

from ._client import AsyncSvc, Svc
from ._components import AsyncComponent, AsyncConversing, Component, Conversing
from ._decisions import answer, approve, reject, sent, waiting_steps
from ._errors import SvcConnectionError, SvcError, SvcRunError, SvcWarning
from ._mistakes import missing_name
from ._stream import AsyncRunStream, RunReference, RunStream

__all__ = [
    "AsyncComponent",
    "AsyncConversing",
    "AsyncRunStream",
    "AsyncSvc",
    "Component",
    "Conversing",
    "RunReference",
    "RunStream",
    "Svc",
    "SvcConnectionError",
    "SvcError",
    "SvcRunError",
    "SvcWarning",
    "answer",
    "approve",
    "reject",
    "sent",
    "waiting_steps",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise missing_name(name)
