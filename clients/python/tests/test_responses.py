"""Prepared responses in place of a service: pieces of streams, cuts, and requests that are repeated."""

import ast
import asyncio
import json
import pathlib
import re
import socket
import threading
import typing
import unittest
from typing import Any, Callable

from svc_runtime import (
    AsyncSvc,
    Svc,
    SvcConnectionError,
    SvcError,
    SvcRunError,
    answer,
    approve,
    models,
    reject,
    resources,
    sent,
    waiting_steps,
)
from svc_runtime._events import Parser

Respond = bytes | Callable[[dict[str, str]], bytes]


class Server:
    """Gives each request the next response, and then closes the connection."""

    def __init__(self, *responses: Respond) -> None:
        self._responses = list(responses)
        self.heads: list[dict[str, str]] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection, connection.makefile("rb") as file:
                head = {"line": file.readline().decode().strip()}
                while line := file.readline().decode().strip():
                    name, _, value = line.partition(":")
                    head[name.lower()] = value.strip()
                file.read(int(head.get("content-length", 0)))
                self.heads.append(head)
                respond = self._responses[min(len(self.heads), len(self._responses)) - 1]
                connection.sendall(respond(head) if callable(respond) else respond)

    def close(self) -> None:
        self._socket.close()


def as_json(value: Any, status: int = 200, headers: str = "") -> bytes:
    body = json.dumps(value).encode()
    head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n{headers}"
    # a client that used the connection again could be faster than its end
    return head.encode() + b"connection: close\r\n\r\n" + body


def frame(index: int, event: str, **fields: Any) -> str:
    data = {"event": event, "run_id": "r", "session_id": "s", **fields}
    return f"id: {index}\nevent: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"


frames = [frame(0, "RunStarted"), frame(1, "RunContent", content="tea 🍵"), frame(2, "RunCompleted")]
names = ["RunStarted", "RunContent", "RunCompleted"]

stream_head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunked(text: bytes, size: int = 7) -> bytes:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return stream_head + b"".join(b"%x\r\n%s\r\n" % (len(each), each) for each in pieces)


def rest(head: dict[str, str]) -> bytes:
    """The events after the last one that the client has."""
    after = int(head.get("last-event-id", -1)) + 1
    return chunked("".join(frames[after:]).encode()) + b"0\r\n\r\n"


