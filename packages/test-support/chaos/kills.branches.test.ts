// A run that begins a branch of its session: the process is killed at each step.
import { assert, describe, it } from "@effect/vitest"
import * as ServiceClient from "@svc-runtime/test-support/ServiceClient"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import * as Client from "./Client.ts"
import * as Kills from "./Kills.ts"
import * as Points from "./Points.ts"
import * as Progress from "./Progress.ts"
import * as Subjects from "./Subjects.ts"
import * as Tasks from "./Tasks.ts"

const { path, task } = Subjects.agent

/** Before the run does something that can be asked about, and when it ends. */
const points = [
  "begin.before.1",
  "begin.during.1",
  "begin.after.1",
  "record.during.1",
  "finish.during.1",
  "finish.after.1"
]

interface Shown {
  readonly run_id: string
  readonly status: string
  readonly previous_run_id?: string | null
}

const start = (base: string, run: string, session: string, previous?: string) =>
  Client.attempt(() =>
    ServiceClient.send(`${base}${path}/runs`, {
      init: {
        method: "POST",
        body: new URLSearchParams({
          message: Tasks.tell(task, run),
          run_id: run,
          session_id: session,
          ...(previous === undefined ? {} : { previous_run_id: previous })
        })
      }
    })
  )

const read = <A>(base: string, at: string) => Client.attempt(() => ServiceClient.read(`${base}${at}`) as Promise<A>)

describe("a service on PostgreSQL that is killed while a session gets a branch", () => {
  it.live("the branch is there with its run or not at all, its run ends once, and the other branch stays", () =>
    Effect.scoped(Effect.gen(function*() {
      const world = yield* Kills.onPostgres(Subjects.agent)
      let service = yield* world.start
      for (const point of Tier.some(points, 1)) {
        yield* Progress.watched(
          point,
          world.signs,
          Effect.gen(function*() {
            const [session, branch] = [`session-${point}`, Points.runIdOf([1, point])]
            const [first, second] = [`first-${point}`, `second-${point}`]
            for (const run of [first, second]) assert.isTrue((yield* start(service.url, run, session)).isWhole, point)
            yield* start(service.url, branch, session, first)
            assert.strictEqual(yield* service.ended, "SIGKILL", point)
            service = yield* world.startPassing(branch)
            const { url } = service
            // it is not accepted twice
            yield* start(url, branch, session, first)
            const stored = read<ReadonlyArray<Shown>>(url, `/sessions/${session}/runs`)
            const runs = yield* Effect.repeat(Effect.andThen(Effect.sleep("250 millis"), stored), {
              until: (all) =>
                all.some(({ run_id }) => run_id === branch) &&
                all.every(({ status }) => status !== "RUNNING" && status !== "PENDING")
            })
            assert.sameMembers(runs.map(({ run_id }) => run_id), [first, second, branch], point)
            for (const { previous_run_id, run_id, status } of runs) {
              assert.strictEqual(status, "COMPLETED", `${point} ${run_id}`)
              assert.strictEqual(previous_run_id ?? null, run_id === first ? null : first, `${point} ${run_id}`)
            }
            const { current_run_id } = yield* read<{ readonly current_run_id?: string }>(url, `/sessions/${session}`)
            assert.strictEqual(current_run_id, branch, point)
          })
        )
      }
    })))
})
