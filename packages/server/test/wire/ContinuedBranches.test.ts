// Runs that begin with messages of another run, and what later runs of their session are shown: each message once, on
// the path to the run in which they begin.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { ask, at, column, type Fields, get, list, post } from "../Wire.ts"
import * as Wire from "../Wire.ts"

Tier.oneIn(3)

/** One answer with a call, and one with text, for each run. */
const turn = (number: number): ReadonlyArray<Script.Turn> => [
  [Script.toolCall("look", {}, `call_${number}`)],
  [Script.text(`answer ${number}`)]
]

const look = Tool.make({ name: "look", effects: "read", execute: () => "seen" })
const order = Tool.make({ name: "order", requiresConfirmation: true, execute: () => "ordered" })

/** Each part in a few words. */
const textOf = (part: unknown): string => {
  if (at(part, "type") === "tool-call") return `calls ${String(at(part, "id"))}`
  return String(at(part, "type") === "tool-result" ? at(part, "result") : at(part, "text"))
}

const opened = Effect.fnUntraced(function*(turns: ReadonlyArray<Script.Turn>, options: Partial<Agent.Options> = {}) {
  const script = yield* Script.make(turns)
  const agent = Agent.make({
    id: "a",
    model: script.model,
    tools: [look, order],
    addHistoryToContext: true,
    numHistoryRuns: 10,
    ...options
  })
  const server = yield* Wire.serve({ agents: [agent] })
  const send = Effect.fnUntraced(function*(path: string, fields: Fields) {
    const body = new URLSearchParams({ session_id: "s", stream: "false", ...fields })
    const { json, text } = yield* ask(server, `/agents/a/runs${path}`, { method: "POST", body })
    assert.oneOf(at(json, "status"), ["COMPLETED", "PAUSED"], text)
    return json
  })
  const start = (message: string, run_id: string, fields: Fields = {}) => send("", { message, run_id, ...fields })
  const proceed = (run_id: string, fields: Fields) =>
    Effect.map(send(`/${run_id}/continue`, fields), (json) => String(at(json, "run_id")))
  /** What the model was sent last. */
  const seen = Effect.map(
    script.prompts,
    (prompts) =>
      (prompts.at(-1) ?? []).flatMap(({ content, role }) => role === "system" ? [] : [...content].map(textOf))
  )
  const places = Effect.map(get(server, "/sessions/s/runs"), ({ json }) => column(json, "previous_run_id"))
  return { places, proceed, seen, server, start }
})

const one = ["one", "calls call_1", "seen", "answer 1"]
const two = ["two", "calls call_2", "seen", "answer 2"]

const twoRuns = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn>,
  options: Partial<Agent.Options> = {}
) {
  const session = yield* opened([...turn(1), ...turn(2), ...turns], options)
  yield* session.start("one", "r1")
  yield* session.start("two", "r2")
  return session
})

describe("a run that begins within another one", () => {
  it.effect.each<[string, Fields, ReadonlyArray<string>]>([
    ["its last message of the user", { continue_from: "last_user" }, ["two"]],
    ["a message and with an input", { continue_from: "1", input: "In short" }, ["two", "In short"]],
    ["the result of its call", { continue_from: "3" }, ["two", "calls call_2", "seen"]],
    ["what is before its answer, without a replacement", { regenerate: "true", replace_original: "false" }, [
      "two",
      "calls call_2",
      "seen"
    ]]
  ])(
    "a run that begins after %s takes its place in the history of later runs",
    ([, fields, kept]) =>
      Effect.gen(function*() {
        const { places, proceed, seen, start } = yield* twoRuns([[Script.text("anew")], [Script.text("next")]])
        const run = yield* proceed("r2", fields)
        assert.deepStrictEqual(yield* seen, [...one, ...kept])
        yield* start("probe", "r4")
        assert.deepStrictEqual(yield* seen, [...one, ...kept, "anew", "probe"])
        assert.deepStrictEqual(yield* places, [undefined, "r1", "r1", run])
      })
  )

  it.effect("calls of the new run are shown after the copied ones", () =>
    Effect.gen(function*() {
      const { proceed, seen, start } = yield* twoRuns([...turn(3), [Script.text("next")]])
      yield* proceed("r2", { continue_from: "3" })
      yield* start("probe", "r4")
      assert.deepStrictEqual(yield* seen, [...one, ...two.slice(0, 3), "calls call_3", "seen", "answer 3", "probe"])
    }))

  it.effect("a run that begins in one before the leaf is a branch there, and leaves no calls behind other turns", () =>
    Effect.gen(function*() {
      const { places, proceed, seen, start } = yield* twoRuns([[Script.text("anew")], [Script.text("next")]])
      const run = yield* proceed("r1", { continue_from: "3" })
      assert.deepStrictEqual(yield* seen, one.slice(0, 3))
      yield* start("probe", "r4")
      assert.deepStrictEqual(yield* seen, [...one.slice(0, 3), "anew", "probe"])
      assert.deepStrictEqual(yield* places, [undefined, "r1", undefined, run])
    }))

  it.effect("a limit of the history counts the new run as one turn, with what it has copied", () =>
    Effect.gen(function*() {
      const { proceed, seen, start } = yield* twoRuns([[Script.text("anew")], [Script.text("next")]], {
        numHistoryRuns: 1
      })
      yield* proceed("r2", { continue_from: "last_user" })
      yield* start("probe", "r4")
      assert.deepStrictEqual(yield* seen, ["two", "anew", "probe"])
    }))

  it.effect("a copy of the session shows later runs the same", () =>
    Effect.gen(function*() {
      const { proceed, seen, server, start } = yield* twoRuns([[Script.text("anew")], [Script.text("next")]])
      yield* proceed("r2", { continue_from: "last_user" })
      const { json } = yield* post(server, "/agents/a/sessions/s/fork", {})
      yield* start("probe", "r4", { session_id: String(at(json, "session_id")) })
      assert.deepStrictEqual(yield* seen, [...one, "two", "anew", "probe"])
    }))

  it.effect("a session shows each message of the path once", () =>
    Effect.gen(function*() {
      const { proceed, server } = yield* twoRuns([[Script.text("anew")]])
      yield* proceed("r2", { continue_from: "last_user" })
      const chat = list((yield* get(server, "/sessions/s")).json, "chat_history")
      const texts = column(chat, "content").filter((content) => content !== undefined)
      assert.deepStrictEqual(texts, ["one", "seen", "answer 1", "two", "anew"])
    }))
})

