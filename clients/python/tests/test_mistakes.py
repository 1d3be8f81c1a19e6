"""Mistakes of callers: each is one sentence that says what to write, before a request is sent."""

import asyncio
import copy
import socket
import ssl
import threading
import unittest
from typing import Any, Callable

import svc_runtime
from svc_runtime import AsyncSvc, Svc, SvcConnectionError, answer, approve, reject, sent

svc: Any = Svc("http://127.0.0.1:1", retries=0)
agent: Any = svc.agent("a")
run: Any = {"run_id": "r", "session_id": "s"}

no_run = "This is no run, but the text 'r'. Give what run() returned, or its ids"
decisions = (
    "A run is continued with decisions, as approve(run), reject(run) and answer(run, values) give them, and was given"
)

mistakes: list[tuple[Callable[[], Any], str]] = [
    (
        lambda: agent.generate,
        "Conversing has no method 'generate'. Write run(message), or stream(message) for its events",
    ),
    (
        lambda: svc.workflow("w").streamText,
        "Component has no method 'streamText'. Write run(message), or stream(message) for its events",
    ),
    (
        lambda: agent.continue_,
        "Conversing has no method 'continue_'. Write continue_run(run, approve(run)), or "
        "continue_run(run, answer(run, values))",
    ),
    (
        lambda: agent.confirm,
        "Conversing has no method 'confirm'. Write continue_run(run, approve(run)), with approve of svc_runtime",
    ),
    (lambda: agent.stop, "Conversing has no method 'stop'. Write cancel(run)"),
    (lambda: agent.colour, "Conversing has no method 'colour'"),
    (
        lambda: AsyncSvc("http://127.0.0.1:1").chat,  # type: ignore[attr-defined]
        "AsyncSvc has no attribute 'chat'. Write svc.agent(id).run(message). A client of OpenAI can call the service "
        'too, at base_url + "/v1"',
    ),
    (lambda: svc.threads, "Svc has no attribute 'threads'. Write svc.sessions: they have the runs of a conversation"),
    (lambda: exec("from svc_runtime import confirm"), "svc_runtime has no 'confirm'. Did you mean 'approve'?"),
    (lambda: Svc(baseUrl="http://x"), "Svc: there is no option 'baseUrl'. Did you mean 'base_url'?"),  # type: ignore
    (lambda: Svc(api_key="x"), "Svc: there is no option 'api_key'. Did you mean 'token'?"),  # type: ignore
    (
        lambda: AsyncSvc(colour="x"),  # type: ignore
        "AsyncSvc: there is no option 'colour'. Its options are base_url, token, headers, retries, timeout, tls",
    ),
    (lambda: agent.cancel("r"), no_run),
    (lambda: agent.get("r"), no_run),
    (lambda: agent.watch("r"), no_run),
    (lambda: agent.edit("r", "Hi"), no_run),
    (lambda: agent.send("r", "paid"), no_run),
    (lambda: agent.checkpoints(None), "This is no run, but None. Give what run() returned, or its ids"),
    (
        lambda: agent.cancel({"run_id": "r"}),
        "This is no run: it has no session_id. Give what run() returned, or its ids",
    ),
    (
        lambda: agent.cancel(AsyncSvc("http://127.0.0.1:1").agent("a").run("Hi")),
        "This run is not awaited. Write await before it",
    ),
    (lambda: agent.continue_run(run, "approve"), f"{decisions} 'approve'"),
    (lambda: agent.continue_run(run, None), f"{decisions} None"),
    (lambda: agent.continue_stream(run, run).result(), f"{decisions} the run"),
    (
        lambda: agent.run([{"role": "user", "content": "Hi"}]),
        "A run takes one message, and was given a list. Give it the text of the last one: the session has those before "
        "it",
    ),
    (lambda: agent.run(None), "A run takes a text, or a dict of the fields of its input, and was given None"),
    (lambda: approve("r"), "A decision is about a run, not its id. Read it with get(run)"),  # type: ignore[arg-type]
    (lambda: reject(None), "A decision is about a run, not its id. Read it with get(run)"),  # type: ignore[arg-type]
    (
        lambda: answer({"requirements": []}, "yes"),  # type: ignore[arg-type]
        "answer(run, values) takes values by the names of their fields: {\"name\": 'yes'}",
    ),
    (
        lambda: answer({"requirements": [{}]}, False),  # type: ignore[arg-type]
        "answer(run, values) takes values by the names of their fields, and was given False. Write reject(run)",
    ),
    (
        lambda: answer({"step_requirements": [{"resolved": False}]}, True),  # type: ignore[arg-type]
        "answer(run, values) takes values by the names of their fields, and was given True. Write approve(run)",
    ),
    (
        lambda: answer({"error_requirements": [{}]}, []),  # type: ignore[arg-type]
        'answer(run, values) takes values by the names of their fields: {"name": []}',
    ),
    (
        lambda: answer({"requirements": [{}]}, choices="pay"),  # type: ignore[arg-type]
        "The choices of answer(run, choices=names) are a list of names",
    ),
    (
        lambda: sent({"requirements": []}, None),  # type: ignore[arg-type]
        "sent(run, event, value) takes the name of an event, and was given None",
    ),
    (
        lambda: sent({"requirements": [{"tool_execution": {"asked": {"event": "paid"}}}]}, "paid", float("nan")),
        "Out of range float values are not JSON compliant",
    ),
    (
        lambda: answer({"requirements": [{"tool_execution": {"asked": {"event": "paid"}}}]}, {"cents": 5}),
        "The run asks for no 'cents'. It waits for the event 'paid', as send(run, event, value) sends it",
    ),
    (
        lambda: answer(
            {
                "requirements": [
                    {
                        "tool_execution": {
                            "external_execution_required": True,
                            "wake_at": 1767229200,
                            "user_input_schema": [{"name": "b", "value": "2"}],
                        }
                    }
                ]
            },
            {"b": "3"},
        ),
        "The run asks for no 'b'. It waits for a time, and continues by itself at 2026-01-01T01:00:00Z",
    ),
]


