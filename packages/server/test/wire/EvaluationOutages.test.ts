// Outages of the database while a request waits for an evaluation or a run of a schedule.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc/domain/StorageUnavailable"
import type { Database } from "@svc/runtime/database/Database"
import type * as TestServer from "@svc/testing/TestServer"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, column, failed, get, list, post, second } from "../Wire.ts"
import { accuracy, evaluate, saying, serving } from "./Evaluations.ts"
import { passing } from "./ScheduleTime.ts"

type Fault = <A, E>(statement: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageUnavailable>

const away = Effect.fail(new StorageUnavailable({ cause: "away" }))

/** So many statements fail before they do anything. */
const failing = (times: number, failure = away): Fault => {
  let left = times
  return (statement) => Effect.suspend(() => left-- > 0 ? Effect.andThen(failure, statement) : statement)
}

interface Faults {
  readonly storing?: Fault
  readonly reading?: Fault
}

const none: Fault = (statement) => statement

const withFaults = ({ reading = none, storing = none }: Faults) => (database: Database): Database => {
  const { evalRuns, experiments, scheduleRuns } = database
  return {
    ...database,
    evalRuns: {
      ...evalRuns,
      create: (...given) => storing(evalRuns.create(...given)),
      find: (id) => reading(evalRuns.find(id))
    },
    experiments: { ...experiments, create: (...given) => storing(experiments.create(...given)) },
    scheduleRuns: {
      ...scheduleRuns,
      trigger: (...given) => storing(scheduleRuns.trigger(...given)),
      last: (id) => reading(scheduleRuns.last(id))
    }
  }
}

/** A service with a dataset and a schedule. It may have one unfinished evaluation, and one experiment. */
const service = Effect.fnUntraced(function*(faults: Faults) {
  yield* TestClock.setTime(second * 1000)
  const server = yield* serving([yield* saying("Paris")], {
    evaluations: { unfinished: 1 },
    database: withFaults(faults)
  })
  const made = (path: string, body: object) =>
    Effect.map(post(server, path, body), ({ json }) => String(at(json, "id")))
  const items = [{ id: "france", input: "The capital of France?", expected_output: "Paris" }]
  const dataset_id = yield* made("/datasets", { name: "capitals", items })
  const schedule = yield* made("/schedules", {
    name: "Daily report",
    cron_expr: "0 0 1 1 *",
    endpoint: "/agents/assistant/runs",
    payload: { message: "Report" }
  })
  return { server, dataset_id, schedule }
})

type Service = Effect.Success<ReturnType<typeof service>>

const cases = {
  "an evaluation for which the request waits": {
    create: ({ server }: Service) => evaluate(server, accuracy),
    status: 200,
    path: () => "/eval-runs",
    subject: (id: string) => `Evaluation '${id}'`
  },
  "a triggered run of a schedule": {
    create: ({ schedule, server }: Service) => post(server, `/schedules/${schedule}/trigger`, {}),
    status: 200,
    path: ({ schedule }: Service) => `/schedules/${schedule}/runs`,
    subject: (id: string) => `Run '${id}'`
  }
} as const

const stored = (server: TestServer.TestServer, path: string) =>
  Effect.map(
    get(server, path === "/eval-runs" ? `${path}?status=PENDING,RUNNING,COMPLETED` : path),
    ({ json }) => column(list(json, "data"), "id")
  )

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const start = yield* Clock.currentTimeMillis
    const answer = yield* passing(effect)
    return { answer, seconds: ((yield* Clock.currentTimeMillis) - start) / 1000 }
  })

describe("an outage of the database while a request waits", () => {
  const waiting = ["an evaluation for which the request waits", "a triggered run of a schedule"] as const

  it.effect.each(waiting)("a request waits for the end through a short outage: %s", (name) =>
    Effect.gen(function*() {
      const made = yield* service({ reading: failing(10) })
      const answer = yield* passing(cases[name].create(made))
      assert.strictEqual(answer.status, 200, answer.text)
    }))

  it.effect.each(waiting)(
    "a request that waits for the end gets 503 after a minute of an outage, with where it can be read: %s",
    (name) =>
      Effect.gen(function*() {
        const { create, path, subject } = cases[name]
        let isAway = true
        const made = yield* service({
          reading: (read) => Effect.suspend(() => Effect.andThen(isAway ? away : Effect.void, read))
        })
        const { answer, seconds } = yield* timed(create(made))
        isAway = false
        const [id = ""] = yield* stored(made.server, path(made))
        assert.strictEqual((yield* get(made.server, `${path(made)}/${String(id)}`)).status, 200)
        failed(
          answer,
          503,
          "SERVICE_UNAVAILABLE",
          `The database does not answer at the moment. ${subject(String(id))} continues: GET ${path(made)}/${
            String(id)
          }`
        )
        assert.isAbove(seconds, 50)
        assert.isBelow(seconds, 70)
      })
  )
})
