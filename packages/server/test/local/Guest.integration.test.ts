// A program that runs components on the database of a service.
import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import { Agent, Application, Local, Tool } from "@svc-runtime/server"
import { freePort } from "@svc-runtime/test-support/freePort"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as ScriptedModel from "@svc-runtime/test-support/ScriptedModel"
import * as ServiceProcess from "@svc-runtime/test-support/ServiceProcess"
import * as Tier from "@svc-runtime/test-support/Tier"
import { ConfigProvider, Context, Deferred, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { fileURLToPath } from "node:url"

const settings = { NODE_TIMEOUT: "1 second", LOG_LEVEL: "Error", HOST: "127.0.0.1", TRACES: "false" }

const within = <A, E, R>(effect: Effect.Effect<A, E, R>, more: Readonly<Record<string, string>> = {}) =>
  Effect.provide(effect, ConfigProvider.layer(ConfigProvider.fromUnknown({ ...settings, ...more })))

const assistant = Agent.make({ id: "assistant", model: "fixed" })

/** A service that declares something, and that has stopped. */
const served = Effect.fnUntraced(function*(url: string) {
  const layer = Application.make({
    agents: [assistant],
    schedules: [{ name: "hourly", cron: "0 * * * *", component: assistant, payload: { message: "Report" } }],
    webhooks: [{
      name: "ends",
      url: "https://receiver.example/",
      events: ["run.completed"],
      secret: "whsec_" + "a2".repeat(16)
    }]
  })
  yield* Effect.scoped(within(Layer.build(layer), { DATABASE_URL: url, PORT: String(yield* freePort) }))
})

/** What only a service may do. */
const ofService = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  return {
    runs: yield* sql`select run_id, status, node, attempt, takeovers, free_since from svc_runs where node = 'dead#1'`,
    jobs: yield* sql`
        select id, status, attempts, run_at from svc_jobs where id like 'due-%' order by id`,
    schedules: yield* sql`select name, enabled, next_run_at, updated_at from svc_schedules`,
    fired: yield* sql`select count(*)::int from svc_schedule_runs`,
    declared: yield* sql`select * from svc_declarations order by kind, name`,
    sets: yield* sql`select * from svc_declaration_sets`,
    webhooks: yield* sql`select * from svc_webhooks`
  }
})

