// The wires on which a run is paused, seen and continued, as raw requests and bytes.
import { assert } from "@effect/vitest"
import type * as Json from "@svc-runtime/domain/Json"
import * as Answer from "@svc-runtime/protocols/pause/Answer"
import * as Decisions from "@svc-runtime/protocols/pause/Decisions"
import * as Questions from "@svc-runtime/protocols/pause/Questions"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Result } from "effect"
import { ask, at, get, list, post } from "../Wire.ts"
import type { Pausing } from "./PausingComponents.ts"

export interface Target extends Pausing {
  readonly server: TestServer.TestServer
  readonly session: string
}

export interface PausedWire {
  readonly name: string
  /** Starts the run, which pauses. */
  readonly pause: (target: Target) => Effect.Effect<void>
  /** Reads what the run waits for, and answers it. */
  readonly resume: (target: Target) => Effect.Effect<void>
}

const accepted = (answer: { readonly status: number; readonly text: string }) =>
  assert.strictEqual(answer.status, 200, answer.text)

/** The JSON of the frames of a stream. */
export const framesOf = (text: string): ReadonlyArray<unknown> =>
  text.split("\n\n").flatMap((frame) => {
    const data = frame.split("\n").find((line) => line.startsWith("data: {"))
    return data === undefined ? [] : [JSON.parse(data.slice("data: ".length))]
  })

const form = (fields: Readonly<Record<string, string>>) => ({ method: "POST", body: new URLSearchParams(fields) })

/** The run of the session as the HTTP API shows it. */
export const runOf = Effect.fnUntraced(function*({ id, kind, server, session }: Target) {
  const runs = yield* get(server, `/${kind}/${id}/runs?session_id=${session}`)
  const run_id = String(at(list(runs.json).at(-1), "run_id"))
  return (yield* get(server, `/${kind}/${id}/runs/${run_id}?session_id=${session}`)).json
})

const questionsOf = (target: Target) => Effect.map(runOf(target), (run) => Questions.of(run as Questions.Waiting))

const http: PausedWire = {
  name: "the HTTP API",
  pause: Effect.fnUntraced(function*({ id, kind, server, session }) {
    accepted(yield* ask(server, `/${kind}/${id}/runs`, form({ message: "go", stream: "false", session_id: session })))
  }),
  resume: Effect.fnUntraced(function*(target) {
    const { id, kind, payload, server, session } = target
    const answers = (yield* questionsOf(target)).map((question) =>
      [question.id, Result.getOrThrow(Answer.fromJson(question, payload as Json.Value))] as const
    )
    const decisions = Result.getOrThrow(Decisions.of(yield* questionsOf(target), new Map(answers)))
    const fields = Object.entries(decisions).map(([name, value]) => [name, JSON.stringify(value)])
    const path = `/${kind}/${id}/runs/${String(at(yield* runOf(target), "run_id"))}/continue`
    accepted(yield* ask(server, path, form({ session_id: session, stream: "false", ...Object.fromEntries(fields) })))
  })
}

const aguiInput = (session: string, more: object) => ({
  threadId: session,
  runId: `${session}-${JSON.stringify(more).length}`,
  protocolVersion: "1.0",
  messages: [{ id: "m", role: "user", content: "go" }],
  ...more
})

const agui: PausedWire = {
  name: "AG-UI",
  pause: Effect.fnUntraced(function*({ id, kind, server, session }) {
    accepted(yield* post(server, `/${kind}/${id}/agui`, aguiInput(session, {})))
  }),
  resume: Effect.fnUntraced(function*({ id, kind, payload, server, session }) {
    const connected = yield* post(
      server,
      `/copilotkit/agent/${kind}%2F${id}/connect`,
      aguiInput(session, { messages: [] })
    )
    const interrupts = list(framesOf(connected.text).at(-1), "outcome", "interrupts")
    const resume = interrupts.map((each) => ({ interruptId: at(each, "id"), status: "resolved", payload }))
    const answer = yield* post(server, `/${kind}/${id}/agui`, aguiInput(session, { messages: [], resume }))
    accepted(answer)
    assert.strictEqual(at(framesOf(answer.text).at(-1), "type"), "RUN_FINISHED", answer.text)
  })
}

const user = { id: "m", role: "user", parts: [{ type: "text", text: "go" }] }

/** An approval of the AI SDK has no other fields, and a text as its reason. More is the output of the call. */
const takesApproval = (payload: unknown): boolean =>
  Object.keys(payload ?? {}).every((key) => key === "accepted" || key === "note") &&
  ["string", "undefined"].includes(typeof at(payload, "note"))

