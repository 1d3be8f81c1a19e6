// The state of a session belongs to all of its runs: a run that is resumed keeps what others have stored since it
// paused, and stores what it has changed itself, key by key.
import { assert, describe, it } from "@effect/vitest"
import * as Step from "@svc-runtime/agents/workflow/define/Step"
import * as Workflow from "@svc-runtime/agents/workflow/Workflow"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { ask, at, failed, type Fields, get, list, notFound, post, runWhole, send, serve } from "../Wire.ts"

Tier.oneIn(6)

const pair = Schema.Struct({ key: Schema.String, value: Schema.String })

const set = Tool.make({
  name: "set",
  parameters: pair,
  execute: ({ key, value }, { sessionState }) => {
    sessionState[key] = value
    return "set"
  }
})
const remove = Tool.make({
  name: "remove",
  parameters: Schema.Struct({ key: Schema.String }),
  execute: ({ key }, { sessionState }) => {
    delete sessionState[key]
    return "removed"
  }
})
const look = Tool.make({
  name: "look",
  execute: (_, { sessionState }) => JSON.stringify(sessionState)
})
const confirm = Tool.make({ name: "confirm", requiresConfirmation: true, execute: () => "confirmed" })
const tools = [set, remove, look, confirm]

const setting = (key: string, value: string, id: string) => Script.toolCall("set", { key, value }, id)

const serving = Effect.fnUntraced(function*(...turns: ReadonlyArray<Script.Turn>) {
  const { model } = yield* Script.make(turns)
  return yield* serve({ agents: [Agent.make({ id: "writer", name: "Writer", model, tools })] })
})

const start = (server: TestServer.TestServer, fields: Fields) =>
  runWhole(server, "writer", { message: "x", session_id: "s", ...fields })

const proceed = (server: TestServer.TestServer, path: string, fields: Fields) =>
  ask(server, `/${path}/continue`, {
    method: "POST",
    body: new URLSearchParams({ session_id: "s", stream: "false", ...fields })
  })

const confirmed = { tools: JSON.stringify([{ tool_call_id: "c", confirmed: true }]) }

const patch = (server: TestServer.TestServer, session_state: object) =>
  send(server, "PATCH", "/sessions/s", { session_state })

const stateOf = (server: TestServer.TestServer) =>
  Effect.map(get(server, "/sessions/s"), ({ json }) => at(json, "session_state"))

describe("an agent's run that is resumed", () => {
  it.effect("an agent's run keeps the changes of other runs and of a PATCH since it paused", () =>
    Effect.gen(function*() {
      const server = yield* serving(
        [setting("one", "1", "a"), Script.toolCall("confirm", {}, "c")],
        [setting("two", "2", "b")],
        [Script.text("Two.")],
        [Script.toolCall("look", {}, "l"), setting("three", "3", "d")],
        [Script.text("One.")]
      )
      yield* start(server, { run_id: "r" })
      assert.deepStrictEqual(yield* stateOf(server), { one: "1" })
      yield* start(server, {})
      yield* patch(server, { one: "1", two: "2", patched: true })
      const { json } = yield* proceed(server, "agents/writer/runs/r", confirmed)
      const seen = list(json, "tools").find((tool) => at(tool, "tool_name") === "look")
      assert.deepStrictEqual(JSON.parse(String(at(seen, "result"))), { one: "1", two: "2", patched: true })
      const expected = { one: "1", two: "2", patched: true, three: "3" }
      assert.deepStrictEqual(at(json, "session_state"), expected)
      assert.deepStrictEqual(yield* stateOf(server), expected)
    }))

  it.effect("an agent's run does not store again what others have changed or removed since, nor the state of its caller", () =>
    Effect.gen(function*() {
      const server = yield* serving(
        [setting("one", "1", "a"), setting("two", "2", "b"), Script.toolCall("confirm", {}, "c")],
        [Script.text("Done.")]
      )
      yield* start(server, { run_id: "r", session_state: JSON.stringify({ sent: "first" }) })
      assert.deepStrictEqual(yield* stateOf(server), { sent: "first", one: "1", two: "2" })
      yield* patch(server, { sent: "second", one: "changed" })
      yield* proceed(server, "agents/writer/runs/r", confirmed)
      assert.deepStrictEqual(yield* stateOf(server), { sent: "second", one: "changed" })
    }))

  it.effect("an agent's run removes only the keys that it removes", () =>
    Effect.gen(function*() {
      const server = yield* serving(
        [Script.toolCall("confirm", {}, "c")],
        [Script.toolCall("remove", { key: "old" }, "a")],
        [Script.text("Done.")]
      )
      yield* start(server, { run_id: "r", session_state: JSON.stringify({ old: 1 }) })
      yield* patch(server, { old: 1, other: 2 })
      yield* proceed(server, "agents/writer/runs/r", confirmed)
      assert.deepStrictEqual(yield* stateOf(server), { other: 2 })
    }))

  it.effect("an agent's run keeps a PATCH during its execution", () =>
    Effect.gen(function*() {
      const patched: { server?: TestServer.TestServer } = {}
      const server = yield* serving(
        [setting("one", "1", "a")],
        [
          Script.wait(Effect.suspend(() => patch(patched.server!, { patched: true }))),
          setting("two", "2", "b")
        ],
        [Script.text("Done.")]
      )
      patched.server = server
      yield* start(server, {})
      assert.deepStrictEqual(yield* stateOf(server), { patched: true, one: "1", two: "2" })
    }))
})

