// What confirms and what rejects, of the messages that answer a confirmation.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { ask, at, list, serve } from "../Wire.ts"
import { toolUser } from "../wire/Fixtures.ts"
import { mail } from "./Mail.ts"
import { current, message } from "./Requests.ts"

Tier.oneIn(4)

const confirming: ReadonlyArray<ReadonlyArray<object>> = [
  [{ text: " YES\n" }],
  [{ data: { accepted: true } }],
  [{ text: "certainly" }, { data: { accepted: true } }],
  [{ text: "Yes" }, { data: { tool_call_id: "call_1", accepted: true } }],
  [{ text: "Nothing is wrong with it." }, { data: { tool_call_id: "call_1", accepted: true } }],
  [{ data: { accepted: true } }, { text: "No problem, go ahead" }]
]

/** With the note that the run keeps. Undefined: the text that says no more. */
const rejecting: ReadonlyArray<readonly [ReadonlyArray<object>, string | undefined]> = [
  [[{ text: "ok" }], "ok"],
  [[{ text: "yes!" }], "yes!"],
  [[{ text: "true" }], "true"],
  [[{ text: "" }], undefined],
  [[{ raw: "aGk=", mediaType: "text/plain", filename: "a.txt" }], undefined],
  [[{ data: { accepted: false } }], undefined],
  [[{ data: { accepted: false, note: "Too late" } }, { text: "Other" }], "Too late"],
  [[{ data: { accepted: false } }, { text: "Not before Monday" }], "Not before Monday"],
  [[{ data: { tool_call_id: "call_1", accepted: false } }, { text: "No, too late" }], "No, too late"]
]

/** Neither accepts nor rejects, or has more than one answer. */
const unclear: ReadonlyArray<ReadonlyArray<object>> = [
  [{ data: { accepted: "true" } }],
  [{ data: { confirmed: true } }],
  [{ data: true }],
  [{ data: "yes" }],
  [{ data: null }],
  [{ data: { id: "of another question", tool_call_id: "call_1", accepted: true } }],
  [{ data: { accepted: true } }, { data: { accepted: false } }],
  [{ data: { accepted: true } }, { data: { editedArgs: { to: "bob" } } }],
  [{ data: { tool_call_id: "call_1", accepted: true } }, { data: { tool_call_id: "call_1", accepted: false } }],
  [{ data: { tool_call_id: "call_1", accepted: true } }, { data: { editedArgs: { to: "bob" } } }],
  [{ text: "no" }, { data: { tool_call_id: "call_1", accepted: true } }],
  [{ data: { accepted: true } }, { text: "No, do not do it" }],
  [{ text: "yes" }, { data: { tool_call_id: "call_1", accepted: false } }]
]

