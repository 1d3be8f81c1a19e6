// A node that stops while it migrates the database, or while it waits for another one that does, and then continues or
// is killed.
import { assert, describe, it } from "@effect/vitest"
import { freePort } from "@svc-runtime/test-support/freePort"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as Freezes from "./Freezes.ts"
import type * as Nodes from "./Nodes.ts"
import * as Oracle from "./Oracle.ts"
import * as Subjects from "./Subjects.ts"

/** The first table, one in the middle, and the last one. */
const places = ["create table svc_sessions", "create table svc_jobs", "create table svc_content_removals"]

/** Of the node that is frozen. The server ends the session of one that oversleeps, and the others wait no longer. */
const fates = ["wakes up", "wakes up first", "oversleeps", "is killed"] as const

type Fate = typeof fates[number]

const cases = places.flatMap((place) => fates.map((fate) => [place, fate] as const))

/** With the timeout of the server in the URL, as an operator sets it. */
const withTimeout = (url: string) => {
  const changed = new URL(url)
  changed.searchParams.set("options", "-c idle_in_transaction_session_timeout=2000")
  return changed.href
}

/** It is alive, and says why it is not ready. */
const assertWaits = Effect.fnUntraced(function*(node: Nodes.Node) {
  const { url } = node
  yield* Freezes.reached([node], "Waiting for another process that migrates the database", node.ended)
  assert.deepInclude(yield* Effect.promise(() => ServiceClient.request(`${url}/health`)), { status: 200 })
  const { status, text } = yield* Effect.promise(() => ServiceClient.send(`${url}/ready`))
  assert.deepStrictEqual([status, JSON.parse(text).reasons], [503, ["migrations"]])
})

/** The database is migrated completely or not at all. */
const tables = Effect.fnUntraced(function*({ query }: Nodes.Nodes) {
  const [count] = yield* query("select count(*)::int as tables from pg_class where relname ~ '^svc_' and relkind = 'r'")
  if (count?.["tables"] === 0) return { tables: 0, migrations: [] }
  const rows = yield* query("select number from svc_migrations order by number")
  return { tables: count?.["tables"], migrations: rows.map(({ number }) => number) }
})

/** On a port that is known before it is ready. */
const launched = Effect.fnUntraced(function*(
  nodes: Nodes.Nodes,
  name: string,
  settings: Readonly<Record<string, string>>
) {
  const port = yield* freePort
  const node = yield* nodes.launch(name, { ...settings, PORT: String(port) })
  return { ...node, url: `http://127.0.0.1:${port}` }
})

const frozenIn = Effect.fnUntraced(function*(nodes: Nodes.Nodes, place: string, fate: Fate) {
  const timeout = fate === "oversleeps" ? { DATABASE_URL: withTimeout(nodes.databaseUrl) } : {}
  const a = yield* launched(nodes, "a", { FREEZE_STATEMENT: place, ...timeout })
  // another process can take its port before it does
  yield* Freezes.reached([a], "freezes ", a.ended)
  const b = yield* launched(nodes, "b", fate === "wakes up first" ? { FREEZE_STATEMENT: "pg_sleep" } : {})
  if (fate === "wakes up first") yield* Freezes.reached([b], "freezes ", b.ended)
  // the session of the other one may have ended before
  else if (fate !== "oversleeps") yield* assertWaits(b)
  if (fate !== "oversleeps") assert.deepStrictEqual(yield* tables(nodes), { tables: 0, migrations: [] })
  if (fate === "is killed") yield* nodes.kill("a")
  if (fate.startsWith("wakes up")) {
    yield* a.signal("SIGCONT")
    yield* a.greeted
    yield* b.signal("SIGCONT")
  }
  yield* b.greeted
  const migrated = yield* tables(nodes)
  if (fate === "oversleeps") {
    yield* a.signal("SIGCONT")
    yield* a.greeted
  }
  assert.isAbove(migrated.migrations.length, 10)
  assert.deepStrictEqual(yield* tables(nodes), migrated)
  for (const { url } of fate === "is killed" ? [b] : [a, b]) {
    yield* Oracle.works(nodes, url, Subjects.agent, `in-${new URL(url).port}`)
  }
})

describe("a node that freezes while it migrates the database", () => {
  it.live("other nodes wait and say so, the database is migrated once, and all nodes work", () =>
    Freezes.throughNew(
      "a migration",
      { isEmpty: true },
      Tier.some(cases, 1),
      (nodes, [place, fate]) => frozenIn(nodes, place, fate)
    ))
})
