// Requests to continue runs that are refused, and runs that failed or ended, and are continued in the same or in a new
// run.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, badRequest, column, failed, get, notFound, runWhole, serve, undecided } from "../Wire.ts"
import { asking, continueRun, type Fields, mailer, session, start, stored, tools } from "./Mailing.ts"

Tier.oneIn(10)

describe("a request to continue a run", () => {
  const served = Effect.gen(function*() {
    const { agent, sent } = yield* mailer(asking)
    const server = yield* serve({ agents: [agent] })
    yield* start(server)
    return { sent, server }
  })

  for (
    const [what, fields, detail] of [
      ["without a session", { tools: "[]" }, "session_id is required for this action"],
      ["whose tools are no JSON", { ...session, tools: "[" }, "Invalid JSON in tools field"],
      ["whose tools are no list", { ...session, tools: "{}" }, /^Invalid structure or content for tools: /],
      ["whose tools are no objects", { ...session, tools: "[1]" }, /^Invalid structure or content for tools: /],
      [
        "about a call that the run has not",
        tools({ tool_call_id: "x", confirmed: true }),
        "Invalid structure or content for tools: the run has no call 'x'"
      ],
      [
        "that says two things of one call",
        tools({ tool_call_id: "call_1", confirmed: true }, { tool_call_id: "call_1", confirmed: false }),
        "Invalid structure or content for tools: call 'call_1' is named twice"
      ],
      [
        "from nowhere",
        { ...session, continue_from: "start" },
        "Invalid continue_from. Use 'end', 'last_user', or a numeric message index."
      ],
      ["that regenerates and forks", { ...session, regenerate: "true", fork: "true" }, /cannot be used together/],
      ["that replaces what it does not regenerate", { ...session, replace_original: "true" }, /needs regenerate/],
      ["that says the same twice", { ...session, input: "a", additional_instructions: "b" }, /give one of them/],
      [
        "that regenerates from a number",
        { ...session, regenerate: "true", continue_from: "1" },
        /cannot be used with a numeric/
      ]
    ] as ReadonlyArray<readonly [string, Fields, string | RegExp]>
  ) {
    it.effect(`a continuation with ${what} is refused, and the run keeps waiting`, () =>
      Effect.gen(function*() {
        const { sent, server } = yield* served
        const isDecision = String(detail).includes("Invalid structure")
        const refused = isDecision ? undecided : badRequest
        refused(yield* continueRun(server, fields), detail)
        assert.deepInclude((yield* stored(server)).json, { status: "PAUSED" })
        assert.deepStrictEqual(sent, [])
      }))
  }

  it.effect("a run that does not exist is not found, whatever the caller", () =>
    Effect.gen(function*() {
      const { server } = yield* served
      notFound(yield* continueRun(server, session, undefined, "/agents/approver/runs/x/continue"), "Run not found")
      notFound(yield* continueRun(server, { session_id: "t" }), "Run not found")
      notFound(yield* continueRun(server, session, undefined, "/agents/unknown/runs/r/continue"), "Agent not found")
    }))

  it.effect("a run that is executing is not continued", () =>
    Effect.gen(function*() {
      const script = yield* Script.make([[Script.hang]])
      const agent = Agent.make({ id: "approver", model: script.model })
      const server = yield* serve({ agents: [agent] })
      yield* start(server, { background: "true" })
      failed(yield* continueRun(server, session), 409, "CONFLICT", "Cannot continue run r: run is already running")
    }))
})

describe("a run that has failed", () => {
  it.effect("a failed run resumes from its last finished step, with the input of the continuation", () =>
    Effect.gen(function*() {
      const { agent, script, sent } = yield* mailer(
        [[Script.toolCall("look", {}, "call_0")], [Script.fail("down")], [Script.text("Done.")]]
      )
      const server = yield* serve({ agents: [agent] })
      assert.deepInclude((yield* start(server)).json, { status: "ERROR" })
      const { json } = yield* continueRun(server, { ...session, input: "Try again." })
      assert.deepInclude(json, { run_id: "r", status: "COMPLETED", content: "Done." })
      assert.deepStrictEqual(sent, ["look"])
      assert.deepStrictEqual(column(at(json, "messages"), "role"), ["user", "assistant", "tool", "user", "assistant"])
      assert.strictEqual((yield* script.calls)[2]?.prompt.content.at(-1)?.role, "user")
    }))
})

