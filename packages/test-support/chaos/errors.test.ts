// Every kind of error that a database gives while it is being looked after: tables and columns that are away during a
// migration, rights that are taken, statements that are cancelled, connections that are ended, locks, a full disk.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Fiber } from "effect"
import * as Client from "./Client.ts"
import * as Nodes from "./Nodes.ts"
import * as Oracle from "./Oracle.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"

const subject = Subjects.agent
const client = Client.of(subject)

interface Fault {
  readonly name: string
  readonly begin: ReadonlyArray<string>
  readonly end: ReadonlyArray<string>
}

const tables = ["svc_nodes", "svc_runs", "svc_run_events", "svc_run_journal", "svc_messages", "svc_sessions"]

const away = tables.map((table): Fault => ({
  name: `42P01 ${table}`,
  begin: [`alter table ${table} rename to away`],
  end: [`alter table away rename to ${table}`]
}))

const columns: ReadonlyArray<Fault> = [["svc_runs", "attempt"], ["svc_nodes", "seen_at"], ["svc_run_events", "body"]]
  .map(([table, column]) => ({
    name: `42703 ${table}.${column}`,
    begin: [`alter table ${table} rename column ${column} to away`],
    end: [`alter table ${table} rename column away to ${column}`]
  }))

/** Whatever is written into the table fails with this state. */
const raised = ["26000", "40001", "40P01", "42501", "53100", "57014", "XX000", "22P02"].flatMap((state) =>
  tables.map((table): Fault => ({
    name: `${state} ${table}`,
    begin: [
      `create or replace function fault() returns trigger language plpgsql as
        $$ begin raise exception 'a fault' using errcode = '${state}'; end $$`,
      `create trigger fault before insert or update or delete on ${table} execute function fault()`
    ],
    end: [`drop trigger fault on ${table}`]
  }))
)

const others = "from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
const connections: ReadonlyArray<Fault> = [
  { name: "57P01 every connection", begin: [`select pg_terminate_backend(pid) ${others}`], end: [] },
  {
    name: "57014 every statement",
    begin: Array.from({ length: 20 }, () => `select pg_cancel_backend(pid) ${others}`),
    end: []
  },
  ...["svc_runs", "svc_sessions", "svc_nodes"].map((table): Fault => ({
    name: `lock ${table}`,
    begin: [`do $$ begin lock table ${table} in access exclusive mode; perform pg_sleep(3); end $$`],
    end: []
  }))
]

const faults = [...away, ...columns, ...raised, ...connections]

const suffered = Effect.fnUntraced(function*(nodes: Nodes.Nodes, urls: ReadonlyArray<string>, fault: Fault) {
  const label = fault.name.replaceAll(/[^\w]+/g, "-")
  const runs = Array.from({ length: 6 }, (_, index) => ({ run: `${label}-${index}`, url: urls[index % urls.length]! }))
  const asking = yield* Effect.forkChild(
    Effect.forEach(runs, ({ run, url }) => Client.attempt(() => Nodes.begin(client, () => url, run)), {
      concurrency: "unbounded"
    })
  )
  const begun = `select 1 from svc_run_journal j join svc_runs r on r.seq = j.run_seq where r.run_id like '${label}-%'`
  while ((yield* nodes.query(begun)).length === 0) yield* Effect.sleep("20 millis")
  for (const statement of fault.begin) yield* nodes.query(statement)
  yield* Effect.sleep("2 seconds")
  for (const statement of fault.end) yield* nodes.query(statement)
  const received = yield* Fiber.join(asking)
  yield* Effect.forEach(
    runs,
    ({ run, url }, index) => Oracle.conclude({ nodes, url, subject, run, received: received[index] })
  )
  for (const [index, url] of urls.entries()) yield* Oracle.works(nodes, url, subject, `${label}-after-${index}`)
})

describe("two nodes whose database fails them for a while", () => {
  it.live("two nodes complete every accepted run after any error of the database, and work again", () =>
    Effect.scoped(Effect.gen(function*() {
      const nodes = yield* Nodes.make({ everyMillis: 60 })
      let [a, b] = [yield* nodes.start("a"), yield* nodes.start("b")]
      const failures: Array<string> = []
      for (const [index, fault] of Tier.some(faults, 1).entries()) {
        const exit = yield* Effect.exit(
          Progress.watched(fault.name, nodes.signs, suffered(nodes, [a.url, b.url], fault))
        )
        process.stdout.write(`${fault.name}: ${exit._tag === "Success" ? "ok" : "FAILED"}\n`)
        if (exit._tag === "Success") continue
        failures.push(`${fault.name}: ${String(exit.cause)}`)
        // the next fault finds two nodes that work
        yield* nodes.query("delete from svc_sessions where session_id like '%-%'")
        ;[a, b] = [yield* nodes.start(`a${index}`), yield* nodes.start(`b${index}`)]
      }
      assert.deepStrictEqual(failures, [])
      // their heartbeats and takeovers have outlived all of it
      yield* Oracle.takesOver(nodes, { name: "a", url: a.url }, b, subject, "left-by-a")
      a = yield* nodes.start("a")
      yield* Oracle.takesOver(nodes, { name: "b", url: b.url }, a, subject, "left-by-b")
    })))
})