describe("a team's run that is resumed", () => {
  it.effect("a team's run keeps the changes of others, of its members as of its leader", () =>
    Effect.gen(function*() {
      const asks = (member_id: string, id: string) =>
        Script.toolCall("delegate_task_to_member", { member_id, task: "t" }, id)
      const leader = yield* Script.make([
        [setting("leader", "1", "a"), asks("quick", "q"), asks("slow", "w")],
        [Script.text("Done.")]
      ])
      const quick = yield* Script.make([[setting("quick", "1", "b")], [Script.text("Quick.")]])
      const slow = yield* Script.make([
        [setting("slow", "1", "d")],
        [Script.toolCall("confirm", {}, "c")],
        [setting("late", "1", "e")],
        [Script.text("Slow.")]
      ])
      const members = [
        Agent.make({ id: "quick", name: "Quick", model: quick.model, tools }),
        Agent.make({ id: "slow", name: "Slow", model: slow.model, tools })
      ]
      const server = yield* serve({ teams: [Team.make({ id: "team", model: leader.model, members, tools })] })
      const paused = yield* ask(server, "/teams/team/runs", {
        method: "POST",
        body: new URLSearchParams({ message: "x", session_id: "s", run_id: "r", stream: "false" })
      })
      assert.deepInclude(paused.json, { status: "PAUSED" })
      assert.deepStrictEqual(yield* stateOf(server), { leader: "1", quick: "1", slow: "1" })
      yield* patch(server, { leader: "patched", quick: "patched", slow: "patched", other: true })
      const requirements = list(paused.json, "requirements").map((each) => ({ id: at(each, "id"), confirmation: true }))
      const { json } = yield* proceed(server, "teams/team/runs/r", { requirements: JSON.stringify(requirements) })
      assert.deepInclude(json, { status: "COMPLETED" })
      const expected = { leader: "patched", quick: "patched", slow: "patched", other: true, late: "1" }
      assert.deepStrictEqual(yield* stateOf(server), expected)
    }))
})

describe("a workflow's run that is resumed", () => {
  it.effect("a workflow's run keeps the changes of others since it paused", () =>
    Effect.gen(function*() {
      const keeping = (key: string) =>
        Step.make({
          name: key,
          run: ({ sessionState }) => {
            sessionState[key] = "1"
          }
        })
      const confirmedStep = Step.make({ name: "asked", confirmation: true, run: () => "agreed" })
      const seen: Array<unknown> = []
      const last = Step.make({
        name: "last",
        run: ({ sessionState }) => {
          seen.push(structuredClone(sessionState))
          sessionState["last"] = "1"
        }
      })
      const workflow = Workflow.make({ id: "flow", steps: [keeping("one"), keeping("two"), confirmedStep, last] })
      const server = yield* serve({ workflows: [workflow] })
      const paused = yield* ask(server, "/workflows/flow/runs", {
        method: "POST",
        body: new URLSearchParams({ message: "x", session_id: "s", run_id: "r", stream: "false" })
      })
      assert.deepStrictEqual(yield* stateOf(server), { one: "1", two: "1" })
      yield* patch(server, { one: "patched", other: true })
      const requirement = { ...at(paused.json, "step_requirements", 0) as object, confirmed: true }
      const { json } = yield* proceed(server, "workflows/flow/runs/r", {
        step_requirements: JSON.stringify([requirement])
      })
      assert.deepInclude(json, { status: "COMPLETED" })
      assert.deepStrictEqual(seen, [{ one: "patched", other: true }])
      assert.deepStrictEqual(yield* stateOf(server), { one: "patched", other: true, last: "1" })
    }))
})

describe("a state with many keys", () => {
  it.effect("A state with more than 500 keys is refused with 413, and a list with as many values is not.", () =>
    Effect.gen(function*() {
      const server = yield* serve({})
      const numbers = Array.from({ length: 501 }, (_, index) => index)
      const keys = (count: number) => Object.fromEntries(numbers.slice(0, count).map((each) => [`key${each}`, each]))
      const create = (session_id: string, session_state: object) =>
        post(server, "/sessions?type=agent", { session_id, session_state })
      const text = "The session state has more than 500 keys. Keep many values in a list or an object"
      failed(yield* create("many", keys(501)), 413, "PAYLOAD_TOO_LARGE", text)
      assert.strictEqual((yield* create("fewer", keys(500))).status, 201)
      assert.strictEqual((yield* create("list", { numbers })).status, 201)
    }))
})

describe("a state larger than SESSION_STATE_MAX_BYTES", () => {
  it.effect("a large state is refused with 413 in POST and PATCH of a session, and nothing is stored", () =>
    Effect.gen(function*() {
      const server = yield* serve({ byteLimits: { sessionState: 1000 } })
      const state = (length: number) => ({ session_state: { text: "\u20ac".repeat(length) } })
      const create = (length: number) => post(server, "/sessions?type=agent", { session_id: "s", ...state(length) })
      const text = "The session state is larger than 1000 bytes (SESSION_STATE_MAX_BYTES)"
      failed(yield* create(400), 413, "PAYLOAD_TOO_LARGE", text)
      notFound(yield* get(server, "/sessions/s"))
      assert.strictEqual((yield* create(100)).status, 201)
      failed(yield* patch(server, state(400).session_state), 413, "PAYLOAD_TOO_LARGE", text)
      assert.deepStrictEqual(yield* stateOf(server), state(100).session_state)
    }))
})
