// A session that is copied while runs in it wait for an approval: the process is killed between the copies of the runs,
// their approvals and the end of the job that makes these.
import { assert, describe, it } from "@effect/vitest"
import * as StoreLimits from "@svc-runtime/engine/limits/StoreLimits"
import * as Postgres from "@svc-runtime/postgres/Postgres"
import * as PostgresLayer from "@svc-runtime/test-support/PostgresLayer"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Client from "./Client.ts"
import * as Kills from "./Kills.ts"
import * as Points from "./Points.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"
import * as Tasks from "./Tasks.ts"

const { path, task } = Subjects.approvedAgent

/** Two runs wait, so the second approval is made after the first. */
const points = [
  "fork.after.1",
  "create.before.1",
  "create.during.1",
  "create.after.1",
  "create.during.2",
  "create.after.2",
  "drop.during.1",
  "drop.after.1",
  "fork.before.1",
  "fork.during.1"
]

const request = (url: string, at: string, body: URLSearchParams | undefined) =>
  Client.attempt(() => ServiceClient.send(`${url}${at}`, { init: { method: "POST", ...(body && { body }) } }))

interface Row {
  readonly run_id: string
  readonly session_id: string
  readonly status: string
}

describe("a service on PostgreSQL that is killed while a session with waiting runs is copied", () => {
  it.live("each copied run that waits gets its approval once, and follows it", () =>
    Effect.scoped(Effect.gen(function*() {
      const url = yield* PostgresLayer.url
      const { signs, start, startPassing } = yield* Kills.world(Subjects.approvedAgent, {
        DATABASE_URL: Redacted.value(url)
      })
      const database = Layer.merge(Postgres.layer({ url, maxConnections: 1 }), StoreLimits.layerWith())
      const sql = Context.get(yield* Layer.build(database), SqlClient.SqlClient)
      let service = yield* start
      for (const point of Tier.some(points, 1)) {
        yield* Progress.watched(
          point,
          signs,
          Effect.gen(function*() {
            const session = Points.runIdOf([1, point])
            const originals = [`first-${point}`, `second-${point}`]
            for (const run_id of originals) {
              const body = new URLSearchParams({ message: Tasks.tell(task, run_id), run_id, session_id: session })
              assert.isTrue((yield* request(service.url, `${path}/runs`, body)).isWhole, point)
            }
            const response = yield* request(service.url, `${path}/sessions/${session}/fork`, undefined)
            assert.isFalse(response.isWhole, point)
            assert.strictEqual(yield* service.ended, "SIGKILL", point)
            service = yield* startPassing(session)
            const copies = sql<Row>`
              select run_id, session_id, status from svc_runs where forked_from_session_id = ${session} order by run_id`
            const copied = yield* copies
            // the session is copied as a whole, or not at all: one transaction has it and what features copy
            const wholes = point === "fork.during.1" ? [0, 2] : point.startsWith("fork.") ? [0] : [2]
            assert.include(wholes, copied.length, point)
            // the time is over in which the request would have made them
            yield* sql`update svc_jobs set run_at = to_timestamp(0) where kind = 'copied_runs' and status = 'PENDING'`
            const approvals = sql<{ readonly id: string; readonly run_id: string }>`
              select id, run_id from svc_approvals where run_id in ${
              sql.in(["", ...copied.map(({ run_id }) => run_id)])
            }
              order by run_id`
            const jobs = sql`select 1 from svc_jobs where kind = 'copied_runs' and status in ('PENDING', 'RUNNING')`
            yield* Effect.repeat(Effect.andThen(Effect.sleep("100 millis"), jobs), {
              until: ({ length }) => length === 0
            })
            const made = yield* approvals
            assert.deepStrictEqual(made.map(({ run_id }) => run_id), copied.map(({ run_id }) => run_id), point)
            for (const { id } of made) {
              const resolved = yield* Client.attempt(() =>
                ServiceClient.send(`${service.url}/approvals/${encodeURIComponent(id)}/resolve`, {
                  init: {
                    method: "POST",
                    headers: { "content-type": "application/json" },
                    body: JSON.stringify({ status: "approved" })
                  }
                })
              )
              assert.include(resolved.text, "approved")
            }
            yield* Effect.repeat(Effect.andThen(Effect.sleep("100 millis"), copies), {
              until: (all) => all.every(({ status }) => status === "COMPLETED")
            })
          })
        )
      }
    })))
})