class Responses(unittest.TestCase):
    def serve(self, *responses: Respond) -> Server:
        server = Server(*responses)
        self.addCleanup(server.close)
        return server

    def test_events_are_the_same_wherever_a_piece_ends(self) -> None:
        for line_break in ("\n", "\r", "\r\n"):
            data = f"\ufeff: comment\n\n{frames[0]}{frames[1]}".replace("\n", line_break).encode()
            whole = list(Parser().feed(data))
            self.assertEqual([message.id for message in whole], ["0", "1"])
            for at in range(len(data)):
                parser = Parser()
                self.assertEqual([*parser.feed(data[:at]), *parser.feed(data[at:])], whole)

    def test_wherever_a_stream_breaks_off_each_event_is_read_once(self) -> None:
        whole = chunked("".join(frames).encode(), 40)
        for at in range(len(stream_head), len(whole), 29):
            server = self.serve(whole[:at], rest)
            events = [event["event"] for event in Svc(server.url).agent("a").stream("hi")]
            self.assertEqual(events, names, at)
            server = self.serve(whole[:at], rest)

            async def read() -> list[str]:
                return [event["event"] async for event in AsyncSvc(server.url).agent("a").stream("hi")]

            self.assertEqual(asyncio.run(read()), names, at)

    def test_the_text_of_an_answer_that_begins_again_ends_with_an_error(self) -> None:
        begin = [frame(0, "RunStarted"), frame(1, "RunContent", content="Hel")]
        again = [frame(3, "RunContinued"), frame(4, "RunContent", content="Hello."), frame(5, "RunCompleted")]
        whole = [*begin, frame(2, "ModelRequestCompleted"), *again]
        for is_async in (False, True):
            read: list[str] = []

            def text_of(history: list[str], is_async: bool = is_async, read: list[str] = read) -> None:
                read.clear()
                server = self.serve(chunked("".join(history).encode()) + b"0\r\n\r\n")
                if not is_async:
                    read.extend(Svc(server.url).agent("a").text("hi"))
                    return

                async def collect() -> None:
                    async for part in AsyncSvc(server.url).agent("a").text("hi"):
                        read.append(part)

                asyncio.run(collect())

            with self.assertRaises(SvcRunError) as raised:
                text_of([*begin, *again])
            self.assertEqual((raised.exception.status, raised.exception.run["run_id"]), ("RUNNING", "r"))
            text_of(whole)
            self.assertEqual("".join(read), "HelHello.")

    def test_an_error_says_whether_the_address_is_wrong(self) -> None:
        page = b"HTTP/1.1 404 X\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>"
        base = "Is base_url the address of a service of Svc?"
        for response, wanted in (
            (page, f"/agents/a/runs responded with 404 and text/html. {base}"),
            (as_json({"detail": "Not Found"}, 404), f"/agents/a/runs: Not Found. {base}"),
            (as_json({"hello": "world"}), f"/agents/a/runs responded with something that is no run. {base}"),
        ):
            server = self.serve(response)
            with self.assertRaises(SvcError) as raised:
                Svc(server.url).agent("a").run("hi")
            self.assertEqual(raised.exception.message, f"{server.url}{wanted}")
        server = self.serve(as_json({"detail": "Gone", "error_code": "NOT_FOUND"}, 404))
        with self.assertRaises(SvcError) as raised:
            Svc(server.url).agent("a").run("hi")
        self.assertEqual(raised.exception.message, "Gone")

    def test_a_start_without_a_response_is_sent_again_with_the_same_key(self) -> None:
        for is_async in (False, True):
            server = self.serve(b"", as_json({"run_id": "r", "status": "COMPLETED"}))
            if is_async:
                run = asyncio.run(AsyncSvc(server.url).agent("a").run("hi"))
            else:
                run = Svc(server.url).agent("a").run("hi")
            self.assertEqual(run["status"], "COMPLETED")
            first, second = (head["idempotency-key"] for head in server.heads)
            self.assertEqual(first, second)

    def test_a_request_that_could_change_something_twice_is_not_repeated(self) -> None:
        server = self.serve(as_json({"detail": "busy"}, 503))
        with self.assertRaises(SvcError):
            Svc(server.url).sessions.create(session_name="a")
        self.assertEqual(len(server.heads), 1)

    def test_a_read_is_repeated_twice_and_not_if_the_service_needs_long(self) -> None:
        server = self.serve(as_json({"detail": "busy"}, 503, "retry-after: 0\r\n"))
        with self.assertRaises(SvcError):
            Svc(server.url).sessions.list()
        self.assertEqual(len(server.heads), 3)
        server = self.serve(as_json({"detail": "busy"}, 429, "retry-after: 3600\r\n"))
        with self.assertRaises(SvcError) as raised:
            Svc(server.url).sessions.list()
        self.assertEqual((raised.exception.retry_after, len(server.heads)), (3600, 1))

    def test_a_page_in_place_of_a_response_is_an_error_that_says_so(self) -> None:
        server = self.serve(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>")
        agent = Svc(server.url).agent("a")
        works: list[Callable[[], object]] = [lambda: agent.run("hi"), lambda: agent.stream("hi").result()]
        for work in works:
            with self.assertRaisesRegex(SvcError, "responded with text/html"):
                work()

    def test_a_response_that_breaks_off_is_an_error_of_the_connection(self) -> None:
        server = self.serve(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 90\r\n\r\n{")
        with self.assertRaises(SvcConnectionError):
            Svc(server.url, retries=0).agent("a").run("hi")
        with self.assertRaises(SvcConnectionError):
            asyncio.run(AsyncSvc(server.url, retries=0).agent("a").run("hi"))

    def test_tokens_and_headers_are_sent_and_cannot_add_lines(self) -> None:
        server = self.serve(as_json({}))
        svc = Svc(f"{server.url}/prefix/", token=lambda: "secret").with_options(headers={"x-shop": "tea"})
        svc.system.health()
        self.assertEqual(server.heads[0]["line"], "GET /prefix/health HTTP/1.1")
        self.assertEqual((server.heads[0]["authorization"], server.heads[0]["x-shop"]), ("Bearer secret", "tea"))
        with self.assertRaises(ValueError):
            svc.with_options(headers={"x-shop": "tea\r\nx-other: milk"}).system.health()

    def test_a_client_without_an_address_says_how_to_give_it_one(self) -> None:
        for client in (Svc, AsyncSvc):
            for given in (None, 5, {"base_url": "http://127.0.0.1:7777"}):
                with self.assertRaisesRegex(TypeError, r'such as Svc\("http://127.0.0.1:7777"\), and is '):
                    client(given)  # type: ignore[arg-type]

    def test_a_coroutine_gives_the_token_of_the_async_client(self) -> None:
        async def token() -> str:
            await asyncio.sleep(0)
            return "secret"

        server = self.serve(as_json({}))
        asyncio.run(AsyncSvc(server.url, token=token).system.health())
        self.assertEqual(server.heads[0]["authorization"], "Bearer secret")

    def test_decisions_about_a_step_are_for_the_calls_of_its_agent(self) -> None:
        run = {"step_requirements": [{"step_id": "a"}, {"requires_executor_input": True, "executor_requirements": [{}]}]}
        self.assertEqual(reject(run, "no")["step_requirements"], [
            {"step_id": "a"},
            {
                "requires_executor_input": True,
                "executor_requirements": [{"confirmation": False, "confirmation_note": "no"}],
            },
        ])

    def test_all_steps_that_wait_are_decided(self) -> None:
        def step(name: str, resolved: bool, **more: object) -> dict[str, object]:
            return {"id": name, "step_name": name, "step_index": [0, 1], "resolved": resolved, **more}

        form = {"user_input_schema": [{"name": "room"}]}
        call = {"tool_execution": {"asked": {"event": "paid"}, "external_execution_required": True}}
        event = {"requires_executor_input": True, "executor_requirements": [call]}
        run: dict[str, Any] = {
            "status": "PAUSED",
            "step_requirements": [
                step("late", False, **event),
                step("done", True, confirmed=False),
                step("a", False),
                step("late", False, **event),
                step("b", False, **form),
            ],
        }
        self.assertEqual([each["step_name"] for each in waiting_steps(run)], ["a", "b"])
        self.assertEqual(waiting_steps({**run, "status": "CANCELLED"}), [])
        for decide, expected in ((approve, True), (reject, False)):
            decided = decide(run)["step_requirements"]
            self.assertEqual(decided, [{"id": "a", "confirmed": expected}, {"id": "b", "confirmed": expected}])
        decided = answer(run, {"room": "1"})["step_requirements"]
        self.assertEqual([each.get("user_input") for each in decided], [None, {"room": "1"}])
        failed = {"id": "f", "step_id": "f", "step_name": "f", "error_message": "no", "retry_count": 1}
        self.assertEqual(reject({"error_requirements": [failed], **run})["error_requirements"], [
            {"id": "f", "step_id": "f", "error_message": "no", "retry_count": 1, "decision": "skip"},
        ])
        again = {**run, "step_requirements": [*run["step_requirements"], step("c", False, **form)]}
        with self.assertRaisesRegex(ValueError, r"Several steps ask for 'room': 'b' \(0/1\), 'c' \(0/1\)"):
            answer(again, {"room": "1"})
        nested = [step("q", False, **form) | {"id": f"1/#{item}/0/>/1/$0?0", "step_index": 1} for item in (1, 3)]
        with self.assertRaisesRegex(ValueError, r"'q' \(1/0/0/1\), 'q' \(1/2/0/1\)"):
            answer({"step_requirements": nested}, {"room": "1"})
        events = [
            call["external_execution_result"]
            for each in sent(run, "paid", 7)["step_requirements"]
            for call in each.get("executor_requirements", [])
        ]
        self.assertEqual(events, ["7", "7"])

    def test_answers_fill_fields_and_results_and_choices(self) -> None:
        external = {"requirements": [{"tool_execution": {"external_execution_required": True}}]}
        self.assertEqual(answer(external, result="done")["requirements"][0]["external_execution_result"], "done")
        router = {"step_requirements": [{"requires_route_selection": True}]}
        self.assertEqual(answer(router, choices=["a"])["step_requirements"][0]["selected_choices"], ["a"])

    def test_answers_that_the_run_does_not_ask_for_are_refused(self) -> None:
        call = {"tool_execution": {"user_input_schema": [{"name": "address"}]}}
        step = {"step_requirements": [{"requires_confirmation": True}]}
        of_calls = {"step_requirements": [{"requires_executor_input": True, "executor_requirements": [call]}]}
        for run, given, message in (
            ({"requirements": [call]}, {"values": {"adress": "x"}}, "no 'adress'. It asks for 'address'"),
            (step, {"values": {"phone": 1}}, "no 'phone'. It asks for no values"),
            (of_calls, {"values": {"room": 1}}, "no 'room'. It asks for 'address'"),
            ({"requirements": [call]}, {"result": 1}, "no result"),
            (step, {"choices": ["left"]}, "no choices"),
        ):
            with self.assertRaisesRegex(ValueError, f"The run asks for {message}"):
                answer(run, **given)
        self.assertEqual(len(answer(of_calls, {"address": "x"})["step_requirements"]), 1)

    def test_several_calls_that_ask_for_the_same_get_their_own_values_by_their_ids(self) -> None:
        def call(name: str, of: str, **more: object) -> dict[str, object]:
            return {"id": of, "tool_execution": {"tool_call_id": name, "tool_name": "book", **more}}

        form = {"user_input_schema": [{"name": "day", "value": None}]}
        run: dict[str, Any] = {"requirements": [call("1", "x", **form), call("2", "y", **form)]}
        with self.assertRaisesRegex(ValueError, r"Several calls ask for 'day': book \(1\), book \(2\)\. Give each"):
            answer(run, {"day": "monday"})
        decided = answer(run, {"1": {"day": "monday"}, "y": {"day": "friday"}})["requirements"]
        self.assertEqual([each["user_input_schema"][0]["value"] for each in decided], ["monday", "friday"])
        with self.assertRaisesRegex(ValueError, r"The call '1' takes no 'dya'. It takes an object with 'day'"):
            answer(run, {"1": {"dya": "monday"}})
        alike = {"requirements": [call("1", "x", **form), call("1", "y", **form)]}
        with self.assertRaisesRegex(ValueError, r"book \(x\), book \(y\)"):
            answer(alike, {"1": {"day": "monday"}})
        external = {"external_execution_required": True}
        calls = {"requirements": [call("1", "x", **external), call("2", "y", **external)]}
        with self.assertRaisesRegex(ValueError, "Several calls ask for a result"):
            answer(calls, result="done")
        results = answer(calls, {"1": "a", "2": "b"})["requirements"]
        self.assertEqual([each["external_execution_result"] for each in results], ["a", "b"])

    def test_what_is_given_to_one_call_is_neither_lost_nor_for_another(self) -> None:
        def call(name: str, *fields: str, **more: object) -> dict[str, object]:
            schema = {"user_input_schema": [{"name": field, "value": None} for field in fields]} if fields else {}
            return {
                "id": f"of {name}",
                "tool_execution": {"tool_call_id": name, "tool_name": "book", **schema, **more},
            }

        def external(name: str) -> dict[str, object]:
            return call(name, external_execution_required=True)

        def agent(*calls: object) -> dict[str, Any]:
            return {"requirements": list(calls)}

        def values(decided: Any) -> list[object]:
            return [
                each.get("external_execution_result") or [field["value"] for field in each["user_input_schema"]]
                for each in decided["requirements"]
            ]

        mixed = agent(call("1"), call("2", "a", "b"), external("3"), call("4", "a"))
        named = agent(call("day", "day"), call("2", "day"))
        collides = agent(external("day"), call("2", "day"))
        own = "is given its own. Leave out the other"
        for run, given, more, message in (
            (mixed, {"1": {}}, {}, "The call '1' takes no values. Leave it out, and the answer confirms it"),
            (mixed, {"of 1": True}, {}, "The call 'of 1' takes no values"),
            (mixed, {"2": None}, {}, "The call '2' takes an object with 'a', 'b', and was given None"),
            (mixed, {"2": {"a", "b"}}, {}, "The call '2' takes an object with 'a', 'b', and was given {"),
            (mixed, {"2": {"a": 1}, "of 2": {"b": 2}}, {}, "'2' and 'of 2' are the same call"),
            (mixed, {"3": "x", "of 3": None}, {}, "'3' and 'of 3' are the same call"),
            (mixed, {"2": {"a": 1}, "4": {"a": 1}, "a": 2}, {}, f"Each call that asks for 'a' {own}"),
            (mixed, {"3": None}, {"result": "x"}, f"Each call that asks for a result {own}"),
            (named, {"day": "monday"}, {}, "Several calls ask for 'day'"),
            (collides, {"day": "x"}, {}, "'day' is the id of a call, and the name of a field. Name the call 'of day'"),
        ):
            with self.subTest(message), self.assertRaises(ValueError) as raised:
                answer(run, given, **more)
            self.assertIn(message, str(raised.exception))
        both = agent(external("1"), external("2"))
        self.assertEqual(values(answer(both, {"1": None}, result="r")), ["null", "r"])
        self.assertEqual(values(answer(agent(external("1")), result=None)), ["null"])
        self.assertEqual(values(answer(named, {"day": {"day": "monday"}})), [["monday"], [None]])
        self.assertEqual(values(answer(agent(call("day", "day")), {"day": "monday"})), [["monday"]])
        self.assertEqual(values(answer(collides, {"day": "monday", "of day": "x"})), ["x", ["monday"]])
        step = {"resolved": False, "id": "p", "step_name": "plan", "user_input_schema": [{"name": "day"}]}
        calls = {"resolved": False, "id": "q", "step_name": "ask", "requires_executor_input": True}
        flow = {"step_requirements": [step, {**calls, "executor_requirements": [call("day", "day")]}]}
        decided = answer(flow, {"day": {"day": "monday"}})["step_requirements"]
        self.assertEqual(decided[0]["user_input"], {})

    def test_calls_that_are_decided_already_are_not_decided_again(self) -> None:
        requirements: list[dict[str, object]] = [
            {"id": "confirmed", "confirmation": True},
            {"id": "rejected", "confirmation": False},
            {"id": "done", "external_execution_result": "7"},
            {"id": "given", "user_input_schema": [{"name": "a", "value": 1}]},
            {"id": "approved", "approval_status": "approved"},
            {"id": "open", "tool_execution": {"external_execution_required": True}},
        ]
        run = {"status": "PAUSED", "requirements": requirements}
        for decided in (approve(run), reject(run), answer(run, result="8")):
            self.assertEqual([each["id"] for each in decided["requirements"]], ["open"])

    def test_a_paused_run_of_a_list_is_not_decided_in_silence(self) -> None:
        listed = {"run_id": "r", "status": "PAUSED", "tools": [{"requires_confirmation": True}]}
        for decide in (approve, reject, answer, lambda run: sent(run, "e")):
            with self.assertRaisesRegex(ValueError, "This paused run has no requirements"):
                decide(listed)

    def test_the_examples_of_the_documents_are_programs(self) -> None:
        folder = pathlib.Path(__file__).parents[1]
        for page in (folder / "README.md", folder.parents[1] / "docs" / "guides" / "client.md"):
            blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
            self.assertTrue(blocks)
            for block in blocks:
                compile(block, str(page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)

    def test_every_annotation_of_models_and_methods_has_a_type(self) -> None:
        for module in (models, resources):
            for name, each in vars(module).items():
                if isinstance(each, type) and each.__module__ == module.__name__:
                    typing.get_type_hints(each)
                    for method in vars(each).values():
                        if callable(method):
                            self.assertIn("return", typing.get_type_hints(method), f"{name}.{method}")


if __name__ == "__main__":
    unittest.main()
