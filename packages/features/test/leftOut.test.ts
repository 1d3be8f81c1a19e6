// A service has only the features whose records it gets.
import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import { CurrentDatabase } from "@svc-runtime/engine/database/CurrentDatabase"
import * as Schemas from "@svc-runtime/engine/database/Schemas"
import { StoreNames } from "@svc-runtime/engine/database/Stores"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import * as PgliteLayer from "@svc-runtime/test-support/PgliteLayer"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as TestServer from "@svc-runtime/testing/TestServer"
import { Cause, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { globSync } from "node:fs"
import * as Agent from "../src/Agent.ts"
import { Api, Base } from "../src/Api.ts"
import type { Feature } from "../src/Feature.ts"
import { allBut, features } from "../src/features.ts"
import * as Knowledge from "../src/knowledge/KnowledgeBase.ts"
import * as SqlStores from "../src/SqlStores.ts"
import * as Team from "../src/Team.ts"

Tier.oneIn(2)

const plain = Agent.make({ id: "plain" })
const components = { agents: [plain], teams: [Team.make({ id: "crew", members: [plain] })] }

const mainDatabase = Layer.succeed(CurrentDatabase, Ids.DatabaseId.make("main-db"))

const books = Knowledge.make({ name: "books" })
const scored = Agent.make({
  id: "scored",
  onlineScoring: { scorers: [{ type: "contains", texts: ["hello"] }] }
})

const runForm = () => {
  const body = new FormData()
  body.set("message", "hello")
  body.set("stream", "false")
  return body
}

interface Endpoint {
  readonly method: string
  readonly path: string
}

const endpointsOf = ({ groups }: Feature) =>
  groups.flatMap((group) =>
    Object.values((group as unknown as { readonly endpoints: Readonly<Record<string, Endpoint>> }).endpoints)
  ).map(({ method, path }) => ({
    method,
    path: path.replaceAll(/:\w+/g, "some-id"),
    documented: path.replaceAll(/:(\w+)/g, "{$1}")
  }))

/** What the service itself serves. */
const served = [
  "/health",
  "/ready",
  "/info",
  "/config",
  "/models",
  "/agents",
  "/agents/plain",
  "/teams/crew",
  "/workflows",
  "/sessions",
  "/openapi.json",
  "/a2a/agents/plain/.well-known/agent-card.json"
]

const json = (response: Response) => Effect.promise(() => response.json())

const listTools = {
  method: "POST",
  headers: { "content-type": "application/json", "accept": "application/json, text/event-stream" },
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
}

/** The service answers what has nothing to do with the feature, and nothing else. */
const check = Effect.fnUntraced(function*({ fetch, logs }: TestServer.TestServer, feature: Feature) {
  for (const path of ["/agents/plain/runs", "/teams/crew/runs"]) {
    const response = yield* fetch(path, { method: "POST", body: runForm() })
    const run = yield* json(response)
    assert.deepStrictEqual([response.status, run.status], [200, "COMPLETED"], `${path} ${JSON.stringify(run)}`)
    const removal = yield* fetch(`/sessions/${run.session_id}`, { method: "DELETE" })
    assert.strictEqual(removal.status, 204, `DELETE of the session of ${path}`)
  }
  for (const path of served) assert.strictEqual((yield* fetch(path)).status, 200, path)
  assert.isBelow((yield* fetch("/mcp", listTools)).status, 500)
  const routeless = (body: Readonly<Record<string, unknown>>) => [body["detail"], body["error_code"]]
  const unknown = routeless(yield* json(yield* fetch("/no-such-route")))
  for (const { method, path } of endpointsOf(feature)) {
    const response = yield* fetch(path, { method })
    // the route is missing, and not what it would find
    assert.deepStrictEqual([response.status, routeless(yield* json(response))], [404, unknown], `${method} ${path}`)
  }
  // the rest of the service has all of its parts
  for (const other of features.filter((each) => each !== feature)) {
    const safe = endpointsOf(other).filter(({ method }) => method === "GET" || method === "DELETE")
    for (const { method, path } of Tier.some(safe, 2, features.indexOf(other))) {
      const response = yield* fetch(path, { method })
      assert.isBelow(response.status, 500, `${method} ${path}`)
    }
  }
  assert.deepStrictEqual(logs.filter(({ level }) => level === "ERROR" || level === "FATAL"), [])
})

const tables = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema()`
  return found.map(({ name }) => name)
})

/** The tables of a database of a service with these features, and the names of their stores. */
const made = (served: ReadonlyArray<Feature>, database: typeof PgliteLayer.layer | typeof PgliteLayer.layerEmpty) =>
  Effect.all({ tables, names: StoreNames }).pipe(
    Effect.provide(SqlStores.layerOf(served)),
    Effect.provide(Layer.fresh(database))
  )

/** Takes the line of a feature out of the list, until the scope is closed. */
const deleteLine = (feature: Feature) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const list = features as Array<Feature>
      const place = list.indexOf(feature)
      list.splice(place, 1)
      return () => list.splice(place, 0, feature)
    }),
    (restore) => Effect.sync(restore)
  )

describe("features", () => {
  it("each group of Api belongs to every service or to the record of one folder", async () => {
    const files = globSync("../src/*/feature.ts", { cwd: import.meta.dirname })
    const modules = await Promise.all(files.map((file) => import(new URL(file, import.meta.url).href)))
    const records: ReadonlyArray<Feature> = modules.flatMap((module) => Object.values(module))
    const groups = [Base.groups, ...records.map(({ groups }) => groups)].flatMap((each) => Object.values(each))
    assert.sameMembers(groups, Object.values(Api.groups))
    assert.strictEqual(new Set(groups).size, groups.length)
    assert.includeMembers([...records], [...features])
  })

  for (const feature of Tier.some(features, 3)) {
    it.effect(`a service whose list of features lacks ${feature.name} serves everything else, and nothing of it`, () =>
      Effect.gen(function*() {
        yield* deleteLine(feature)
        const server = yield* TestServer.make(components)
        yield* check(server, feature)
        const { paths } = yield* json(yield* server.fetch("/openapi.json"))
        for (const { documented } of endpointsOf(feature)) assert.notProperty(paths, documented)
        const others = features.flatMap((other) => endpointsOf(other))
        for (const { documented } of others) assert.property(paths, documented)
      }))
  }

  for (const feature of Tier.some(features, 1)) {
    it.live(
      `a service without ${feature.name} serves everything else on a database without its tables`,
      () =>
        Effect.gen(function*() {
          const { name } = feature
          const database = yield* Layer.build(Layer.fresh(PgliteLayer.layerEmpty))
          const stores = Layer.merge(SqlStores.layerServed(allBut([name])), Notifications.layerNone).pipe(
            Layer.provide([Layer.succeedContext(database), Schemas.migrating, mainDatabase])
          )
          const server = yield* TestServer.make({ ...components, without: [name], stores })
          yield* check(server, feature)
          const applied = yield* Effect.provideContext(
            Effect.flatMap(SqlClient.SqlClient, (sql) =>
              sql`select 1 from svc_migrations where set = ${feature.migrations?.name ?? ""}`),
            database
          )
          assert.lengthOf(applied, 0)
        })
    )
  }

  for (
    const [name, options, sentence] of [
      ["memory", { agents: [Agent.make({ id: "keeper", memory: true })] }, "Agent 'keeper' needs the feature memory"],
      [
        "learning",
        { agents: [Agent.make({ id: "pupil", learning: true })] },
        "Agent 'pupil' needs the feature learning"
      ],
      [
        "summaries",
        { teams: [Team.make({ id: "crew", members: [plain], sessionSummaries: true })] },
        "Team 'crew' needs the feature summaries"
      ],
      [
        "knowledge",
        { teams: [Team.make({ id: "crew", members: [Agent.make({ id: "reader", knowledge: books })] })] },
        "Agent 'reader' needs the feature knowledge"
      ],
      ["knowledge", { knowledge: [books] }, "The option knowledge needs the feature knowledge"],
      ["registry", { registry: {} }, "The option registry needs the feature registry"],
      ["feedback", { agents: [scored] }, "Agent 'scored' needs the feature feedback"],
      ["evaluation", { agents: [scored] }, "Agent 'scored' needs the feature evaluation"]
    ] as const
  ) {
    it.effect(`a service without ${name} does not start if it has what needs it: ${sentence}`, () =>
      Effect.gen(function*() {
        const server = yield* TestServer.make({ ...options, without: [name] })
        const exit = yield* Effect.exit(server.fetch("/health"))
        assert.include(exit._tag === "Failure" ? Cause.pretty(exit.cause) : "started", sentence)
      }))
  }

  it.effect("a service without taskPush says in its cards, and to clients, that it sends no changes of tasks", () =>
    Effect.gen(function*() {
      const { fetch } = yield* TestServer.make({ ...components, without: ["taskPush"] })
      const card = yield* json(yield* fetch("/a2a/agents/plain/.well-known/agent-card.json"))
      assert.isFalse(card.capabilities.pushNotifications)
      const sent = yield* json(
        yield* fetch("/a2a/agents/plain", {
          method: "POST",
          headers: { "content-type": "application/json", "a2a-version": "1.0" },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "SendMessage",
            params: {
              message: { messageId: "first", role: "ROLE_USER", parts: [{ text: "hello" }] },
              configuration: { taskPushNotificationConfig: { url: "https://receiver.example/changes" } }
            }
          })
        })
      )
      assert.strictEqual(sent.error?.code, -32003, JSON.stringify(sent))
    }))

  it.effect("a service without memory, evaluation and traces shows none of their tables", () =>
    Effect.gen(function*() {
      const { fetch } = yield* TestServer.make({ ...components, without: ["memory", "evaluation", "traces"] })
      const config = yield* json(yield* fetch("/config"))
      const dbs = (name: string) => config[name].dbs.length
      assert.deepStrictEqual(["memory", "evals", "traces", "learning", "session"].map(dbs), [0, 0, 0, 1, 1])
    }))

  for (const feature of Tier.some(features.filter(({ stores }) => stores !== undefined), 1)) {
    it.effect(
      `a database that is made without ${feature.name} has no tables and no stores of it`,
      () =>
        Effect.gen(function*() {
          const all = yield* made(features, PgliteLayer.layer)
          const without = yield* made(features.filter((each) => each !== feature), PgliteLayer.layerEmpty)
          const own = Object.keys(feature.stores?.services ?? {})
          assert.sameMembers(Object.keys(without.names), Object.keys(all.names).filter((name) => !own.includes(name)))
          assert.includeMembers(all.tables, without.tables)
          // the log of changes is in a table of the accounts, whose changes are always recorded
          assert.strictEqual(without.tables.length < all.tables.length, feature.migrations !== undefined)
        })
    )
  }
})
