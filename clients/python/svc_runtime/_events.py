"""Server-sent events of bytes in pieces."""

from __future__ import annotations

import codecs
import re
from typing import Iterator, NamedTuple

_line_break = re.compile(r"\r\n|\r|\n")


class Message(NamedTuple):
    id: str | None
    data: str


class Parser:
    """A piece can end anywhere, also inside of a character or a line break."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._is_after_return = False
        self._is_first = True
        self._line: list[str] = []
        self._id: str | None = None
        self._data: list[str] = []

    def feed(self, piece: bytes) -> Iterator[Message]:
        text = self._decode(piece)
        if not text:
            return
        if self._is_first:
            self._is_first = False
            text = text.removeprefix("\ufeff")
        if self._is_after_return:
            text = text.removeprefix("\n")
        self._is_after_return = text.endswith("\r")
        first, *others = _line_break.split(text)
        self._line.append(first)
        for other in others:
            message = self._take("".join(self._line))
            self._line = [other]
            if message is not None:
                yield message

    def _take(self, line: str) -> Message | None:
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "data":
                self._data.append(value)
            elif name == "id":
                self._id = value
            return None
        message = Message(self._id, "\n".join(self._data)) if self._data else None
        self._id = None
        self._data = []
        return message
