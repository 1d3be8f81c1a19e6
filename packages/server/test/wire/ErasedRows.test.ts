// What is left in the tables of a database after the memory of a user is deleted.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { makeDatabase } from "@svc-runtime/engine/database/Database"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import { TraceBuffer } from "@svc-runtime/features/traces/TraceWriter"
import { Agent, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TopicEmbedder from "@svc-runtime/test-support/TopicEmbedder"
import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { zstdDecompressSync } from "node:zlib"
import { ask, get, list, send } from "../Wire.ts"
import { open } from "./MemoryFixtures.ts"

/** No message has it: only what the models that read runs have written. */
const marker = "zanzibar"

const always = (...steps: ReadonlyArray<Script.Step>) => Script.make(Array.from({ length: 12 }, () => steps))
const json = (value: unknown) => always(Script.text(JSON.stringify(value)))

const hasPackWith = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<{ readonly body: Uint8Array }>`select body from svc_span_packs`,
    (packs) => packs.some(({ body }) => zstdDecompressSync(body).toString().includes(marker))
  )

/** The tables with a row that has the marker, also compressed. */
const tablesWith = Effect.fnUntraced(function*(sql: SqlClient.SqlClient) {
  const tables = yield* sql<{ readonly name: string }>`
    select table_name as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE' order by 1`
  const isFound = ({ name }: { readonly name: string }) =>
    sql`
      select from ${sql(name)} t where t::text ~* ${marker} or t::text ~* ${
      Buffer.from(marker).toString("hex")
    } limit 1`
  const found = (yield* Effect.filter(tables, (table) => Effect.map(isFound(table), ({ length }) => length > 0)))
    .map(({ name }) => name)
  return (yield* hasPackWith(sql)) ? [...found, "svc_span_packs"] : found
})

describe("the memory of a user that is deleted", () => {
  it.live("no table has anything of it, after runs of all kinds with inline updates, and while one is paused", () =>
    Effect.gen(function*() {
      const context = yield* Layer.build(Layer.provideMerge(SqlStores.layer, PgliteLayer.layer))
      const sql = Context.get(context, SqlClient.SqlClient)
      const change = { action: "create", id: "", memory: `Likes ${marker}`, topics: [marker], reason: marker }
      const options = {
        model: (yield* always(Script.text("Noted."))).model,
        memory: { update: "inline", model: (yield* json({ changes: [change] })).model },
        sessionSummaries: {
          afterRuns: 1,
          inline: true,
          model: (yield* json({ summary: `About ${marker}`, topics: [marker] })).model
        },
        learning: { mode: "always", model: (yield* json({ user_profile: [{ name: marker }] })).model },
        storeEvents: true
      } as const
      const agent = Agent.make({ id: "c", ...options })
      const { jobEnd, server } = yield* open({
        agents: [
          agent,
          Agent.make({
            id: "p",
            ...options,
            model: (yield* always(Script.toolCall("pay"))).model,
            tools: [
              Tool.make({
                name: "pay",
                parameters: Schema.Struct({}),
                requiresConfirmation: true,
                execute: () => "paid"
              })
            ]
          })
        ],
        teams: [Team.make({ id: "c", ...options, members: [Agent.make({ id: "m", model: options.model })] })],
        workflows: [Workflow.make({ id: "c", steps: [Step.make({ name: "one", agent })], storeEvents: true })],
        embedder: TopicEmbedder.make(),
        traces: new TraceBuffer({ hasContent: true }),
        database: () => makeDatabase("main-db", context)
      })
      const run = (path: string) =>
        ask(server, `/${path}/runs`, {
          method: "POST",
          headers: { "idempotency-key": path },
          body: new URLSearchParams({ message: "Hi", session_id: path, user_id: "ann" })
        })
      for (const kind of ["agents", "teams", "workflows"]) {
        assert.include((yield* run(`${kind}/c`)).text, "Completed")
        assert.strictEqual(yield* jobEnd, "Completed")
      }
      assert.include((yield* run("agents/p")).text, "RunPaused")
      assert.isAtLeast(list((yield* get(server, "/traces?user_id=ann")).json, "data").length, 4)
      assert.includeMembers(yield* tablesWith(sql), [
        "svc_learnings",
        "svc_memories",
        "svc_sessions",
        "svc_span_packs"
      ])
      const erased = yield* send(server, "DELETE", "/users/ann/memory", {})
      assert.deepInclude(erased.json as object, { learnings: 1, summaries: 2 })
      assert.deepStrictEqual(yield* tablesWith(sql), [])
    }))

  it.live("a removal that cannot be recorded removes nothing, and is counted as a whole when it is repeated", () =>
    Effect.gen(function*() {
      const made = makeDatabase("main-db", yield* Layer.build(Layer.provideMerge(SqlStores.layer, PgliteLayer.layer)))
      let isFull = true
      const { memorySettings } = made
      const recordErasure: typeof memorySettings.recordErasure = (erasure) =>
        isFull ? Effect.fail(new StorageUnavailable({ cause: "disk full" })) : memorySettings.recordErasure(erasure)
      const { server } = yield* open({
        database: () => ({ ...made, memorySettings: { ...memorySettings, recordErasure } })
      })
      yield* send(server, "POST", "/memories", { user_id: "ann", memory: "Likes tea" })
      yield* send(server, "POST", "/learnings", { learning_type: "user_profile", user_id: "ann", content: {} })
      const erase = send(server, "DELETE", "/users/ann/memory", {})
      assert.strictEqual((yield* erase).status, 503)
      assert.strictEqual((yield* send(server, "DELETE", "/learnings/users/ann", {})).status, 503)
      assert.notInclude(JSON.stringify(server.logs), "deleted")
      isFull = false
      assert.deepInclude((yield* erase).json as object, { memories: 1, learnings: 1 })
    }))
})
