// What an answer has beside what its question takes: on each wire it is refused, and the run stays paused. A person
// would believe that it counts, and the call would be executed without it.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Cause, Effect, Exit, Schema } from "effect"
import { at, list, post, serve } from "../Wire.ts"
import { toolUser } from "../wire/Fixtures.ts"
import * as PausedWires from "./PausedWires.ts"
import { components, pausing } from "./PausingComponents.ts"

Tier.oneIn(6)

const rejection = { accepted: false, note: "Too late" }

/** By the component, with a text of the refusal. */
const lost: ReadonlyArray<readonly [id: string, payload: object, says: string]> = [
  ["confirmation", { accepted: true, editedargs: { to: "eve" } }, "editedargs"],
  ["confirmation", { ...rejection, editedArgs: { to: "eve" } }, "a rejection takes only 'note'"],
  ["confirmation", { ...rejection, reason: "Other" }, "both 'note' and 'reason'"],
  ["confirmation", { accepted: false, note: 5 }, "note: it is a text"],
  ["confirmation", { accepted: true, note: 5 }, "note: it is a text"],
  ["input", { values: { to: "bob" }, cc: "eve" }, "no `cc`"],
  ["input", { values: { to: "bob" }, to: "eve" }, "no `to`"],
  ["input", { values: { to: "bob" }, editedArgs: { to: "eve" } }, "editedArgs"],
  ["input", { to: "bob", cc: "eve" }, "no `cc`"],
  ["input", { values: { to: "bob" }, accepted: "no" }, "true or false"],
  ["input", { to: "bob", accepted: true, approved: false }, "true or false"],
  ["input", { accepted: false, values: { to: "bob" } }, "a rejection takes only 'note'"],
  ["input", { accepted: false, to: "bob" }, "a rejection takes only 'note'"],
  ["step", { accepted: true, note: "Be quick" }, "a step takes a note with a rejection only"],
  ["step", { ...rejection, output: "x" }, "a rejection takes only 'note'"],
  ["values", { values: { topic: "tea" }, cc: "eve" }, "no `cc`"],
  ["values", { values: { topic: "tea" }, note: "Be quick" }, "a step takes a note with a rejection only"],
  ["route", { choices: ["left"], note: "Be quick" }, "no `note`"],
  ["review", { ...rejection, output: "better" }, "a rejection takes only 'note'"],
  ["failing", { decision: "skip", note: "Be quick" }, "no `note`"]
]

const taken: ReadonlyArray<readonly [id: string, payload: object, says: string]> = [
  ["confirmation", { approved: true, reason: "Be quick", editedArgs: null }, "Be quick"],
  ["confirmation", { approved: false, note: "Too late", editedArgs: {} }, "Too late"],
  ["input", { accepted: true, values: { to: "bob" }, note: "Be quick" }, "Be quick"],
  ["input", { to: "bob", note: "Be quick" }, "Be quick"],
  ["input", { accepted: false, note: "Too late", values: { to: "" } }, "Too late"]
]

const targetOf = (id: string, payload: unknown, place: number) => {
  const found = pausing.find((each) => each.id === id)!
  return { ...found, payload, session: `session-${place}` }
}

for (const wire of PausedWires.protocols) {
  describe(`an answer over ${wire.name}`, () => {
    it.effect("what its question does not take is refused, and the run stays paused", () =>
      Effect.gen(function*() {
        const server = yield* serve(yield* components)
        for (const [place, [id, payload, says]] of lost.entries()) {
          const target = { ...targetOf(id, payload, place), server }
          yield* wire.pause(target)
          const exit = yield* Effect.exit(wire.resume(target))
          const shown = JSON.stringify(payload)
          assert.include(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "accepted", says, shown)
          assert.strictEqual(at(yield* PausedWires.runOf(target), "status"), "PAUSED", shown)
        }
      }))

    it.effect("a note counts also beside values, and what a form has left empty is no part of the answer", () =>
      Effect.gen(function*() {
        const server = yield* serve(yield* components)
        for (const [place, [id, payload, says]] of taken.entries()) {
          const target = { ...targetOf(id, payload, place), server }
          yield* wire.pause(target)
          yield* wire.resume(target)
          const run = yield* PausedWires.runOf(target)
          assert.strictEqual(at(run, "status"), "COMPLETED")
          assert.include(JSON.stringify(at(run, "messages")), says, JSON.stringify(payload))
        }
      }))
  })
}

/** Outputs of functions that have the words of an answer. */
const outputs: ReadonlyArray<object> = [
  { result: "ok", error: "disk full", rows: [1, 2] },
  { result: null, error: "not found" },
  { result: "failed", reason: "disk full" },
  { result: "ok", note: 5 },
  { accepted: false, limit: 5000 },
  { accepted: false, note: "low score", limit: 5000 },
  { accepted: true, limit: 5 },
  { approved: false }
]

const answers: ReadonlyArray<readonly [payload: unknown, result: string]> = [
  ...outputs.map((output) => [output, JSON.stringify(output)] as const),
  [{ result: { cents: 12 } }, "{\"cents\":12}"],
  [{ result: "done", note: "By hand" }, "(A person has added a note to this call: \"By hand\".)\n\ndone"],
  [{ accepted: false, reason: "No paper" }, "(This call was rejected, or has failed.)\n\nNo paper"]
]

