"""The client against a service that packages/client/test/python/Python.test.ts starts."""

import asyncio
import json
import os
import tempfile
import time
import unittest
import urllib.request
from typing import Any

from svc_runtime import (
    AsyncSvc,
    Svc,
    SvcConnectionError,
    SvcError,
    SvcRunError,
    SvcWarning,
    answer,
    approve,
    reject,
    sent,
)

url = os.environ.get("SVC_URL", "")
proxy = os.environ.get("SVC_PROXY", "")
control = os.environ.get("SVC_CONTROL", "")


def cut(agent: str) -> None:
    """Cuts the connections of the proxy, and lets the agent continue."""
    urllib.request.urlopen(f"{control}/{agent}").read()


@unittest.skipUnless(url, "SVC_URL has no service")
class Blocking(unittest.TestCase):
    def setUp(self) -> None:
        self.svc = Svc(url)
        self.addCleanup(self.svc.close)

    def test_a_run_returns_its_answer(self) -> None:
        run = self.svc.agent("assistant").run("What?", session_id="python", metadata={"from": "shop"})
        self.assertEqual((run["status"], run.get("content")), ("COMPLETED", "Tea."))
        self.assertEqual(run.get("metadata"), {"from": "shop"})
        self.assertEqual(self.svc.agent("assistant").get(run)["run_id"], run["run_id"])

    def test_the_text_of_an_answer_is_read_as_it_is_written(self) -> None:
        self.assertEqual("".join(self.svc.agent("assistant").text("What?")), "Tea.")

    def test_a_stream_has_each_event_once_and_the_run(self) -> None:
        stream = self.svc.agent("assistant").stream("What?")
        names = [event["event"] for event in stream]
        self.assertEqual((names[0], names[-1]), ("RunStarted", "RunCompleted"))
        self.assertEqual(stream.result().get("content"), "Tea.")
        again = self.svc.agent("assistant").watch(stream.run or {}, after=0)  # type: ignore[arg-type]
        self.assertEqual([event["event"] for event in again], names[1:])

    def test_a_paused_run_continues_with_a_decision(self) -> None:
        clerk = self.svc.agent("clerk")
        paused = clerk.run("Refund 17")
        self.assertEqual(paused["status"], "PAUSED")
        self.assertEqual(clerk.continue_run(paused, approve(paused)).get("content"), "paid")
        refused = clerk.run("Refund 18")
        stream = clerk.continue_stream(refused, reject(refused, "too late"))
        self.assertIn("too late", str(stream.result().get("content")))

    def test_a_paused_run_continues_with_an_answer(self) -> None:
        shop = self.svc.agent("shop")
        paused = shop.run("Order")
        done = shop.continue_run(paused, answer(paused, {"address": "Main Street 1"}))
        self.assertEqual(done.get("content"), "sent to Main Street 1")

    def test_a_run_of_a_list_cannot_be_decided(self) -> None:
        clerk = self.svc.agent("clerk")
        paused = clerk.run("Refund 19")
        listed = clerk.list(paused["session_id"])[0]
        for decide in (lambda: approve(listed), lambda: sent(listed, "paid")):
            with self.assertRaisesRegex(ValueError, "no requirements, as one of a list or a history. Read it with get()"):
                decide()

    def test_an_event_is_for_the_step_that_waits_for_it(self) -> None:
        call = {"tool_execution": {"asked": {"event": "paid"}}}
        waiting = {"id": "1", "executor_requirements": [call]}
        asking = {"id": "2", "requires_user_input": True}
        decided = sent({"status": "PAUSED", "step_requirements": [waiting, asking]}, "paid", 5)["step_requirements"]
        self.assertEqual([each["id"] for each in decided], ["1"])
        self.assertEqual(decided[0]["executor_requirements"][0]["external_execution_result"], "5")

    def test_an_event_is_sent_to_a_run_by_its_name(self) -> None:
        waiter = self.svc.agent("waiter")
        paused = waiter.run("Invoice")
        with self.assertRaisesRegex(ValueError, "does not wait for the event 'payed'. It waits for 'paid'"):
            waiter.send(paused, "payed")
        self.assertEqual(waiter.send(paused, "paid", {"cents": 1200}).get("content"), '{"cents":1200}')
    def test_a_question_is_answered_with_values_of_each_kind(self) -> None:
        kinds: dict[str, Any] = {
            "nullable": None,
            "size": "L",
            "choice": "many",
            "either": 7,
            "list": ["a", "b"],
            "nested": {"at": {"x": 1}},
            "number": 1.5,
            "whole": 7,
            "date": "2026-01-02T03:04:05.000Z",
            "yes": False,
        }
        form = self.svc.agent("form")
        paused = form.run("Ask")
        done = form.continue_run(paused, answer(paused, kinds))
        self.assertEqual(json.loads(str(done.get("content"))), kinds)
        for name in ("form-function", "form-step"):
            flow = self.svc.workflow(name)
            asked = flow.run("Ask")
            ended = flow.continue_run(asked, answer(asked, kinds))
            self.assertEqual(json.loads(str(ended.get("content"))), kinds, name)

    def test_an_event_is_answered_with_its_result(self) -> None:
        flow = self.svc.workflow("event")
        paused = flow.run("Wait")
        done = flow.continue_run(paused, answer(paused, result={"cents": 12}))
        self.assertEqual(done.get("content"), '{"cents":12}')

    def test_a_continued_stream_is_of_the_outer_workflow(self) -> None:
        flow = self.svc.workflow("around")
        paused = flow.run("Go")
        done = flow.continue_stream(paused, approve(paused)).result()
        self.assertEqual((done["run_id"], done.get("content")), (paused["run_id"], "around inner"))

    def test_an_event_that_is_sent_twice_with_one_run_counts_once(self) -> None:
        flow = self.svc.workflow("twice")
        paused = flow.run("Go")
        again = flow.send(paused, "paid", "first")
        with self.assertRaisesRegex(SvcError, "does not wait for requirement"):
            flow.send(paused, "paid", "first")
        self.assertEqual(flow.send(again, "paid", "second").get("content"), "first second")

    def test_a_router_is_answered_with_choices(self) -> None:
        flow = self.svc.workflow("routed")
        paused = flow.run("Choose")
        self.assertEqual(flow.continue_run(paused, answer(paused, choices=["left"])).get("content"), "left")

    def test_a_workflow_continues_with_a_decision(self) -> None:
        brief = self.svc.workflow("brief")
        paused = brief.run("tea")
        self.assertEqual(paused["status"], "PAUSED")
        self.assertEqual(brief.continue_run(paused, approve(paused)).get("content"), "Out.")

    def test_a_message_that_is_edited_or_answered_again_is_a_branch_of_its_session(self) -> None:
        agent = self.svc.agent("assistant")
        first = agent.run("one", session_id="branches")
        edited = agent.edit(first, "other")
        again = agent.regenerate(edited)
        self.assertEqual([run["run_id"] for run in agent.history("branches")], [again["run_id"]])
        self.assertEqual(len(agent.list("branches")), 3)
        for run in (*agent.list("branches"), *agent.history("branches")):
            self.assertEqual(agent.get(run)["run_id"], run["run_id"])

    def test_text_of_a_run_that_pauses_or_fails_raises_the_reason(self) -> None:
        for agent, status in (("clerk", "PAUSED"), ("failing", "ERROR")):
            with self.assertRaises(SvcRunError) as raised:
                list(self.svc.agent(agent).text("Refund 17"))
            self.assertEqual(raised.exception.status, status)
            self.assertIn("run_id", raised.exception.run)

    def test_a_stream_that_is_cut_reads_on_after_the_last_event(self) -> None:
        stream = Svc(proxy).agent("slow").stream("count", session_id="slow")
        content: list[Any] = []
        names: list[str] = []
        for event in stream:
            names.append(event["event"])
            if event["event"] == "RunContent":
                content.append(event.get("content"))
                if len(content) == 1:
                    cut("slow")
        self.assertEqual(content, ["one ", "two"])
        self.assertEqual((names.count("RunStarted"), names[-1]), (1, "RunCompleted"))

    def test_errors_have_code_message_and_request_id(self) -> None:
        with self.assertRaises(SvcError) as raised:
            self.svc.agent("unknown").run("What?")
        self.assertEqual((raised.exception.status, raised.exception.code), (404, "NOT_FOUND"))
        self.assertIn("not found", raised.exception.message)
        self.assertTrue(raised.exception.request_id)
        with self.assertRaises(SvcError) as invalid:
            self.svc.sessions.rename("s")  # type: ignore[call-arg]
        self.assertEqual([each["loc"] for each in invalid.exception.problems], [["body", "session_name"]])

    def test_a_field_that_the_service_does_not_know_is_a_warning(self) -> None:
        with self.assertWarnsRegex(SvcWarning, "sesion_id") as warned:
            self.svc.agent("assistant").run("What?", sesion_id="s")  # type: ignore[call-arg]
        self.assertEqual(str(warned.warning), "The field 'sesion_id' is unknown. Is 'session_id' meant?")

    def test_an_id_that_would_change_the_path_is_refused(self) -> None:
        for id in ("", ".", ".."):
            with self.assertRaises(ValueError):
                self.svc.sessions.get(id)

    def test_resources_are_read_page_by_page(self) -> None:
        for name in ("a", "b", "c"):
            self.svc.sessions.create(session_name=name, user_id="pages")
        names = [each["session_name"] for each in self.svc.all(self.svc.sessions.list, user_id="pages", limit=2)]
        self.assertEqual(sorted(names), ["a", "b", "c"])

    def test_files_are_sent_with_the_other_fields(self) -> None:
        with tempfile.NamedTemporaryFile(suffix=".csv") as file:
            file.write(b"a,b")
            file.flush()
            run = self.svc.agent("assistant").run("What?", files=[("notes.txt", b"tea"), file.name], metadata={"a": 1})
        names = [each.get("filename") for each in run["input"]["files"]]
        self.assertEqual(names, ["notes.txt", os.path.basename(file.name)])
        self.assertEqual(run.get("metadata"), {"a": 1})

    def test_a_stream_of_a_wrong_address_fails_like_a_run(self) -> None:
        away = Svc("http://127.0.0.1:1").agent("a")
        began = time.monotonic()
        sentences = []
        for work in (lambda: away.run("hi"), lambda: away.stream("hi").result(), lambda: list(away.text("hi"))):
            with self.assertRaises(SvcConnectionError) as raised:
                work()
            sentences.append(str(raised.exception))
        self.assertEqual(len(set(sentences)), 1)
        self.assertTrue(sentences[0].startswith("No response from http://127.0.0.1:1/agents/a/runs: "))
        self.assertLess(time.monotonic() - began, 30)


