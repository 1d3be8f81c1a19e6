// A run waits for two calls, and the approval of one is resolved elsewhere. Clients were shown both calls, and have to
// answer both: the same decision counts, and another one is refused with what is still open.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import type * as Json from "@svc-runtime/domain/Json"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Answer from "@svc-runtime/protocols/pause/Answer"
import * as Decisions from "@svc-runtime/protocols/pause/Decisions"
import type { Question } from "@svc-runtime/protocols/pause/Question"
import * as Questions from "@svc-runtime/protocols/pause/Questions"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai"
import { Effect, Result, Schema } from "effect"
import { ask, at, get, list, post, serve } from "../Wire.ts"
import { framesOf } from "./PausedWires.ts"

Tier.oneIn(6)

const together = (args: object) => [[Script.toolCall("buy", args, "buy_1"), Script.toolCall("send", {}, "send_1")]]

/** Asks for the second call when the first one is made. */
const apart = (args: object) => [[Script.toolCall("buy", args, "buy_1")], [Script.toolCall("send", {}, "send_1")]]

/** Calls `buy`, which needs an approval, and `send`, which needs a confirmation. */
const serving = Effect.fnUntraced(function*(options: object = {}, args: object = {}, turns = together) {
  const done: Array<string> = []
  const parameters = Schema.Struct({
    item: Schema.optionalKey(Schema.String),
    count: Schema.optionalKey(Schema.Finite)
  })
  const tool = (name: string, more: object) =>
    Tool.make({
      name,
      parameters,
      ...more,
      execute: ({ item }) => (done.push([name, item].join(" ").trim()), `did ${name}`)
    })
  const { model } = yield* Script.make([...turns(args), [Script.text("Done.")], [Script.text("Something else.")]])
  const tools = [tool("buy", { approval: "required", ...options }), tool("send", { requiresConfirmation: true })]
  const agent = Agent.make({ id: "a", model, tools })
  const workflows = [Workflow.make({ id: "w", steps: [Step.make({ name: "step", agent })] })]
  return { done, server: yield* serve({ agents: [agent], workflows }) }
})

type Server = TestServer.TestServer
type Answer = Effect.Effect<{ readonly status: number; readonly text: string }, unknown>

interface Door {
  /** Of the calls, by what the client was shown. */
  readonly answer: (payloads: ReadonlyArray<object | undefined>) => Answer
}

/** The ids of `buy` and `send` in the order in which they are shown, with their payloads. */
const each = <A>(
  ids: ReadonlyArray<unknown>,
  payloads: ReadonlyArray<object | undefined>,
  make: (id: unknown, payload: object) => A
) => payloads.flatMap((payload, index) => payload === undefined ? [] : [make(ids[index], payload)])

/** The results of external calls are sent as they are. */
const contentOf = (payload: object): string => "result" in payload ? String(payload.result) : JSON.stringify(payload)

const http = Effect.fnUntraced(function*(server: Server, path: string) {
  const form = (fields: Readonly<Record<string, string>>) => ({
    method: "POST",
    body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
  })
  const { json } = yield* ask(server, `/${path}/runs`, form({ message: "go", run_id: "r" }))
  const questions = Questions.of(json as Questions.Waiting)
  const door: Door = {
    answer: (payloads) => {
      const answers = each(
        questions,
        payloads,
        (question, payload) =>
          [
            (question as Question).id,
            Result.getOrThrow(Answer.fromJson(question as Question, payload as Json.Value))
          ] as const
      )
      const decisions = Result.getOrThrow(Decisions.of(questions, new Map(answers)))
      const fields = Object.entries(decisions).map(([name, value]) => [name, JSON.stringify(value)])
      return ask(server, `/${path}/runs/r/continue`, form(Object.fromEntries(fields)))
    }
  }
  return door
})

const completions = Effect.fnUntraced(function*(server: Server, path: string) {
  const body = { model: path, messages: [{ role: "user", content: "go" }], conversation: "s", user: "ann" }
  const { json } = yield* post(server, "/v1/chat/completions", body)
  const message = at(json, "choices", 0, "message")
  const ids = list(message, "tool_calls").map((call) => at(call, "id"))
  const door: Door = {
    answer: (payloads) => {
      const results = each(ids, payloads, (tool_call_id, payload) => ({
        role: "tool",
        tool_call_id,
        content: contentOf(payload)
      }))
      return post(server, "/v1/chat/completions", { ...body, messages: [...body.messages, message, ...results] })
    }
  }
  return door
})

