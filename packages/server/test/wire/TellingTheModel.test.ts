// What a person adds to the decision on a call: the model reads it before the result.
import { assert, describe, it } from "@effect/vitest"
import type * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { at, list, post, serve } from "../Wire.ts"
import { asking, continueRun, mailer, start, tools } from "./Mailing.ts"

Tier.oneIn(3)

const resultIn = (calls: ReadonlyArray<Script.Call>): unknown =>
  calls.at(-1)?.prompt.content.flatMap((message) =>
    message.role === "tool" ? message.content.map((part) => at(part, "result")) : []
  )[0]

const continued = Effect.fnUntraced(function*(
  options: Parameters<typeof mailer>[1],
  decision: object
) {
  const { agent, script, sent } = yield* mailer(asking, options)
  const server = yield* serve({ agents: [agent] })
  yield* start(server)
  const answer = yield* continueRun(server, tools({ tool_call_id: "call_1", ...decision }))
  assert.strictEqual(at(answer.json, "status"), "COMPLETED", answer.text)
  return { result: resultIn(yield* script.calls), sent }
})

describe("what a person adds to the decision on a call", () => {
  it.effect("the model reads the note of a person who has approved a call", () =>
    Effect.gen(function*() {
      const decision = { confirmed: true, confirmation_note: "But it is the \"last\" time" }
      const { result } = yield* continued({ requiresConfirmation: true }, decision)
      assert.strictEqual(
        result,
        "(A person has added a note to this call: \"But it is the \\\"last\\\" time\".)\n\nsent"
      )
    }))

  it.effect("the model reads the edited arguments and the note", () =>
    Effect.gen(function*() {
      const tool_args = { to: "a@b.c", text: "hello" }
      const { result, sent } = yield* continued(
        { requiresConfirmation: true },
        { confirmed: true, confirmation_note: "Be polite", tool_args }
      )
      assert.deepStrictEqual(sent, [tool_args])
      assert.strictEqual(
        result,
        "(A person has changed the arguments of this call to {\"to\":\"a@b.c\",\"text\":\"hello\"}.)\n" +
          "(A person has added a note to this call: \"Be polite\".)\n\nsent"
      )
    }))

  it.effect("the model reads what a person has added before the call has asked something", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* mailer(asking, {
        requiresConfirmation: true,
        execute: async ({ text }, { pause }) => {
          const { when } = await pause({ question: "When?", schema: Schema.Struct({ when: Schema.String }) })
          return `sent ${text} ${when}`
        }
      })
      const server = yield* serve({ agents: [agent] })
      yield* start(server)
      const first = { confirmed: true, confirmation_note: "Be polite", tool_args: { to: "a@b.c", text: "hello" } }
      const paused = yield* continueRun(server, tools({ tool_call_id: "call_1", ...first }))
      assert.strictEqual(at(paused.json, "status"), "PAUSED", paused.text)
      const id = at(list(paused.json, "requirements").at(-1), "id")
      const second = { id, user_input_schema: [{ name: "when", value: "now" }], confirmation_note: "Not later" }
      const answer = yield* continueRun(server, { session_id: "s", requirements: JSON.stringify([second]) })
      assert.strictEqual(at(answer.json, "status"), "COMPLETED", answer.text)
      assert.strictEqual(
        resultIn(yield* script.calls),
        "(A person has changed the arguments of this call to {\"to\":\"a@b.c\",\"text\":\"hello\"}.)\n" +
          "(A person has added a note to this call: \"Be polite\".)\n" +
          "(A person has added a note to this call: \"Not later\".)\n\nsent hello now"
      )
    }))

  it.effect("the model does not read the values that a person was asked for, because they can be secrets", () =>
    Effect.gen(function*() {
      const { result, sent } = yield* continued(
        { requiresUserInput: ["to"] },
        { user_input_schema: [{ name: "to", value: "eve@b.c" }] }
      )
      assert.deepStrictEqual(sent, [{ to: "eve@b.c", text: "hi" }])
      assert.strictEqual(result, "sent")
    }))

  it.effect("the model reads the note of a person who has executed a call", () =>
    Effect.gen(function*() {
      const { result } = yield* continued(
        { externalExecution: true },
        { result: "sent by hand", confirmation_note: "It was late" }
      )
      assert.strictEqual(result, "(A person has added a note to this call: \"It was late\".)\n\nsent by hand")
    }))

  it.effect.each<[string, Parameters<typeof mailer>[1], string]>([
    ["a confirmation", { requiresConfirmation: true }, "(A person has rejected this call.)"],
    ["values", { requiresUserInput: ["to"] }, "(A person has rejected this call.)"],
    ["an execution elsewhere", { externalExecution: true }, "(This call was rejected, or has failed.)"]
  ])(
    "the model reads that a person has rejected a call that waits for %s, also without a note",
    ([, options, shown]) =>
      Effect.gen(function*() {
        const { result, sent } = yield* continued(options, { confirmed: false })
        assert.strictEqual(result, shown)
        assert.deepStrictEqual(sent, [])
      })
  )

  it.effect("a call that a person has approved as it is has only its result", () =>
    Effect.gen(function*() {
      const { result } = yield* continued({ requiresConfirmation: true }, { confirmed: true, confirmation_note: "" })
      assert.strictEqual(result, "sent")
    }))

  it.effect("the model reads the reason with which a chat has approved a call", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* mailer(asking)
      const server = yield* serve({ agents: [agent] })
      const user = { id: "m", role: "user", parts: [{ type: "text", text: "mail" }] }
      const paused = yield* post(server, "/agents/approver/chat", { id: "s", messages: [user] })
      const chunks = paused.text.split("\n\n").flatMap((frame) =>
        frame.startsWith("data: {") ? [JSON.parse(frame.slice("data: ".length))] : []
      )
      const request = chunks.find((chunk) => at(chunk, "type") === "tool-approval-request")
      const part = {
        type: "dynamic-tool",
        toolCallId: at(request, "toolCallId"),
        state: "approval-responded",
        approval: { id: at(request, "approvalId"), approved: true, reason: "Only today" }
      }
      const message = { id: at(chunks[0], "messageId"), role: "assistant", parts: [part] }
      yield* post(server, "/agents/approver/chat", { id: "s", messages: [user, message] })
      assert.strictEqual(
        resultIn(yield* script.calls),
        "(A person has added a note to this call: \"Only today\".)\n\nsent"
      )
      assert.lengthOf(list(yield* script.calls), 2)
    }))
})
