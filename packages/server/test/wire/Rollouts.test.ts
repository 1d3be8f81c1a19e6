// Rollouts: which version a session or a user gets, what stops a version, and what cannot be a rollout.
import { assert, describe, it } from "@effect/vitest"
import * as Component from "@svc-runtime/domain/Component"
import * as Agent from "@svc-runtime/features/Agent"
import * as Prices from "@svc-runtime/telemetry/Prices"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { call, everything, serveClosed, token } from "../authorization/Closed.ts"
import {
  ask as asked,
  at,
  badRequest,
  column,
  failed,
  get,
  list,
  notFound,
  post,
  runWhole,
  send,
  serve
} from "../Wire.ts"

Tier.oneIn(6)

const path = "/components/support"

/** A stored agent with three published versions, of which the first one is current. */
const prepared = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  yield* post(server, "/agents", { name: "Support", instructions: "one" })
  for (const instructions of ["two", "three"]) {
    const { status, text } = yield* post(server, `${path}/configs`, {
      config: { instructions },
      stage: "published",
      set_current: false
    })
    assert.strictEqual(status, 201, text)
  }
  assert.strictEqual(at((yield* get(server, path)).json, "current_version"), 1)
})

const served = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn> = Array.from({ length: 100 }, () => [Script.text("Yes")]),
  options: TestServer.Options = {}
) {
  const { model } = yield* Script.make(turns)
  const server = yield* serve({ model, ...options })
  yield* prepared(server)
  return server
})

const shares = (...parts: ReadonlyArray<readonly [version: number, share: number]>) =>
  parts.map(([version, share]) => ({ version, share }))

const start = Effect.fnUntraced(function*(server: TestServer.TestServer, body: object) {
  const answer = yield* post(server, `${path}/rollout`, body)
  assert.strictEqual(answer.status, 201, answer.text)
  return answer.json
})

const ask = Effect.fnUntraced(function*(server: TestServer.TestServer, fields: Record<string, string>) {
  const { status, text } = yield* runWhole(server, "support", { message: "hi", ...fields })
  assert.strictEqual(status, 200, text)
})

/** The numbers of runs by version. */
const counted = Effect.fnUntraced(function*(server: TestServer.TestServer) {
  const { json } = yield* get(server, `${path}/versions/compare`)
  const rows = list(json, "versions").map((each) => [at(each, "version"), at(each, "runs", "total")])
  return Object.fromEntries(rows) as Record<string, number>
})