const responses = Effect.fnUntraced(function*(server: Server, path: string) {
  const { json } = yield* post(server, "/v1/responses", { model: path, input: "go", user: "ann" })
  const ids = list(json, "output").flatMap((item) => at(item, "type") === "function_call" ? [at(item, "call_id")] : [])
  const door: Door = {
    answer: (payloads) =>
      post(server, "/v1/responses", {
        model: path,
        previous_response_id: at(json, "id"),
        user: "ann",
        input: each(ids, payloads, (call_id, payload) => ({
          type: "function_call_output",
          call_id,
          output: contentOf(payload)
        }))
      })
  }
  return door
})

const a2a = Effect.fnUntraced(function*(server: Server, path: string) {
  const send = (message: object) =>
    ask(server, `/a2a/${path}/message:send`, {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0" },
      body: JSON.stringify({ message: { role: "ROLE_USER", ...message } })
    })
  const { json } = yield* send({ messageId: "m1", parts: [{ text: "go" }] })
  const ids = list(json, "task", "status", "message", "parts").flatMap((part) => at(part, "data", "id") ?? [])
  const door: Door = {
    answer: (payloads) =>
      send({
        messageId: "m2",
        taskId: at(json, "task", "id"),
        parts: each(ids, payloads, (id, payload) => ({ data: { id, ...payload } }))
      })
  }
  return door
})

const agui = Effect.fnUntraced(function*(server: Server, path: string) {
  const send = (runId: string, more: object) =>
    post(server, `/${path}/agui`, { threadId: "s", runId, protocolVersion: "1.0", messages: [], ...more })
  const { text } = yield* send("r1", { messages: [{ id: "m", role: "user", content: "go" }] })
  const ids = list(framesOf(text).at(-1), "outcome", "interrupts").map((interrupt) => at(interrupt, "id"))
  const door: Door = {
    answer: (payloads) =>
      send("r2", {
        resume: each(ids, payloads, (interruptId, payload) => ({ interruptId, status: "resolved", payload }))
      })
  }
  return door
})

const user = { id: "m", role: "user", parts: [{ type: "text", text: "go" }] }

const chat = Effect.fnUntraced(function*(server: Server, path: string) {
  const send = (...messages: ReadonlyArray<object>) => post(server, `/${path}/chat`, { id: "s", messages })
  const frames = framesOf((yield* send(user)).text)
  const calls = frames.filter((chunk) => at(chunk, "type") === "tool-input-available")
  const door: Door = {
    answer: (payloads) =>
      send(user, {
        id: at(frames[0], "messageId"),
        role: "assistant",
        parts: each(calls, payloads, (call, payload) => ({
          type: "dynamic-tool",
          toolCallId: at(call, "toolCallId"),
          ...(Object.keys(payload).join() === "accepted"
            ? {
              state: "approval-responded",
              approval: { id: at(call, "toolMetadata", "requirementId"), approved: at(payload, "accepted") }
            }
            : { state: "output-available", output: payload })
        }))
      })
  }
  return door
})

const doors = [
  ["HTTP", http],
  ["chat completions", completions],
  ["responses", responses],
  ["A2A", a2a],
  ["AG-UI", agui],
  ["useChat", chat]
] as const

const resolve = Effect.fnUntraced(function*(server: Server, status: string, resolution_data: object | null = null) {
  const [approval] = list((yield* get(server, "/approvals?status=pending")).json, "data")
  const path = `/approvals/${encodeURIComponent(String(at(approval, "id")))}/resolve`
  assert.strictEqual((yield* post(server, path, { status, resolution_data })).status, 200)
})

const yes = { accepted: true }
const no = { accepted: false }