const chat: PausedWire = {
  name: "the UI message stream",
  pause: Effect.fnUntraced(function*({ id, kind, server, session }) {
    accepted(yield* post(server, `/${kind}/${id}/chat`, { id: session, messages: [user] }))
  }),
  resume: Effect.fnUntraced(function*({ id, kind, payload, server, session }) {
    const shown = framesOf((yield* get(server, `/${kind}/${id}/chat/${session}/stream`)).text)
    const ofType = (type: string) => shown.filter((chunk) => at(chunk, "type") === type)
    const requests = takesApproval(payload) ? ofType("tool-approval-request") : []
    const approvals = requests.map((chunk) => ({
      type: "dynamic-tool",
      toolCallId: at(chunk, "toolCallId"),
      state: "approval-responded",
      approval: {
        id: at(chunk, "approvalId"),
        approved: at(payload, "accepted") !== false,
        reason: at(payload, "note") ?? null
      }
    }))
    const outputs = ofType("tool-input-available").map((chunk) => ({
      type: "dynamic-tool",
      toolCallId: at(chunk, "toolCallId"),
      state: "output-available",
      output: payload
    }))
    const parts = approvals.length > 0 ? approvals : outputs.slice(-1)
    const message = { id: at(ofType("start")[0], "messageId"), role: "assistant", parts }
    accepted(yield* post(server, `/${kind}/${id}/chat`, { id: session, messages: [user, message] }))
  })
}

const rpc = (version: string, { id, kind, server }: Target, method: string, params: object) =>
  Effect.map(
    ask(server, `/a2a/${kind}/${id}`, {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": version },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    }),
    (answer) => {
      assert.isUndefined(at(answer.json, "error"), answer.text)
      return at(answer.json, "result")
    }
  )

const sending = (session: string, more: object) => ({
  message: { messageId: `${session}-${Object.keys(more).length}`, role: "ROLE_USER", contextId: session, ...more }
})

const waitingTask = Effect.fnUntraced(function*(target: Target) {
  const sought = { contextId: target.session, status: "TASK_STATE_INPUT_REQUIRED" }
  return at(list(yield* rpc("1.0", target, "ListTasks", sought), "tasks")[0], "id")
})

const a2a: PausedWire = {
  name: "A2A",
  pause: (target) =>
    Effect.asVoid(rpc("1.0", target, "SendMessage", sending(target.session, { parts: [{ text: "go" }] }))),
  resume: Effect.fnUntraced(function*(target) {
    const { payload, session } = target
    const taskId = yield* waitingTask(target)
    yield* rpc("1.0", target, "SendMessage", sending(session, { taskId, parts: [{ data: payload }] }))
  })
}

const formerA2a: PausedWire = {
  name: "A2A 0.3",
  pause: a2a.pause,
  resume: Effect.fnUntraced(function*(target) {
    const { payload, session } = target
    const taskId = yield* waitingTask(target)
    const parts = [{ kind: "data", data: payload }]
    yield* rpc("0.3", target, "message/send", sending(session, { role: "user", kind: "message", taskId, parts }))
  })
}

const openai: PausedWire = {
  name: "the API of OpenAI",
  pause: Effect.fnUntraced(function*({ id, kind, server, session }) {
    const messages = [{ role: "user", content: "go" }]
    const body = { model: `${kind}/${id}`, messages, conversation: session, user: "ann" }
    const answer = yield* post(server, "/v1/chat/completions", body)
    assert.strictEqual(at(answer.json, "choices", 0, "finish_reason"), "tool_calls", answer.text)
  }),
  // there is no request that reads a conversation: the client knows the calls of the run
  resume: Effect.fnUntraced(function*(target) {
    const { id, kind, payload, server, session } = target
    const content = JSON.stringify(payload)
    const messages = (yield* questionsOf(target)).map(({ toolCallId }) => ({
      role: "tool",
      tool_call_id: toolCallId,
      content
    }))
    const body = { model: `${kind}/${id}`, messages, conversation: session, user: "ann" }
    accepted(yield* post(server, "/v1/chat/completions", body))
  })
}

const responses: PausedWire = {
  name: "responses of OpenAI",
  pause: openai.pause,
  resume: Effect.fnUntraced(function*(target) {
    const { id, kind, payload, server, session } = target
    const output = JSON.stringify(payload)
    const input = (yield* questionsOf(target)).map(({ toolCallId: call_id }) => ({
      type: "function_call_output",
      call_id,
      output
    }))
    accepted(
      yield* post(server, "/v1/responses", { model: `${kind}/${id}`, input, conversation: session, user: "ann" })
    )
  })
}

export const wires: ReadonlyArray<PausedWire> = [http, a2a, agui, chat, openai]

/** The same, and the other versions of their requests, without that of the service. */
export const protocols: ReadonlyArray<PausedWire> = [a2a, formerA2a, agui, chat, openai, responses]
