// How many statements of the database stored components take: as many for few of them as for many.
import { assert, describe, it } from "@effect/vitest"
import type { Database } from "@svc-runtime/engine/database/Database"
import { mapStatements } from "@svc-runtime/engine/database/mapStatements"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, column, get, list, post, runWhole, send, serve } from "../Wire.ts"

Tier.oneIn(6)

const post201 = Effect.fnUntraced(function*(server: TestServer.TestServer, path: string, body: object) {
  const { status, text } = yield* post(server, path, body)
  assert.strictEqual(status, 201, text)
})

/** A service that notes the statements of the store of components, and the next one, which has nothing in memory. */
const counted = Effect.gen(function*() {
  const statements: Array<string> = []
  let stores: Database | undefined
  const noted = (database: Database): Database => ({
    ...database,
    components: mapStatements(
      database.components,
      (statement, method) => Effect.andThen(Effect.sync(() => void statements.push(method)), statement)
    )
  })
  const options: TestServer.Options = { database: (database) => stores ??= noted(database) }
  return {
    server: yield* serve(options),
    restarted: serve(options),
    during: Effect.fnUntraced(function*<A, R>(
      effect: Effect.Effect<A, never, R>
    ) {
      statements.length = 0
      const answer = yield* effect
      return { answer, statements: [...statements] }
    })
  }
})

const numbers = Array.from({ length: 20 }, (_, number) => number)