describe.each(doors)("a run of which one approval is resolved elsewhere, over %s", (_, door) => {
  it.effect.each(["agents/a", "workflows/w"])(
    "the answers to all calls that were shown count if they agree: %s",
    (path) =>
      Effect.gen(function*() {
        for (const [status, own, done] of [["approved", yes, ["buy", "send"]], ["rejected", no, ["send"]]] as const) {
          const service = yield* serving()
          const { answer } = yield* door(service.server, path)
          yield* resolve(service.server, status)
          const { status: code, text } = yield* answer([own, yes])
          assert.strictEqual(code, 200, text)
          assert.deepStrictEqual(service.done.toSorted(), [...done], text)
        }
      })
  )

  it.effect("another decision is refused with what is still open, and the rest can be answered then", () =>
    Effect.gen(function*() {
      for (const [status, own, done] of [["approved", no, ["buy", "send"]], ["rejected", yes, ["send"]]] as const) {
        const service = yield* serving()
        const { answer } = yield* door(service.server, "agents/a")
        yield* resolve(service.server, status)
        const { text } = yield* answer([own, yes])
        assert.match(text, new RegExp(`The approval of buy has been ${status} by now.*each other call: send`))
        assert.deepStrictEqual(service.done, [])
        yield* answer([undefined, yes])
        assert.deepStrictEqual(service.done.toSorted(), [...done])
      }
    }))
})

const approvals = [
  {
    kind: "values",
    options: { requiresUserInput: ["item"] },
    args: {},
    data: { values: { item: "tea" } },
    same: { values: { item: "tea" } },
    other: { values: { item: "milk" } },
    done: ["buy tea", "send"]
  },
  {
    kind: "several values",
    options: { requiresUserInput: ["item", "count"] },
    args: {},
    data: { values: { item: "tea", count: 3 } },
    same: { values: { count: 3, item: "tea" } },
    // a field that the person has left empty
    other: { values: { item: "tea" } },
    done: ["buy tea", "send"]
  },
  {
    kind: "a result",
    options: { externalExecution: true },
    args: {},
    data: { result: "bought tea" },
    same: { result: "bought tea" },
    other: { result: "bought milk" },
    done: ["send"]
  },
  {
    kind: "edited arguments",
    options: {},
    args: { item: "milk" },
    data: { tool_args: { item: "tea" } },
    same: { accepted: true, editedArgs: { item: "tea" } },
    // as the model has asked for it
    other: { accepted: true, editedArgs: { item: "milk" } },
    done: ["buy tea", "send"]
  }
] as const

describe.each(doors)("an approval that is more than yes, over %s", (_, door) => {
  it.effect.each(approvals)(
    "$kind that are the same count, and others are refused",
    ({ args, data, done, options, other, same }) =>
      Effect.gen(function*() {
        for (const path of ["agents/a", "workflows/w"]) {
          const service = yield* serving(options, args)
          const { answer } = yield* door(service.server, path)
          yield* resolve(service.server, "approved", data)
          const refused = yield* answer([other, yes])
          assert.match(refused.text, /The approval of buy has been approved by now.*each other call: send/)
          assert.deepStrictEqual(service.done, [])
          const { status, text } = yield* answer([same, yes])
          assert.strictEqual(status, 200, text)
          assert.deepStrictEqual(service.done.toSorted(), [...done], text)
        }
      })
  )
})

// over HTTP, the test makes the decisions itself
describe.each(doors.slice(1))("a form whose approval is resolved, over %s", (_, door) => {
  it.effect("a plain yes counts, and the refusal of what is no answer to it asks for nothing", () =>
    Effect.gen(function*() {
      const service = yield* serving({ requiresUserInput: ["item", "count"] })
      const { answer } = yield* door(service.server, "agents/a")
      yield* resolve(service.server, "approved", { values: { item: "tea", count: 3 } })
      for (const other of [{ values: { count: "many" } }, { values: { item: 5, count: 3 } }]) {
        const refused = yield* answer([other, yes])
        assert.match(refused.text, /The approval of buy has been approved by now/)
        assert.notMatch(refused.text, /needs a? ?value/)
        assert.deepStrictEqual(service.done, [])
      }
      const { status, text } = yield* answer([yes, yes])
      assert.strictEqual(status, 200, text)
      assert.deepStrictEqual(service.done.toSorted(), ["buy tea", "send"])
    }))
})