describe("a run that continues another one at its end", () => {
  it.effect("the new run comes after that run, also if it is not the last one of the path", () =>
    Effect.gen(function*() {
      const { places, proceed, seen, start } = yield* twoRuns([[Script.text("more")], [Script.text("next")]])
      const run = yield* proceed("r1", { input: "And then?" })
      assert.deepStrictEqual(yield* seen, [...one, "And then?"])
      yield* start("probe", "r4")
      assert.deepStrictEqual(yield* seen, [...one, "And then?", "more", "probe"])
      assert.deepStrictEqual(yield* places, [undefined, "r1", "r1", run])
    }))

  it.effect("a run that begins among the copies of such a run begins in the run that they are from", () =>
    Effect.gen(function*() {
      const { places, proceed, seen, start } = yield* twoRuns([
        [Script.text("more")],
        [Script.text("anew")],
        [Script.text("next")]
      ])
      const longer = yield* proceed("r2", { input: "And then?" })
      // the copies of both runs are its first messages
      const run = yield* proceed(longer, { continue_from: "7" })
      const kept = [...one, ...two.slice(0, 3)]
      assert.deepStrictEqual(yield* seen, kept)
      yield* start("probe", "r4")
      assert.deepStrictEqual(yield* seen, [...kept, "anew", "probe"])
      assert.deepStrictEqual(yield* places, [undefined, "r1", "r2", "r1", run])
    }))

  it.effect("a run that begins before all of its copies comes after none", () =>
    Effect.gen(function*() {
      const { places, proceed, seen, start } = yield* twoRuns([
        [Script.text("more")],
        [Script.text("anew")],
        [Script.text("next")]
      ])
      const longer = yield* proceed("r2", { input: "And then?" })
      const run = yield* proceed(longer, { continue_from: "0", input: "From the start" })
      assert.deepStrictEqual(yield* seen, ["From the start"])
      yield* start("probe", "r4")
      assert.deepStrictEqual(yield* seen, ["From the start", "anew", "probe"])
      assert.deepStrictEqual(yield* places, [undefined, "r1", "r2", undefined, run])
    }))
})

describe("a waiting run that is answered again", () => {
  const ordering: Script.Step = Script.toolCall("order", {}, "call_o")

  it.effect.each<[string, Fields]>([
    ["replaced", { regenerate: "true" }],
    ["answered beside the first one", { regenerate: "true", replace_original: "false" }],
    ["forked", { fork: "true" }]
  ])("an open call is left out of the new run if its run is %s", ([, fields]) =>
    Effect.gen(function*() {
      const { proceed, seen, start } = yield* opened([[ordering], [Script.text("anew")], [Script.text("next")]])
      yield* start("Order it", "r1")
      yield* proceed("r1", fields)
      assert.deepStrictEqual(yield* seen, ["Order it"])
      yield* start("probe", "r3")
      assert.deepStrictEqual(yield* seen, ["Order it", "anew", "probe"])
    }))

  it.effect("the finished calls beside it stay, with their results", () =>
    Effect.gen(function*() {
      const both = [Script.toolCall("look", {}, "call_l"), ordering]
      const { proceed, seen, start } = yield* opened([both, [Script.text("anew")], [Script.text("next")]])
      yield* start("Look and order", "r1")
      yield* proceed("r1", { regenerate: "true" })
      assert.deepStrictEqual(yield* seen, ["Look and order", "calls call_l", "seen"])
      yield* start("probe", "r3")
      assert.deepStrictEqual(yield* seen, ["Look and order", "calls call_l", "seen", "anew", "probe"])
    }))
})