describe("rollouts", () => {
  it.effect("each session keeps its version, and the comparison counts the runs of each version", () =>
    Effect.gen(function*() {
      const server = yield* served()
      yield* start(server, { versions: shares([1, 50], [2, 50]) })
      // by chance, all of few sessions would have one version
      const sessions = Array.from({ length: 30 }, (_, session) => `session-${session}`)
      for (const session_id of sessions) yield* ask(server, { session_id })
      const once = yield* counted(server)
      assert.isAbove(once["1"]!, 0)
      assert.isAbove(once["2"]!, 0)
      for (const session_id of sessions) yield* ask(server, { session_id })
      assert.deepStrictEqual(yield* counted(server), { 1: once["1"]! * 2, 2: once["2"]! * 2 })
    }))

  it.effect("a named version overrides the shares, and a share of 100 % is for all runs that name none", () =>
    Effect.gen(function*() {
      const server = yield* served()
      yield* start(server, { versions: shares([2, 100]) })
      for (const session_id of ["a", "b", "c"]) yield* ask(server, { session_id })
      yield* ask(server, { session_id: "d", version: "3" })
      yield* ask(server, {})
      assert.deepStrictEqual(yield* counted(server), { 1: 0, 2: 4, 3: 1 })
      const { json } = yield* send(server, "PATCH", `${path}/rollout`, { versions: shares([1, 100], [2, 0]) })
      assert.strictEqual(at(json, "state"), "active")
      yield* ask(server, { session_id: "a" })
      assert.deepStrictEqual(yield* counted(server), { 1: 1, 2: 4, 3: 1 })
    }))

  it.effect("a user has one version in all sessions if the version is sticky by user", () =>
    Effect.gen(function*() {
      const server = yield* served()
      yield* start(server, { versions: shares([1, 50], [2, 50]), sticky: "user" })
      for (let session = 0; session < 8; session++) yield* ask(server, { session_id: `s-${session}`, user_id: "ann" })
      const { json } = yield* get(server, "/runs")
      assert.lengthOf([...new Set(column(list(json, "data"), "version"))], 1)
    }))

  it.effect("an answer that is regenerated is one of the version of its session", () =>
    Effect.gen(function*() {
      const server = yield* served()
      yield* start(server, { versions: shares([2, 100]) })
      const { json } = yield* runWhole(server, "support", { message: "hi", session_id: "a" })
      const again = yield* asked(server, `/agents/support/runs/${String(at(json, "run_id"))}/continue`, {
        method: "POST",
        body: new URLSearchParams({ session_id: "a", regenerate: "true", stream: "false" })
      })
      assert.strictEqual(again.status, 200, again.text)
      const runs = list((yield* get(server, "/runs")).json, "data")
      assert.deepStrictEqual(column(runs, "version"), [2, 2])
    }))

  it.effect("an answer of another version that is regenerated has that version, as its instructions", () =>
    Effect.gen(function*() {
      const { model, prompts } = yield* Script.make(Array.from({ length: 9 }, () => [Script.text("Yes")]))
      const server = yield* serve({ model })
      yield* prepared(server)
      const { json } = yield* runWhole(server, "support", { message: "hi", session_id: "a" })
      yield* start(server, { versions: shares([2, 100]) })
      const again = yield* asked(server, `/agents/support/runs/${String(at(json, "run_id"))}/continue`, {
        method: "POST",
        body: new URLSearchParams({ session_id: "a", regenerate: "true", stream: "false" })
      })
      assert.strictEqual(again.status, 200, again.text)
      const runs = list((yield* get(server, "/runs")).json, "data")
      assert.deepStrictEqual(column(runs, "version"), [1, 1])
      assert.include(JSON.stringify((yield* prompts)[1]), "one")
    }))

  it.effect("what cannot be a rollout is refused with what to do, and nothing is stored", () =>
    Effect.gen(function*() {
      const server = yield* served()
      yield* post(server, `${path}/configs`, { config: {}, stage: "draft" })
      const refused = (versions: unknown, text: string) =>
        Effect.map(post(server, `${path}/rollout`, { versions }), (answer) => {
          failed(answer, 422, "VALIDATION_ERROR")
          assert.include(answer.text, text)
        })
      yield* refused(
        shares([1, 90], [2, 20]),
        "The shares are 110 % together, and have to be 100 %. Lower them by 10 %"
      )
      yield* refused(shares([1, 90]), "Raise them by 10 %")
      yield* refused(shares([2, 101]), "Input should be a share in percent, from 0 to 100")
      yield* refused(shares([1, 33.333], [2, 66.667]), "two decimals at most")
      yield* refused(shares([1, 1e-9], [2, 100]), "two decimals at most")
      yield* refused(shares([2, 50], [2, 50]), "Version 2 is named twice. Give each version one share")
      yield* refused(shares([1, 50], [9, 50]), "There is no version 9 of 'support'")
      yield* refused(shares([1, 50], [4, 50]), "Version 4 of 'support' is a draft, which can change. Publish it")
      yield* refused(shares([1, 100]), "Version 1 is the current one. Name another version that gets a share")
      notFound(yield* get(server, `${path}/rollout`), "The component 'support' has had no rollout")
      notFound(
        yield* post(server, "/components/missing/rollout", { versions: shares([2, 100]) }),
        "There is no stored component 'missing'. Only stored components have versions"
      )
      yield* post(server, "/components", { name: "Bare", component_type: "agent" })
      failed(
        yield* post(server, "/components/bare/rollout", { versions: shares([1, 100]) }),
        409,
        "CONFLICT",
        "No version of 'bare' is published. Publish one first"
      )
    }))

  it.effect("a guard takes the share of a version that fails, once, and a person decides how it continues", () =>
    Effect.gen(function*() {
      const server = yield* served(Array.from({ length: 60 }, () => [Script.fail("It broke")]))
      yield* start(server, { versions: shares([2, 100]), guard: { max_error_rate: 0.5, min_runs: 3 } })
      const state = Effect.map(get(server, `${path}/rollout`), ({ json }) => json)
      const looked = TestClock.adjust("31 seconds")
      for (const session_id of ["a", "b"]) yield* runWhole(server, "support", { message: "hi", session_id })
      yield* looked
      assert.strictEqual(at(yield* state, "state"), "active")
      yield* runWhole(server, "support", { message: "hi", session_id: "c" })
      yield* looked
      const reason = "The error rate of version 2 is 1 in 3 runs, and has to be 0.5 at most"
      const stopped = yield* state
      assert.deepInclude(stopped as object, { state: "stopped", reason, revision: 2 })
      assert.deepStrictEqual(at(stopped, "versions"), [
        { version: 1, share: 100, stopped_reason: null },
        { version: 2, share: 0, stopped_reason: reason }
      ])
      assert.deepStrictEqual(column(list(stopped, "history"), "action"), ["started", "stopped"])
      const { json: audit } = yield* get(server, "/audit?subject_id=support")
      assert.include(column(list(audit, "data"), "action"), "a guard stopped a version")
      yield* runWhole(server, "support", { message: "hi", session_id: "a" })
      assert.deepStrictEqual(yield* counted(server), { 1: 1, 2: 3 })
      yield* looked
      assert.strictEqual(at(yield* state, "revision"), 2)
      failed(yield* post(server, `${path}/rollout`, { versions: shares([2, 100]) }), 409, "CONFLICT")
      const resumed = yield* send(server, "PATCH", `${path}/rollout`, { versions: shares([2, 100]) })
      assert.strictEqual(at(resumed.json, "state"), "active")
      yield* looked
      assert.strictEqual(at(yield* state, "state"), "active")
    }))

  it.effect("cost and scores are compared by version, and stop one as well", () =>
    Effect.gen(function*() {
      const prices = Prices.make([{ models: ["scripted"], input: 1000, output: 1000 }])
      const turn = [Script.text("Yes"), Script.usage({ input: 300, output: 100 })]
      const server = yield* served(Array.from({ length: 20 }, () => turn), { prices })
      yield* start(server, {
        versions: shares([2, 50], [3, 50]),
        guard: { max_cost: 0.5, min_score: 0.6, min_runs: 2 }
      })
      const rated = Effect.fnUntraced(function*(version: string, score: number) {
        const { json } = yield* runWhole(server, "support", {
          message: "hi",
          session_id: `s-${version}-${score}`,
          version
        })
        const [run_id, session_id] = [at(json, "run_id"), at(json, "session_id")]
        const given = yield* post(server, `/runs/${String(run_id)}/feedback?session_id=${String(session_id)}`, {
          score
        })
        assert.isBelow(given.status, 300, given.text)
      })
      for (const score of [0.9, 0.7]) yield* rated("2", score)
      for (const score of [0.2, 0.4]) yield* rated("3", score)
      yield* TestClock.adjust("31 seconds")
      const { json } = yield* get(server, `${path}/versions/compare`)
      const [, second, third] = list(json, "versions")
      assert.deepInclude(second as object, {
        version: 2,
        is_current: false,
        share: 50,
        runs: { total: 2, completed: 2, failed: 0, cancelled: 0 },
        error_rate: 0,
        tokens: { input_tokens: 600, output_tokens: 200, total_tokens: 800 },
        cost: 0.8,
        cost_per_run: 0.4,
        scores: [{ key: "rating", source: "user", count: 2, mean: 0.8 }]
      })
      assert.strictEqual(at(third, "share"), 0)
      const rollout = (yield* get(server, `${path}/rollout`)).json
      assert.deepInclude(rollout as object, {
        state: "active",
        reason: "The mean score of version 3 is 0.3 in 2 runs, and has to be 0.6 at least"
      })
    }))

  it.effect("another current version ends a rollout with a sentence, and all runs get it at once", () =>
    Effect.gen(function*() {
      const server = yield* served()
      yield* start(server, { versions: shares([2, 100]) })
      yield* ask(server, { session_id: "a" })
      yield* post(server, `${path}/configs/3/set-current`, {})
      yield* ask(server, { session_id: "a" })
      assert.deepStrictEqual(yield* counted(server), { 2: 1, 3: 1 })
      const { json } = yield* get(server, `${path}/rollout`)
      const reason = "Version 3 was made the current version in place of version 1"
      assert.deepInclude(json as object, { state: "ended", reason })
      failed(
        yield* send(server, "PATCH", `${path}/rollout`, { guard: null }),
        409,
        "CONFLICT",
        `The last rollout of 'support' has ended: ${reason}. Start another one`
      )
      yield* start(server, { versions: shares([1, 100]) })
      const { json: all } = yield* get(server, `${path}/rollouts`)
      assert.deepStrictEqual(column(list(all, "data"), "state"), ["active", "ended"])
    }))

  it.effect("a version in a rollout is not deleted, and one that was taken out of it is", () =>
    Effect.gen(function*() {
      const server = yield* served()
      yield* start(server, { versions: shares([1, 50], [2, 50]) })
      const remove = send(server, "DELETE", `${path}/configs/2`, undefined)
      badRequest(
        yield* remove,
        "Version 2 of support is in a rollout. Take it out of the rollout, or stop the rollout, and delete it then"
      )
      yield* send(server, "PATCH", `${path}/rollout`, { versions: shares([1, 50], [3, 50]) })
      assert.strictEqual((yield* remove).status, 204)
      yield* post(server, `${path}/rollout/stop`, { reason: "Enough" })
      assert.strictEqual((yield* send(server, "DELETE", `${path}/configs/3`, undefined)).status, 204)
    }))

  it.effect("a version that is deleted while it gets a share ends the rollout, and gets no runs", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make(Array.from({ length: 9 }, () => [Script.text("Yes")]))
      const stores = yield* TestDatabase.make()
      const server = yield* serve({ model, database: () => stores })
      yield* prepared(server)
      yield* start(server, { versions: shares([1, 50], [2, 50]) })
      yield* send(server, "PATCH", `${path}/rollout`, { versions: shares([3, 100]) })
      // as by a request that looked before the change
      yield* stores.components.removeConfig(Component.Id.make("support"), 3, 1)
      yield* TestClock.adjust("6 seconds")
      const { json } = yield* get(server, `${path}/rollout`)
      assert.deepInclude(json as object, { state: "ended", reason: "Version 3 was deleted" })
      yield* ask(server, { session_id: "a" })
      assert.deepStrictEqual(yield* counted(server), { 1: 1 })
    }))

  it.effect("the second of two changes that name one revision is refused, and a stop is final", () =>
    Effect.gen(function*() {
      const server = yield* served()
      const revision = at(yield* start(server, { versions: shares([1, 90], [2, 10]) }), "revision")
      const change = send(server, "PATCH", `${path}/rollout`, { versions: shares([1, 80], [2, 20]), revision })
      assert.strictEqual((yield* change).status, 200)
      failed(yield* change, 409, "CONFLICT", "The rollout has the revision 2, not 1. Read it, and try again")
      const stopped = yield* post(server, `${path}/rollout/stop`, { reason: "Too long" })
      assert.deepInclude(stopped.json as object, { state: "ended", reason: "Too long" })
      failed(yield* post(server, `${path}/rollout/stop`, {}), 409, "CONFLICT")
      for (const session_id of ["a", "b", "c"]) yield* ask(server, { session_id })
      assert.deepStrictEqual(yield* counted(server), { 1: 3 })
    }))

  it.effect("a rollout of a component that code overrides is refused, because its runs have no version", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([])
      const stores = yield* TestDatabase.make()
      yield* prepared(yield* serve({ model, database: () => stores }))
      const agents = [Agent.make({ id: "support", model })]
      const server = yield* serve({ model, agents, database: () => stores })
      failed(
        yield* post(server, `${path}/rollout`, { versions: shares([2, 100]) }),
        409,
        "CONFLICT",
        "The agent 'support' is defined in code as well, which all its runs use. A rollout would have no effect"
      )
    }))

  it.effect("a comparison of a time that ends before it begins is refused", () =>
    Effect.gen(function*() {
      const server = yield* served()
      badRequest(
        yield* get(server, `${path}/versions/compare?since=2030-01-01T00:00:00Z&until=2020-01-01T00:00:00Z`),
        "since is after until. Name a time that begins before it ends"
      )
    }))

  it.effect("two nodes give each session the same version within five seconds", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make(Array.from({ length: 40 }, () => [Script.text("Yes")]))
      const stores = yield* TestDatabase.make()
      const node = serve({ model, database: () => stores })
      const [one, other] = [yield* node, yield* node]
      yield* prepared(one)
      yield* start(one, { versions: shares([1, 50], [2, 50]) })
      yield* TestClock.adjust("5 seconds")
      const versionsOf = Effect.fnUntraced(function*(server: TestServer.TestServer) {
        for (let session = 0; session < 6; session++) yield* ask(server, { session_id: `s-${session}` })
        const runs = list((yield* get(server, "/runs?limit=6")).json, "data")
        return Object.fromEntries(runs.map((run) => [at(run, "session_id"), at(run, "version")]))
      })
      const given = yield* versionsOf(one)
      assert.deepStrictEqual(new Set(Object.values(given)), new Set([1, 2]))
      assert.deepStrictEqual(yield* versionsOf(other), given)
      // one that starts later
      assert.deepStrictEqual(yield* versionsOf(yield* node), given)
      yield* post(other, `${path}/rollout/stop`, {})
      for (const _ of [1, 2]) yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(new Set(Object.values(yield* versionsOf(one))), new Set([1]))
    }))

  it.effect("a reader changes nothing, and a user compares only runs of their own", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const [admin, ann] = [yield* token("admin", ...everything), yield* token("ann", "components:read", "agents:run")]
      const json = (method: string, path: string, body: object) => ({
        path,
        init: { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
      })
      yield* call(server, json("POST", "/agents", { name: "Support", instructions: "one", model: "fixed" }), admin)
      const versions = shares([2, 100])
      assert.strictEqual((yield* call(server, json("POST", `${path}/rollout`, { versions }), ann)).status, 403)
      yield* call(server, json("POST", "/agents/support/runs", { message: "hi", stream: false }), admin)
      const runsOf = (bearer: string) =>
        Effect.map(call(server, { path: `${path}/versions/compare`, init: {} }, bearer), (answer) => {
          assert.strictEqual(answer.status, 200, answer.text)
          return at(list(answer.json, "versions")[0], "runs", "total")
        })
      assert.deepStrictEqual([yield* runsOf(admin), yield* runsOf(ann)], [1, 0])
    }))
})