it.effect("decisions of any form are refused beside the resolved approval of a form with what is still open", () =>
  Effect.gen(function*() {
    const { done, server } = yield* serving({ requiresUserInput: ["item", "count"] })
    const form = (fields: Readonly<Record<string, string>>) => ({
      method: "POST",
      body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
    })
    const { json } = yield* ask(server, "/agents/a/runs", form({ message: "go", run_id: "r" }))
    yield* resolve(server, "approved", { values: { item: "tea", count: 3 } })
    const [buy, send] = list(json, "requirements").map((each) => ({ id: at(each, "id"), confirmed: true }))
    const value = (name: string, value: unknown) => ({ user_input_schema: [{ name, value }] })
    for (
      const other of [
        { confirmation_note: "Quick" },
        value("count", "many"),
        value("count", 4),
        value("size", 1),
        { external_execution_result: "done" }
      ]
    ) {
      const requirements = JSON.stringify([{ ...buy, ...other }, send])
      const { status, text } = yield* ask(server, "/agents/a/runs/r/continue", form({ requirements }))
      assert.strictEqual(status, 409, text)
      assert.match(text, /The approval of buy has been approved by now, .* each other call: send/)
      assert.deepStrictEqual(done, [])
    }
  }))

it.effect("arguments and notes without a decision are refused beside a resolved approval", () =>
  Effect.gen(function*() {
    const { done, server } = yield* serving({}, { item: "milk" })
    const form = (fields: Readonly<Record<string, string>>) => ({
      method: "POST",
      body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
    })
    const { json } = yield* ask(server, "/agents/a/runs", form({ message: "go", run_id: "r" }))
    yield* resolve(server, "approved")
    const [buy, send] = list(json, "requirements")
    const decided = { id: at(send, "id"), confirmation: true }
    for (const lost of [{ tool_args: { item: "tea" } }, { confirmation_note: "Not for me." }]) {
      const tool_execution = { tool_call_id: at(buy, "tool_execution", "tool_call_id"), ...lost }
      const requirements = JSON.stringify([{ id: at(buy, "id"), tool_execution }, decided])
      const { status, text } = yield* ask(server, "/agents/a/runs/r/continue", form({ requirements }))
      assert.strictEqual(status, 409, text)
      assert.deepStrictEqual(done, [])
    }
    const requirements = JSON.stringify([buy, { id: at(send, "id"), confirmation: true }])
    const { status, text } = yield* ask(server, "/agents/a/runs/r/continue", form({ requirements }))
    assert.strictEqual(status, 200, text)
    assert.deepStrictEqual(done.toSorted(), ["buy milk", "send"])
  }))

/** Its approval is resolved, and the run waits for `send`. */
const askingElse = Effect.fnUntraced(function*(service: Effect.Success<ReturnType<typeof serving>>) {
  const [approval] = list((yield* get(service.server, "/approvals")).json, "data")
  yield* resolve(service.server, "approved")
  yield* Effect.repeat(get(service.server, `/sessions/${String(at(approval, "session_id"))}/runs`), {
    until: ({ text }) => text.includes("send_1") && text.includes("PAUSED"),
    times: 1000
  })
})