@unittest.skipUnless(url, "SVC_URL has no service")
class Async(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.svc = AsyncSvc(url)
        self.addAsyncCleanup(self.svc.close)

    async def test_runs_at_once_return_their_answers(self) -> None:
        runs = await asyncio.gather(*(self.svc.agent("assistant").run("What?") for _ in range(5)))
        self.assertEqual([run.get("content") for run in runs], ["Tea."] * 5)

    async def test_the_text_of_an_answer_is_read_as_it_is_written(self) -> None:
        self.assertEqual("".join([text async for text in self.svc.agent("assistant").text("What?")]), "Tea.")

    async def test_a_paused_run_continues_with_a_decision(self) -> None:
        clerk = self.svc.agent("clerk")
        paused = await clerk.run("Refund 17")
        stream = clerk.continue_stream(paused, approve(paused))
        self.assertEqual([event["event"] async for event in stream][-1], "RunCompleted")
        self.assertEqual((await stream.result()).get("content"), "paid")

    async def test_a_stream_that_is_cut_reads_on_after_the_last_event(self) -> None:
        stream = AsyncSvc(proxy).agent("slow-async").stream("count", session_id="slow-async")
        content: list[Any] = []
        async for event in stream:
            if event["event"] == "RunContent":
                content.append(event.get("content"))
                if len(content) == 1:
                    await asyncio.to_thread(cut, "slow-async")
        self.assertEqual(content, ["one ", "two"])

    async def test_a_stream_that_is_cancelled_leaves_the_run_and_the_client_as_they_are(self) -> None:
        stream = self.svc.agent("hanging").stream("wait")
        waits = asyncio.Event()

        async def read() -> None:
            async for event in stream:
                if event["event"] == "RunContent":
                    waits.set()

        task = asyncio.create_task(read())
        await waits.wait()
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        assert stream.run is not None
        self.assertEqual((await self.svc.agent("hanging").get(stream.run))["status"], "RUNNING")
        await self.svc.agent("hanging").cancel(stream.run)

    async def test_errors_and_resources_are_those_of_the_other_client(self) -> None:
        with self.assertRaises(SvcError) as raised:
            await self.svc.agent("unknown").run("What?")
        self.assertEqual(raised.exception.code, "NOT_FOUND")
        with self.assertRaises(SvcConnectionError):
            await AsyncSvc("http://127.0.0.1:1").agent("a").stream("hi").result()
        await self.svc.sessions.create(session_name="d", user_id="async")
        found = self.svc.all(self.svc.sessions.list, user_id="async")
        self.assertEqual([each["session_name"] async for each in found], ["d"])


if __name__ == "__main__":
    unittest.main()
