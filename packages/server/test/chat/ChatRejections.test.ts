// The results of calls that the client of a chat rejects, or that failed there.
import { assert, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { mail } from "../a2a/Mail.ts"
import { post, serve } from "../Wire.ts"
import { toolUser } from "../wire/Fixtures.ts"

const user = { id: "m", role: "user", parts: [{ type: "text", text: "hi" }] }

/** The chunks about the result of a call whose part the client sends with the fields. */
const resultsOf = Effect.fnUntraced(function*(fields: (approvalId: string) => object) {
  const { model } = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
  const server = yield* serve({ agents: [Agent.make({ id: "a", model, tools: [mail] })] })
  const ask = (message: object) => post(server, "/agents/a/chat", { id: "s", messages: [user, message] })
  const approvalId = /"approvalId":"([^"]+)"/.exec((yield* ask(user)).text)?.[1] ?? ""
  const part = { type: "dynamic-tool", toolCallId: "call_1", ...fields(approvalId) }
  const { text } = yield* ask({ id: "answer", role: "assistant", parts: [part] })
  assert.include(text, "\"finishReason\":\"stop\"")
  return text.match(/\{"type":"tool-output[^}]*\}/g)
})

it.effect("a call that the client rejects is denied once", () =>
  Effect.gen(function*() {
    const results = yield* resultsOf((id) => ({ state: "approval-responded", approval: { id, approved: false } }))
    assert.deepStrictEqual(results, [`{"type":"tool-output-denied","toolCallId":"call_1"}`])
  }))

it.effect("an answer that shows the call with other arguments does not count", () =>
  Effect.gen(function*() {
    const { model } = yield* toolUser(Script.toolCall("send_mail", { to: "ann" }, "call_1"))
    const server = yield* serve({ agents: [Agent.make({ id: "a", model, tools: [mail] })] })
    const ask = (message: object) => post(server, "/agents/a/chat", { id: "s", messages: [user, message] })
    yield* ask(user)
    const answer = (to: string) => {
      const call = { type: "dynamic-tool", toolName: "send_mail", toolCallId: "call_1", input: { to } }
      return ask({
        id: "answer",
        role: "assistant",
        parts: [{ ...call, state: "output-available", output: { approved: true } }]
      })
    }
    assert.strictEqual((yield* answer("bob")).status, 422)
    const { status, text } = yield* answer("ann")
    assert.strictEqual(status, 200)
    assert.include(text, "sent to ann")
  }))

it.effect("a call that failed at the client has its error, once", () =>
  Effect.gen(function*() {
    const results = yield* resultsOf(() => ({ state: "output-error", errorText: "No ink" }))
    assert.deepStrictEqual(results, [`{"type":"tool-output-error","toolCallId":"call_1","errorText":"No ink"}`])
  }))