describe("a run that has ended", () => {
  const served = Effect.gen(function*() {
    const script = yield* Script.make([[Script.text("One.")], [Script.text("Two.")], [Script.text("Three.")]])
    const agent = Agent.make({ id: "approver", model: script.model, addHistoryToContext: true })
    const server = yield* serve({ agents: [agent] })
    yield* start(server)
    return { script, server }
  })

  it.effect("an ended run is continued in a new one, and stays as it is", () =>
    Effect.gen(function*() {
      const { script, server } = yield* served
      const before = yield* stored(server)
      const { json } = yield* continueRun(server, { ...session, input: "And then?" })
      assert.deepInclude(json, {
        status: "COMPLETED",
        content: "Two.",
        forked_from_run_id: "r",
        forked_from_message_index: 2
      })
      assert.notStrictEqual(at(json, "run_id"), "r")
      assert.deepStrictEqual(column(at(json, "messages"), "content"), ["mail", "One.", "And then?", "Two."])
      assert.deepStrictEqual(
        (yield* script.calls)[1]?.prompt.content.map(({ role }) => role),
        ["user", "assistant", "user"]
      )
      assert.deepStrictEqual((yield* stored(server)).json, before.json)
    }))

  it.effect("a chain of continued runs is shown without repeats in the chat history and in the history of a run", () =>
    Effect.gen(function*() {
      const texts = Array.from({ length: 7 }, (_, n) => [Script.text(`Answer ${n}.`)])
      const script = yield* Script.make(texts)
      const agent = Agent.make({ id: "approver", model: script.model, addHistoryToContext: true, numHistoryRuns: 10 })
      const server = yield* serve({ agents: [agent] })
      yield* start(server)
      let run_id = "r"
      for (let n = 1; n <= 5; n++) {
        const path = `/agents/approver/runs/${run_id}/continue`
        const body = new URLSearchParams({ ...session, stream: "false", input: `Question ${n}` })
        const { json } = yield* ask(server, path, { method: "POST", body })
        run_id = String(at(json, "run_id"))
        assert.deepStrictEqual(
          column(at(json, "messages"), "from_history"),
          [...Array.from({ length: 2 * n }, () => true), false, false]
        )
      }
      const chat = at((yield* get(server, "/sessions/s")).json, "chat_history")
      const decided = [1, 2, 3, 4, 5].flatMap((n) => [`Question ${n}`, `Answer ${n}.`])
      assert.deepStrictEqual(column(chat, "content"), ["mail", "Answer 0.", ...decided])
      yield* runWhole(server, "approver", { message: "more", session_id: "s" })
      assert.deepStrictEqual(
        (yield* script.calls)[6]?.prompt.content.map(({ content }) => at(content, 0, "text")),
        ["mail", "Answer 0.", ...decided, "more"]
      )
    }))

  it.effect("a regenerated run can be read, and is not part of later histories", () =>
    Effect.gen(function*() {
      const { script, server } = yield* served
      const { json } = yield* continueRun(server, { ...session, regenerate: "true" })
      assert.deepInclude(json, { content: "Two.", regenerated_from: "r" })
      assert.deepStrictEqual(column(at(json, "messages"), "content"), ["mail", "Two."])
      assert.deepInclude((yield* stored(server)).json, { status: "REGENERATED", content: "One." })
      const { chat_history } = (yield* get(server, "/sessions/s")).json as { readonly chat_history: unknown }
      assert.deepStrictEqual(column(chat_history, "content"), ["mail", "Two."])
      yield* runWhole(server, "approver", { message: "more", session_id: "s" })
      const [, , third] = yield* script.calls
      assert.deepStrictEqual(
        third?.prompt.content.map(({ content }) => at(content, 0, "text")),
        ["mail", "Two.", "more"]
      )
    }))

  it.effect("an ended run is continued from one of its messages, or from the last one of its user", () =>
    Effect.gen(function*() {
      for (const continue_from of ["1", "last_user"]) {
        const { server } = yield* served
        const { json } = yield* continueRun(server, { ...session, continue_from })
        assert.deepStrictEqual(column(at(json, "messages"), "content"), ["mail", "Two."])
        assert.strictEqual(at(json, "forked_from_message_index"), 1)
      }
    }))
})