const readIn = (run: unknown): unknown =>
  at(list(run, "messages").findLast((message) => at(message, "role") === "tool"), "content")

for (const wire of PausedWires.protocols) {
  // of OpenAI it is always the result as it is
  const isForm = !wire.name.includes("OpenAI")
  describe(`the result of a call that is executed elsewhere, over ${wire.name}`, () => {
    it.effect("the model reads all of it, and the form of an answer only if it has nothing else", () =>
      Effect.gen(function*() {
        const server = yield* serve(yield* components)
        for (const [place, [payload, result]] of answers.entries()) {
          const target = { ...targetOf("external", payload, place), server }
          yield* wire.pause(target)
          yield* wire.resume(target)
          const shown = readIn(yield* PausedWires.runOf(target))
          assert.strictEqual(shown, isForm ? result : JSON.stringify(payload))
        }
      }))
  })
}

describe("the output of a function of the page", () => {
  const tools = { check: { description: "Checks", parameters: { type: "object", properties: {} } } }
  const user = { id: "m", role: "user", parts: [{ type: "text", text: "go" }] }
  const author = Tool.make({ name: "check", externalExecution: true, parameters: Schema.Struct({}) })

  it.effect.each([
    { of: "the page alone", has: [], later: { tools } },
    { of: "the author too", has: [author], later: { tools } },
    { of: "a page that sends its tools once", has: [], later: {} }
  ])(
    "the model reads it as it is, whatever words it has, also that of a tool of $of",
    ({ has, later }) =>
      Effect.gen(function*() {
        const { model } = yield* toolUser(Script.toolCall("check", {}, "call_1"))
        const server = yield* serve({ agents: [Agent.make({ id: "a", model, tools: has })] })
        for (const [place, output] of [...outputs, { result: 5 }, { accepted: false, note: "x" }, "ok"].entries()) {
          const id = `chat-${place}`
          const shown = PausedWires.framesOf(
            (yield* post(server, "/agents/a/chat", { id, messages: [user], tools })).text
          )
          const call = shown.find((chunk) => at(chunk, "type") === "tool-input-available")
          const part = {
            type: "dynamic-tool",
            toolName: "check",
            toolCallId: at(call, "toolCallId"),
            state: "output-available",
            input: {},
            output
          }
          const answer = { id: at(shown[0], "messageId"), role: "assistant", parts: [part] }
          const { status, text } = yield* post(server, "/agents/a/chat", { id, messages: [user, answer], ...later })
          assert.strictEqual(status, 200, text)
          const run = yield* PausedWires.runOf({
            id: "a",
            kind: "agents",
            payload: {},
            result: "",
            server,
            session: id
          })
          assert.strictEqual(readIn(run), typeof output === "string" ? output : JSON.stringify(output))
        }
      })
  )
})

const post200 = Effect.fnUntraced(function*(target: PausedWires.Target, path: string, body: object) {
  const { json, status, text } = yield* post(target.server, path, body)
  assert.strictEqual(status, 200, text)
  return json
})

/** A request that answers the question of the target once for each payload. */
const answering: Readonly<Record<string, (target: PausedWires.Target, payloads: ReadonlyArray<object>) => object>> = {
  "/v1/chat/completions": (target, payloads) => ({
    messages: payloads.map((payload) => ({
      role: "tool",
      tool_call_id: "call-confirmation",
      content: JSON.stringify(payload)
    })),
    model: `agents/${target.id}`,
    conversation: target.session,
    user: "ann"
  }),
  "/v1/responses": (target, payloads) => ({
    input: payloads.map((payload) => ({
      type: "function_call_output",
      call_id: "call-confirmation",
      output: JSON.stringify(payload)
    })),
    model: `agents/${target.id}`,
    conversation: target.session,
    user: "ann"
  }),
  "/agents/confirmation/chat": (target, payloads) => ({
    id: target.session,
    messages: [{
      role: "assistant",
      parts: payloads.map((output) => ({
        type: "dynamic-tool",
        toolCallId: "call-confirmation",
        state: "output-available",
        output
      }))
    }]
  })
}

describe.each(Object.entries(answering))("several answers to one question in one request of %s", (path, bodyOf) => {
  it.effect("different ones are refused in each order, and the same one counts once", () =>
    Effect.gen(function*() {
      const server = yield* serve(yield* components)
      const yes = { accepted: true }
      const no = { accepted: false }
      const openai = PausedWires.protocols.find(({ name }) => name === "the API of OpenAI")
      for (const [place, payloads] of [[yes, no], [no, yes], [yes, no, yes]].entries()) {
        const target = { ...targetOf("confirmation", {}, place), server }
        yield* openai!.pause(target)
        const { status, text } = yield* post(server, path, bodyOf(target, payloads))
        assert.notStrictEqual(status, 200, text)
        assert.include(text, "different answers")
        assert.strictEqual(at(yield* PausedWires.runOf(target), "status"), "PAUSED", text)
        yield* post200(target, path, bodyOf(target, [yes, yes]))
        assert.strictEqual(at(yield* PausedWires.runOf(target), "status"), "COMPLETED")
      }
    }))
})