describe("statements of stored components", () => {
  it.effect("a list takes two statements for each level of what is named, and no more for many components", () =>
    Effect.gen(function*() {
      const { during, restarted, server } = yield* counted
      for (const number of numbers) {
        yield* post201(server, "/agents", { name: `A${number}`, instructions: `Agent ${number}` })
        yield* post201(server, "/teams", { name: `T${number}`, members: [{ type: "agent", agent_id: `a${number}` }] })
        yield* post201(server, "/workflows", { name: `W${number}`, steps: [{ name: "s", agent_id: `a${number}` }] })
      }
      const read = Effect.fnUntraced(function*(path: string) {
        const next = yield* restarted
        const first = yield* during(get(next, path))
        assert.strictEqual(list(first.answer.json).length, numbers.length)
        return { next, first }
      })
      const agents = yield* read("/agents")
      assert.deepStrictEqual(agents.first.statements, ["list", "definitions"])
      const [shown] = list(agents.first.answer.json)
      assert.strictEqual(at(shown, "system_message", "instructions"), "Agent 0")
      // what was built is kept
      assert.deepStrictEqual((yield* during(get(agents.next, "/agents"))).statements, ["list"])
      assert.deepStrictEqual((yield* read("/teams")).first.statements, ["list", "definitions", "heads", "definitions"])
      assert.deepStrictEqual(
        (yield* read("/workflows")).first.statements,
        ["list", "definitions", "heads", "definitions"]
      )
    }))

  it.effect("a run takes no statement of its own, however many components are in it, as long as they do not change", () =>
    Effect.gen(function*() {
      const { during, server } = yield* counted
      for (const number of numbers) yield* post201(server, "/agents", { name: `A${number}`, model: "fixed" })
      const members = numbers.map((number) => ({ type: "agent", agent_id: `a${number}` }))
      yield* post201(server, "/teams", { name: "Team", members, model: "fixed" })
      const steps = numbers.map((number) => ({ name: `s${number}`, agent_id: `a${number}` }))
      yield* post201(server, "/workflows", { name: "Flow", steps })
      const run = (path: string) =>
        during(send(server, "POST", path, { message: "Hi", stream: false })).pipe(
          Effect.tap(({ answer }) => Effect.sync(() => assert.strictEqual(answer.status, 200, answer.text))),
          Effect.map(({ statements }) => statements)
        )
      yield* runWhole(server, "a0", { message: "Hi" })
      yield* run("/teams/team/runs")
      assert.deepStrictEqual(yield* run("/teams/team/runs"), [])
      yield* run("/workflows/flow/runs")
      assert.deepStrictEqual(yield* run("/workflows/flow/runs"), [])
      yield* send(server, "PATCH", "/agents/a1", { instructions: "Second" })
      const built = ["heads", "definition", "definitions"]
      assert.deepStrictEqual(yield* run("/workflows/flow/runs"), built)
      assert.deepStrictEqual(yield* run("/workflows/flow/runs"), [])
      // its members are linked to versions that do not change
      assert.deepStrictEqual(yield* run("/teams/team/runs"), [])
      yield* send(server, "DELETE", "/agents/a2", undefined)
      const gone = yield* send(server, "POST", "/workflows/flow/runs", { message: "Hi", stream: false })
      assert.include(gone.text, "There is no agent 'a2' with a published version")
    }))

  it.effect("a run of a version that has a share takes no statement of its own, and neither does one of the others", () =>
    Effect.gen(function*() {
      const { during, server } = yield* counted
      yield* post201(server, "/agents", { name: "A", model: "fixed" })
      const second = { config: { model: "fixed", instructions: "Second" }, stage: "published", set_current: false }
      yield* post201(server, "/components/a/configs", second)
      const versions = [{ version: 1, share: 50 }, { version: 2, share: 50 }]
      yield* post201(server, "/components/a/rollout", { versions })
      const sessions = numbers.map((number) => `session-${number}`)
      const run = (session_id: string) => runWhole(server, "a", { message: "Hi", session_id })
      for (const session of sessions) yield* run(session)
      const { statements } = yield* during(Effect.forEach(sessions, run))
      assert.deepStrictEqual(statements, [])
      const runs = list((yield* get(server, "/runs?limit=40")).json, "data")
      assert.deepStrictEqual(new Set(column(runs, "version")), new Set([1, 2]))
    }))

  it.effect("a version with 1,000 links is checked with one statement", () =>
    Effect.gen(function*() {
      const { during, server } = yield* counted
      yield* post201(server, "/agents", { name: "A" })
      yield* post201(server, "/agents", { name: "B" })
      const links = Array.from({ length: 1000 }, (_, number) => ({
        link_kind: "uses",
        link_key: `link ${number}`,
        child_component_id: "a",
        child_version: 1
      }))
      const save = (links: ReadonlyArray<object>) =>
        during(post(server, "/components/b/configs", { config: {}, links }))
      const saved = yield* save(links)
      assert.strictEqual(saved.answer.status, 201, saved.answer.text)
      assert.deepStrictEqual(saved.statements, ["find", "present", "change"])
      const refused = yield* save([...links.slice(1), { ...links[0], child_version: 2 }])
      assert.strictEqual(at(refused.answer.json, "detail"), "Config a v2 not found")
    }))

  it.effect("a component that was renamed is listed with its new name", () =>
    Effect.gen(function*() {
      const { server } = yield* counted
      yield* post201(server, "/agents", { name: "A", model: "fixed" })
      yield* runWhole(server, "a", { message: "Hi" })
      yield* send(server, "PATCH", "/components/a", { name: "Host" })
      assert.deepStrictEqual(column((yield* get(server, "/agents")).json, "name"), ["Host"])
      assert.strictEqual(at((yield* runWhole(server, "a", { message: "Hi" })).json, "agent_name"), "Host")
    }))

  it.effect("a component that was renamed has its new name in a team that is linked to it", () =>
    Effect.gen(function*() {
      const { during, server } = yield* counted
      yield* post201(server, "/agents", { name: "A", model: "fixed" })
      yield* post201(server, "/teams", { name: "T", model: "fixed", members: [{ type: "agent", agent_id: "a" }] })
      yield* post201(server, "/workflows", { name: "W", steps: [{ name: "s", team_id: "t" }] })
      const run = (path: string) => during(send(server, "POST", path, { message: "Hi", stream: false }))
      for (const path of ["/teams/t", "/workflows/w"]) {
        yield* run(`${path}/runs`)
        assert.deepStrictEqual((yield* run(`${path}/runs`)).statements, [])
      }
      yield* send(server, "PATCH", "/components/a", { name: "Host" })
      for (const path of ["/teams/t", "/workflows/w"]) {
        assert.notDeepEqual((yield* run(`${path}/runs`)).statements, [])
        assert.deepStrictEqual((yield* run(`${path}/runs`)).statements, [])
        assert.include((yield* get(server, path)).text, `"name":"Host"`)
      }
      assert.include((yield* get(server, "/teams")).text, `"name":"Host"`)
    }))
})
