// The jobs that read runs: for callers whose rights end, in several databases, and beside an embedder that hangs.
import { assert, describe, it } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type { Database } from "@svc-runtime/engine/database/Database"
import { Agent } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as TopicEmbedder from "@svc-runtime/test-support/TopicEmbedder"
import { Deferred, Effect } from "effect"
import { call, closed, mint, theIssuer } from "../authorization/Closed.ts"
import { at, column, get, list, runWhole, send } from "../Wire.ts"
import { ann, open, usage, usageOf } from "./MemoryFixtures.ts"
import { own, tenant } from "./TwoDatabases.ts"

Tier.oneIn(2)

const answer = [Script.text("Noted.")]
const fields = { message: "I like tea.", session_id: "s", user_id: "ann" }

const change = (memory: string) => [
  Script.text(JSON.stringify({ changes: [{ action: "create", id: "", memory, topics: [], reason: "" }] }))
]

const adminToken = Effect.flatMap(theIssuer, (issuer) =>
  issuer.sign({
    sub: "root",
    scopes: ["platform:admin"],
    aud: "svc",
    exp: Math.floor(Date.now() / 1000) + 3600
  }))

describe("the jobs that read runs", () => {
  it.live("a job of an accepted run completes after the token of its caller was revoked, who reads nothing of it", () =>
    Effect.gen(function*() {
      const [requested, released] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const wait = Script.wait(Effect.andThen(Deferred.succeed(requested, undefined), Deferred.await(released)))
      const [talking, reading] = [yield* Script.make([answer]), yield* Script.make([[wait, ...change("Likes tea")]])]
      const agent = Agent.make({ id: "agent", model: talking.model, memory: { model: reading.model } })
      const { jobEnd, memoriesOf, server } = yield* open({ agents: [agent], authorization: yield* closed })
      const admin = yield* adminToken
      const scopes = ["agents:run", "memories:read"]
      const account = yield* mint(server, admin, { name: "nightly", scopes })
      const body = new URLSearchParams({ message: "I like tea.", session_id: "s", stream: "false" })
      const run = { path: "/agents/agent/runs", init: { method: "POST", body } }
      const { json } = yield* call(server, run, account.token)
      assert.strictEqual(at(json, "status"), "COMPLETED", JSON.stringify(json))
      yield* Deferred.await(requested)
      const revoked = { path: `/service-accounts/${account.id}`, init: { method: "DELETE" } }
      assert.strictEqual((yield* call(server, revoked, admin)).status, 204)
      yield* Deferred.succeed(released, undefined)
      assert.strictEqual(yield* jobEnd, "Completed")
      const user = at(json, "user_id") as typeof ann
      assert.strictEqual(user, "sa:nightly")
      assert.deepStrictEqual(yield* memoriesOf(user), ["Likes tea"])
      assert.strictEqual((yield* call(server, { path: "/memories" }, account.token)).status, 401)
    }))

  it.live("an agent with a database of its own remembers there, and the memory of a user is deleted in all databases", () =>
    Effect.gen(function*() {
      const stores = new Map<string, Database>()
      const talking = yield* Script.make([answer, answer])
      const reading = yield* Script.make([change("Likes tea"), change("Likes milk")])
      const options = { model: talking.model, memory: { model: reading.model } }
      const server = yield* TestServer.make({
        agents: [Agent.make({ id: "here", ...options }), Agent.make({ id: "there", ...options, db: tenant })],
        database: (opened) => (stores.set(opened.id, opened), opened)
      })
      const textsIn = (db: string) =>
        Effect.map(get(server, `/memories?user_id=ann&db_id=${db}`), ({ json }) => column(list(json, "data"), "memory"))
      const storedIn = (db: string) => textsIn(db).pipe(Effect.repeat({ until: (texts) => texts.length > 0 }))
      yield* runWhole(server, "there", fields)
      assert.deepStrictEqual(yield* storedIn(tenant.id), ["Likes tea"])
      assert.deepStrictEqual(yield* textsIn(own), [])
      yield* runWhole(server, "here", { ...fields, session_id: "t" })
      assert.deepStrictEqual(yield* storedIn(own), ["Likes milk"])
      const { json } = yield* send(server, "DELETE", "/users/ann/memory", {})
      assert.strictEqual(at(json, "memories"), 2)
      assert.strictEqual(at(json, "jobs"), 2)
      for (const db of [own, tenant.id]) {
        assert.deepStrictEqual(yield* textsIn(db), [])
        const { jobs, memorySettings } = stores.get(db)!
        const filter = { owner: Owner.anyone, kind: "memory-extraction" }
        assert.strictEqual((yield* jobs.list(filter, { page: 1, limit: 9 })).total, 0, db)
        assert.deepStrictEqual((yield* memorySettings.erasuresOf(ann)).map(({ counts }) => counts["memories"]), [1])
      }
    }))

  it.live("a job requests the fallback models of its agent if its model fails, and counts the tokens of the one that answers", () =>
    Effect.gen(function*() {
      const talking = yield* Script.make([answer])
      const failing = yield* Script.make([[Script.fail("It is down")], [Script.fail("It is down")]])
      const summary = [Script.text(JSON.stringify({ summary: "The user likes tea.", topics: [] })), usage]
      const reading = yield* Script.make([[...change("Likes tea"), usage], summary])
      const fallback = { ...reading.model, id: "second" }
      const agent = Agent.make({
        id: "agent",
        model: talking.model,
        fallbackModels: [fallback],
        memory: { model: failing.model, update: "inline" },
        sessionSummaries: { model: failing.model, afterRuns: 1 }
      })
      const { jobEnd, memoriesOf, server } = yield* open({ agents: [agent] })
      yield* runWhole(server, "agent", fields)
      assert.strictEqual(yield* jobEnd, "Completed")
      assert.deepStrictEqual(yield* memoriesOf(ann), ["Likes tea"])
      const { json } = yield* get(server, "/sessions/s?type=agent")
      assert.strictEqual(at(json, "session_summary", "summary"), "The user likes tea.")
      for (const role of ["memory_model", "session_summary_model"]) {
        assert.deepInclude(yield* usageOf(server, role), { id: "second", input_tokens: 7, output_tokens: 3 }, role)
      }
    }))

  it.live("an embedder that hangs holds up neither runs nor the jobs that read them", () =>
    Effect.gen(function*() {
      const hanging = yield* Deferred.make<void>()
      const embedder = TopicEmbedder.make({
        before: () => Effect.andThen(Deferred.succeed(hanging, undefined), Effect.never)
      })
      const [talking, reading] = [
        yield* Script.make([answer, answer]),
        yield* Script.make([change("Likes tea"), change("Likes milk")])
      ]
      const agent = Agent.make({ id: "agent", model: talking.model, memory: { model: reading.model } })
      const { jobEnd, memoriesOf, server } = yield* open({ agents: [agent], embedder })
      for (const texts of [["Likes tea"], ["Likes milk", "Likes tea"]]) {
        const { json } = yield* runWhole(server, "agent", fields)
        assert.strictEqual(at(json, "status"), "COMPLETED")
        assert.strictEqual(yield* jobEnd, "Completed")
        assert.sameMembers([...yield* memoriesOf(ann)], texts)
        yield* Deferred.await(hanging)
      }
      const { prompt } = (yield* talking.calls)[1]!
      assert.include(JSON.stringify(prompt), "Likes tea")
    }))
})
