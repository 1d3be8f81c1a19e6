// A service has only the features whose records it gets.
import { assert, describe, it } from "@effect/vitest"
import { StoreNames } from "@svc-runtime/engine/database/Stores"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as TestServer from "@svc-runtime/testing/TestServer"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Agent from "../src/Agent.ts"
import type { Feature } from "../src/Feature.ts"
import { features } from "../src/features.ts"
import * as SqlStores from "../src/SqlStores.ts"

const without = (name: string) => features.filter((feature) => feature.name !== name)

const agents = [Agent.make({ id: "plain" })]

const runForm = () => {
  const body = new FormData()
  body.set("message", "hello")
  body.set("stream", "false")
  return body
}

/** The endpoints that a request without ids reaches. */
const readable = ({ groups }: Feature) =>
  groups.flatMap((group) =>
    Object.values<{ readonly method: string; readonly path: string }>(
      (group as unknown as { readonly endpoints: Record<string, { method: string; path: string }> }).endpoints
    ).filter(({ method, path }) => method === "GET" && !path.includes(":"))
  ).map(({ path }) => path)

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema()`
  return found.map(({ name }) => name)
})

/** The tables of a new database of a service with these features, and the names of their stores. */
const made = (served: ReadonlyArray<Feature>) =>
  Effect.all({ tables, names: StoreNames }).pipe(
    Effect.provide(SqlStores.layerOf(served)),
    Effect.provide(Layer.fresh(PgliteLayer.layerEmpty))
  )

describe("features", () => {
  for (const feature of features) {
    const { name } = feature
    it.effect(`a service without ${name} has no endpoints for it, and executes runs`, () =>
      Effect.gen(function*() {
        const server = yield* TestServer.make({ agents, features: without(name) })
        const response = yield* server.fetch("/agents/plain/runs", { method: "POST", body: runForm() })
        assert.strictEqual(response.status, 200)
        const run = yield* Effect.promise(() => response.json())
        assert.strictEqual(run.status, "COMPLETED")
        for (const path of readable(feature)) {
          assert.strictEqual((yield* server.fetch(path)).status, 404, path)
        }
      }).pipe(Effect.scoped))
  }

  it.effect("a service without webhooks describes none of their endpoints, and all others", () =>
    Effect.gen(function*() {
      const server = yield* TestServer.make({ features: without("webhooks") })
      assert.strictEqual((yield* server.fetch("/webhooks")).status, 404)
      assert.strictEqual((yield* server.fetch("/schedules")).status, 200)
      const document = yield* Effect.flatMap(
        server.fetch("/openapi.json"),
        (response) => Effect.promise(() => response.json())
      )
      const paths = Object.keys(document.paths)
      assert.isFalse(paths.some((path) => path.startsWith("/webhooks")))
      assert.isTrue(paths.includes("/schedules"))
    }))

  it.effect(
    "a database that is made without webhooks has no tables and no stores of them",
    () =>
      Effect.gen(function*() {
        const { names, tables } = yield* made(without("webhooks"))
        assert.isFalse(tables.some((table) => /webhook|followed_events/.test(table)))
        assert.isTrue(tables.includes("svc_schedules"))
        assert.notProperty(names, "webhooks")
        assert.notProperty(names, "deliveries")
        assert.property(names, "schedules")
      }),
    60_000
  )
})