describe.each(doors)("a run that asks for something else by then, over %s", (_, door) => {
  it.effect.each(["agents/a", "workflows/w"])("the refusal says what is open: %s", (path) =>
    Effect.gen(function*() {
      const service = yield* serving({}, {}, apart)
      const { answer } = yield* door(service.server, path)
      yield* askingElse(service)
      const { text } = yield* answer([yes])
      assert.match(text, /decide on the open one|open: send as '|answer to '[^']+'. send needs|send \(send_1\) needs/)
      assert.deepStrictEqual(service.done, ["buy"])
    }))
})

it.effect("a call that the refusal of the API of OpenAI names can be answered", () =>
  Effect.gen(function*() {
    const service = yield* serving({}, {}, apart)
    const { answer } = yield* responses(service.server, "agents/a")
    yield* askingElse(service)
    const [, call_id] = /open: send as '(\w+)'/.exec((yield* answer([yes])).text) ?? []
    const { status, text } = yield* post(service.server, "/v1/responses", {
      model: "agents/a",
      user: "ann",
      input: [{ type: "function_call_output", call_id, output: JSON.stringify(yes) }]
    })
    assert.strictEqual(status, 200, text)
    assert.deepStrictEqual(service.done, ["buy", "send"])
  }))

/** What the official client makes of the message that it shows. */
const shownAfter = (message: UIMessage, frames: ReadonlyArray<unknown>) =>
  Effect.promise(async () => {
    const stream = new ReadableStream<UIMessageChunk>({
      start: (controller) => {
        for (const frame of frames) controller.enqueue(frame as UIMessageChunk)
        controller.close()
      }
    })
    const errors: Array<string> = []
    const onError = (error: unknown) => void errors.push(String(error))
    let shown = message
    for await (const each of readUIMessageStream({ message: structuredClone(message), stream, onError })) shown = each
    return { errors, parts: shown.parts.flatMap((part) => part.type === "dynamic-tool" ? [part] : []) }
  })

describe("a page of a chat whose answer is refused", () => {
  it.effect.each(approvals)(
    "$kind: the call is shown without its answer, and the page can answer again",
    ({ args, data, done, options, other, same }) =>
      Effect.gen(function*() {
        const service = yield* serving(options, args)
        const send = (message: object) => post(service.server, "/agents/a/chat", { id: "s", messages: [user, message] })
        const begun = framesOf((yield* post(service.server, "/agents/a/chat", { id: "s", messages: [user] })).text)
        yield* resolve(service.server, "approved", data)
        const { parts } = yield* shownAfter(
          { id: String(at(begun[0], "messageId")), role: "assistant", parts: [] },
          begun
        )
        const [buy, sending] = parts
        const answered = {
          ...sending,
          state: "approval-responded",
          approval: { id: at(sending, "approval", "id"), approved: true }
        }
        const message = (part: object) =>
          ({ id: at(begun[0], "messageId"), role: "assistant", parts: [part, answered] }) as UIMessage
        const first = message({ ...buy, state: "output-available", output: other })
        const shown = yield* shownAfter(first, framesOf((yield* send(first)).text))
        assert.match(shown.errors.join(), /The approval of buy has been approved by now/)
        assert.deepStrictEqual(shown.parts.map(({ state }) => state), [buy?.state, "approval-responded"])
        assert.isUndefined(shown.parts[0]?.output)
        assert.deepStrictEqual(service.done, [])
        const { status, text } = yield* send(message({ ...shown.parts[0], state: "output-available", output: same }))
        assert.strictEqual(status, 200, text)
        assert.deepStrictEqual(service.done.toSorted(), [...done], text)
      })
  )

  it.effect("the page can leave the answer out then", () =>
    Effect.gen(function*() {
      const { done, server } = yield* serving()
      const { answer } = yield* chat(server, "agents/a")
      yield* resolve(server, "approved")
      const { status, text } = yield* answer([no, yes])
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(framesOf(text).map((frame) => at(frame, "type")), [
        "start",
        "tool-input-available",
        "tool-approval-request",
        "error"
      ])
      yield* answer([undefined, yes])
      assert.deepStrictEqual(done.toSorted(), ["buy", "send"])
    }))
})

describe("a message behind an answer of a chat", () => {
  it.effect("a message behind the rejection of an approved call begins another run, and no call is executed", () =>
    Effect.gen(function*() {
      const { done, server } = yield* serving()
      const shown = framesOf((yield* post(server, "/agents/a/chat", { id: "s", messages: [user] })).text)
      yield* resolve(server, "approved")
      const parts = shown.filter((chunk) => at(chunk, "type") === "tool-approval-request").map((request) => ({
        type: "dynamic-tool",
        toolCallId: at(request, "toolCallId"),
        state: "approval-responded",
        approval: { id: at(request, "approvalId"), approved: false }
      }))
      const answer = { id: at(shown[0], "messageId"), role: "assistant", parts }
      const next = { id: "m2", role: "user", parts: [{ type: "text", text: "Then not." }] }
      const { status, text } = yield* post(server, "/agents/a/chat", { id: "s", messages: [user, answer, next] })
      assert.strictEqual(status, 200, text)
      assert.deepStrictEqual(done, [])
    }))
})
