// Several embedded databases, opened as a service opens them.
import { assert, describe, it } from "@effect/vitest"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as Agent from "@svc-runtime/features/Agent"
import { features } from "@svc-runtime/features/features"
import * as SqlStores from "@svc-runtime/features/SqlStores"
import * as Storage from "@svc-runtime/server/Storage"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import { Effect, Layer, Schedule } from "effect"
import { always, column, get, list, runWhole } from "../Wire.ts"
import { used } from "./Fixtures.ts"

const limits = {
  storeLimits: StoreLimits.defaults,
  databaseConnections: 1
}

describe("embedded databases", () => {
  it.live("the pending migrations of a database that is not open are those of the engine and of the features", () =>
    Effect.gen(function*() {
      const handle = DatabaseHandle.embedded({ id: "north", dataDir: "memory" })
      const { pending } = yield* Storage.schemaOf(limits, features, handle).state
      const named = SqlStores.sets.filter(({ name }) => pending.some((each) => each.name.startsWith(`${name}_`)))
      assert.deepStrictEqual(named.map(({ name }) => name), SqlStores.sets.map(({ name }) => name))
    }))

  it.live("embedded databases are separate from each other, also in memory", () =>
    Effect.gen(function*() {
      const { model } = yield* always(Script.text("Hello."), used)
      const handles = ["north", "south"].map((id) => DatabaseHandle.embedded({ id, dataDir: "memory" }))
      const server = yield* TestServer.make({
        agents: handles.map((db) => Agent.make({ id: `${db.id}-desk`, model, db })),
        openDatabase: (id) =>
          Layer.unwrap(Effect.map(
            Effect.orDie(Effect.fromNullishOr(handles.find((handle) => handle.id === id))),
            (handle) => Storage.ofHandle(limits, features, handle)
          ))
      })
      for (const { id } of handles) {
        // refused while the database is being opened
        const answer = yield* Effect.repeat(
          runWhole(server, `${id}-desk`, { message: "Hi", session_id: id }),
          { while: ({ status }) => status === 503, schedule: Schedule.spaced("100 millis") }
        )
        assert.strictEqual(answer.status, 200, answer.text)
      }
      for (const { id } of handles) {
        const sessions = list((yield* get(server, `/sessions?db_id=${id}`)).json, "data")
        assert.deepStrictEqual(column(sessions, "session_id"), [id])
      }
    }))
})