describe("a confirmation", () => {
  const answered = Effect.fnUntraced(function*(parts: ReadonlyArray<object>) {
    const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
    const server = yield* serve({ agents: [Agent.make({ id: "careful", model: script.model, tools: [mail] })] })
    const send = (body: object) =>
      ask(server, "/a2a/agents/careful/message:send", { method: "POST", headers: current, body: JSON.stringify(body) })
    const { json } = yield* send(message())
    const [taskId, contextId] = [at(json, "task", "id"), at(json, "task", "contextId")]
    const { status, text } = yield* send(message({ messageId: "m2", taskId, contextId, parts }))
    const { json: run } = yield* ask(server, `/agents/careful/runs/${String(taskId)}?session_id=${String(contextId)}`)
    if (status !== 200) return yield* Effect.fail({ status, run: at(run, "status") })
    assert.include(text, "TASK_STATE_COMPLETED")
    const [tool] = at(run, "tools") as ReadonlyArray<unknown>
    return tool
  })

  it.effect("only the text yes and accepted true confirm", () =>
    Effect.gen(function*() {
      for (const parts of confirming) {
        assert.strictEqual(at(yield* answered(parts), "result"), "sent to ann", JSON.stringify(parts))
      }
    }))

  it.effect("data that is not one answer, which accepts or rejects, is refused, and the run stays paused", () =>
    Effect.gen(function*() {
      for (const parts of unclear) {
        const refused = yield* Effect.flip(answered(parts))
        assert.deepStrictEqual(refused, { status: 400, run: "PAUSED" }, JSON.stringify(parts))
      }
    }))

  it.effect("every other message rejects, with its text or the note of its data", () =>
    Effect.gen(function*() {
      for (const [parts, note = "Tool call was rejected"] of rejecting) {
        const tool = yield* answered(parts)
        assert.strictEqual(at(tool, "confirmed"), false, JSON.stringify(parts))
        assert.strictEqual(at(tool, "confirmation_note"), note, JSON.stringify(parts))
      }
    }))

  it.effect("an answer that is too large to be kept with the run is refused, and the run stays paused", () =>
    Effect.gen(function*() {
      const script = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
      const agents = [Agent.make({ id: "careful", model: script.model, tools: [mail] })]
      const server = yield* serve({ agents, limits: { jsonBody: 10_000 } })
      const send = (body: object) =>
        ask(server, "/a2a/agents/careful/message:send", {
          method: "POST",
          headers: current,
          body: JSON.stringify(body)
        })
      const { json } = yield* send(message())
      const taskId = at(json, "task", "id")
      const large = yield* send(message({ messageId: "m2", taskId, parts: [{ text: "x".repeat(20_000) }] }))
      assert.strictEqual(large.status, 400, large.text)
      const answered = yield* send(message({ messageId: "m3", taskId, parts: [{ text: "yes" }] }))
      assert.strictEqual(at(answered.json, "task", "status", "state"), "TASK_STATE_COMPLETED")
    }))
})

describe("the result of a call that is executed elsewhere", () => {
  /** Calls it for two orders, and sends the first data again as the answer to the second call. */
  const answered = Effect.fnUntraced(function*(dataOf: (id: unknown) => object) {
    const calls = [1, 2].map((count) => [Script.toolCall("order", { count }, `call_${count}`)])
    const script = yield* Script.make([...calls, [Script.text("Done")]])
    const order = Tool.make({
      name: "order",
      parameters: Schema.Struct({ count: Schema.Int }),
      externalExecution: true
    })
    const server = yield* serve({ agents: [Agent.make({ id: "shop", model: script.model, tools: [order] })] })
    const send = (body: object) =>
      ask(server, "/a2a/agents/shop/message:send", { method: "POST", headers: current, body: JSON.stringify(body) })
    const paused = (yield* send(message())).json
    const taskId = at(paused, "task", "id")
    const [id] = list(paused, "task", "status", "message", "parts").flatMap((part) => at(part, "data", "id") ?? [])
    const data = dataOf(id)
    const first = yield* send(message({ messageId: "m2", taskId, parts: [{ data }] }))
    const again = yield* send(message({ messageId: "m3", taskId, parts: [{ data }] }))
    const contextId = String(at(paused, "task", "contextId"))
    const { json } = yield* ask(server, `/agents/shop/runs/${String(taskId)}?session_id=${contextId}`)
    return { first, again, results: list(json, "tools").map((tool) => at(tool, "result")) }
  })

  it.effect("a late result is not that of the next call, whatever it has beside the id", () =>
    Effect.gen(function*() {
      for (const data of [{ status: "printed" }, { result: { id: "ORDER-5", status: "printed" } }]) {
        const { again, first, results } = yield* answered((id) => ({ id, ...data }))
        assert.strictEqual(first.status, 200, first.text)
        assert.strictEqual(again.status, 400, again.text)
        assert.match(again.text, /does not ask '.*\(open: order as '.*goes into `result`/)
        assert.deepStrictEqual(results, [JSON.stringify(data.result ?? data), null])
      }
    }))

  it.effect("an id that names no question is refused", () =>
    Effect.gen(function*() {
      for (const data of [{ accepted: true }, { result: "ok" }, { values: { a: 1 } }, { status: "ok" }, {}]) {
        const { first, results } = yield* answered(() => ({ id: "ORDER-5", ...data }))
        assert.strictEqual(first.status, 400, JSON.stringify(data))
        assert.deepStrictEqual(results, [null])
      }
    }))
})