describe("a program on the database of a service", { timeout: 120_000 }, () => {
  it.live("the program executes its own runs, and leaves everything else to the service", () =>
    Effect.gen(function*() {
      const url = Redacted.value(yield* PostgresLayer.url)
      yield* served(url)
      const sql = Context.get(yield* Layer.build(Postgres.layer({ url: Redacted.make(url) })), SqlClient.SqlClient)
      const program = Effect.gen(function*() {
        const run = yield* Local.run(assistant, "Hello")
        assert.strictEqual(run.status, "COMPLETED")
        return run
      })
      const local = Local.layer({ databaseUrl: url })
      const { run_id } = yield* within(Effect.provide(program, local))
      yield* sql`update svc_runs set status = 'RUNNING', node = 'dead#1' where run_id = ${run_id}`
      yield* sql`update svc_schedules set next_run_at = 1000000000`
      yield* sql`
        insert into svc_jobs (id, kind, status, payload, max_attempts, is_due, turn, run_at)
        select 'due-' || kind, kind, 'PENDING', '{}', 5, true, 0, now() - interval '1 hour'
        from unnest(array['usage', 'webhook-event', 'run_wake', 'memory-extraction']) kind`
      const before = yield* Effect.provideService(ofService, SqlClient.SqlClient, sql)
      assert.lengthOf(before.jobs, 4)
      assert.lengthOf(before.runs, 1)
      assert.lengthOf(before.declared, 2)
      yield* within(Effect.provide(
        Effect.gen(function*() {
          yield* program
          // it has looked for work several times
          yield* Effect.repeat(sql`select from svc_nodes where seen_at - steady_since > interval '3 seconds'`, {
            until: ({ length }) => length > 0,
            schedule: Schedule.spaced("50 millis")
          })
          const after = yield* Effect.provideService(ofService, SqlClient.SqlClient, sql)
          assert.deepStrictEqual(after, before)
        }),
        local
      ))
    }).pipe(Effect.scoped))

  it.live.runIf(Tier.isWhole)(
    "the runs of the program get answers, times and cancel requests",
    () =>
      Effect.gen(function*() {
        const url = Redacted.value(yield* PostgresLayer.url)
        yield* served(url)
        const sql = Context.get(yield* Layer.build(Postgres.layer({ url: Redacted.make(url) })), SqlClient.SqlClient)
        const isCalled = yield* Deferred.make<void>()
        const tools = [
          Tool.make({ name: "refund", approval: "required", execute: () => "Refunded." }),
          Tool.make({ name: "wait", execute: (_, { sleep }) => sleep("1 second").then(() => "Waited.") }),
          Tool.make({
            name: "hang",
            execute: (_, { signal }) => {
              Deferred.doneUnsafe(isCalled, Effect.void)
              return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("Aborted"))))
            }
          })
        ]
        const clerk = (tool: string) =>
          Effect.map(
            ScriptedModel.make([[ScriptedModel.toolCall(tool)], [ScriptedModel.text("Done.")]]),
            ({ model }) => Agent.make({ id: tool, model, tools })
          )
        const runs = yield* Effect.forEach(["refund", "wait", "hang"], clerk)
        const [refund, wait, hang] = runs
        if (refund === undefined || wait === undefined || hang === undefined) return assert.fail()
        const local = Local.layer({ databaseUrl: url })
        const completed = ({ run_id }: { readonly run_id: string }) =>
          Effect.repeat(sql<{ status: string }>`select status from svc_runs where run_id = ${run_id}`, {
            until: ([run]) => run?.status === "COMPLETED",
            schedule: Schedule.spaced("50 millis")
          })
        yield* within(Effect.provide(
          Effect.gen(function*() {
            const waiting = yield* Local.run(refund, "Refund it")
            const asleep = yield* Local.run(wait, "Wait")
            assert.deepStrictEqual([waiting.status, asleep.status], ["PAUSED", "PAUSED"])
            const hanging = yield* Effect.forkChild(Local.run(hang, "Hang"))
            yield* Deferred.await(isCalled)
            yield* sql`update svc_runs set cancel_requested = true where component_id = 'hang'`
            assert.strictEqual((yield* Fiber.join(hanging)).status, "CANCELLED")
            yield* sql`
            update svc_approvals set status = 'approved', resume_pending = true, resolved_at = 1000000000`
            yield* completed(asleep)
            yield* completed(waiting)
          }),
          local
        ))
      }).pipe(Effect.scoped)
  )

  it.live.runIf(Tier.isWhole)(
    "a killed program is continued by its next start, and not by a service with agents of the same ids",
    () =>
      Effect.gen(function*() {
        const url = Redacted.value(yield* PostgresLayer.url)
        const sql = Context.get(yield* Layer.build(Postgres.layer({ url: Redacted.make(url) })), SqlClient.SqlClient)
        const file = fileURLToPath(new URL("./left.ts", import.meta.url))
        const start = (hold: string) =>
          ServiceProcess.launch(file, { DATABASE_URL: url, DATA_DIR: "", HOLD: hold, ...settings, LOG_LEVEL: "Warn" })
        const runs = sql<{ component_id: string; status: string; content: string }>`
        select component_id, status, output ->> 'content' as content from svc_runs
        where component_id <> 'other' order by component_id`
        const left = [["clerk", "PAUSED"], ["reader", "RUNNING"]]
        const statuses = Effect.map(runs, (all) => all.map(({ component_id, status }) => [component_id, status]))

        const first = yield* start("yes")
        yield* first.saying("looks")
        yield* first.end("SIGKILL")
        assert.deepStrictEqual(yield* statuses, left)

        const service = Application.make({
          agents: ["reader", "clerk"].map((id) => Agent.make({ id, model: "fixed" }))
        })
        yield* within(
          Effect.scoped(Effect.gen(function*() {
            yield* Layer.build(service)
            yield* sql`update svc_approvals set status = 'approved', resume_pending = true, resolved_at = 1000000000`
            // it has looked for work of dead nodes several times
            yield* Effect.repeat(sql`select from svc_nodes where seen_at - steady_since > interval '4 seconds'`, {
              until: ({ length }) => length > 0,
              schedule: Schedule.spaced("50 millis")
            })
            assert.deepStrictEqual(yield* statuses, left)
          })),
          { DATABASE_URL: url, PORT: String(yield* freePort) }
        )

        const second = yield* start("no")
        yield* second.saying("knows reader-run")
        yield* second.saying("knows clerk-run")
        yield* Effect.repeat(statuses, {
          until: (all) => all.every(([, status]) => status === "COMPLETED"),
          schedule: Schedule.spaced("50 millis")
        })
        const contents = (yield* runs).map(({ content }) => content)
        assert.deepStrictEqual(contents, ["By the program.", "By the program."])
        yield* second.end("SIGKILL")
      }).pipe(Effect.scoped)
  )
})