class Mistakes(unittest.TestCase):
    def test_a_mistake_says_what_to_write(self) -> None:
        for call, sentence in mistakes:
            errors = (AttributeError, ImportError, TypeError, ValueError)
            with self.subTest(sentence), self.assertRaises(errors) as raised:
                call()
            self.assertEqual(str(raised.exception), sentence)

    def test_names_that_nothing_has_are_missing_as_in_other_packages(self) -> None:
        self.assertFalse(hasattr(svc_runtime, "colour"))
        self.assertFalse(hasattr(agent, "colour"))
        self.assertIsInstance(copy.copy(agent), svc_runtime.Conversing)

    def test_a_message_can_be_named(self) -> None:
        for call in (agent.run, agent.start, lambda message: next(iter(agent.text(message=message)))):
            with self.assertRaises(SvcConnectionError):
                call(message="Hi")

    def test_the_other_scheme_of_an_address_is_named(self) -> None:
        def responding(data: bytes) -> int:
            """Sends the bytes, and closes the connection."""
            server = socket.create_server(("127.0.0.1", 0))
            self.addCleanup(server.close)

            def respond() -> None:
                while True:
                    try:
                        connection, _ = server.accept()
                    except OSError:
                        return
                    with connection:
                        connection.recv(10_000)
                        connection.sendall(data)

            threading.Thread(target=respond, daemon=True).start()
            return int(server.getsockname()[1])

        plain = responding(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
        # an alert of TLS
        secure = responding(b"\x15\x03\x01\x00\x02\x02\x46")
        tls = ssl.create_default_context()
        for url, hint in (
            (
                f"https://127.0.0.1:{plain}",
                "What responds there does not speak https. If it is the service, begin base_url with http://",
            ),
            (f"http://127.0.0.1:{secure}", "If the service speaks https, begin base_url with https://"),
        ):
            with self.subTest(url), self.assertRaises(SvcConnectionError) as raised:
                Svc(url, retries=0, tls=tls).agents.list()
            self.assertTrue(raised.exception.message.endswith(hint), raised.exception.message)
            with self.subTest(url), self.assertRaises(SvcConnectionError) as raised:
                asyncio.run(AsyncSvc(url, retries=0, tls=tls).agents.list())
            self.assertTrue(raised.exception.message.endswith(hint), raised.exception.message)
