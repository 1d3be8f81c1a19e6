// Outages of the database while a request stores an evaluation, an experiment or a run of a schedule, or waits for it.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { Database } from "@svc-runtime/engine/database/Database"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { at, column, failed, get, list, post, second } from "../Wire.ts"
import { accuracy, evaluate, saying, serving } from "./Evaluations.ts"
import { passing } from "./ScheduleTime.ts"

type Fault = <A, E>(statement: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageUnavailable>

const away = Effect.fail(new StorageUnavailable({ cause: "away" }))
const rejected = Effect.fail(new StorageUnavailable({ cause: "rejected", isRejected: true }))

/** So many statements fail before they do anything. */
const failing = (times: number, failure = away): Fault => {
  let left = times
  return (statement) => Effect.suspend(() => left-- > 0 ? Effect.andThen(failure, statement) : statement)
}

/** The first statement is executed, and its reply is lost. */
const losing = (): Fault => {
  let isLost = false
  return (statement) =>
    Effect.suspend(() => {
      if (isLost) return statement
      isLost = true
      return Effect.andThen(statement, away)
    })
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
  "an evaluation in the background": {
    create: ({ server }: Service) => evaluate(server, { ...accuracy, background: true }),
    status: 202,
    path: () => "/eval-runs",
    subject: (id: string) => `Evaluation '${id}'`
  },
  "an experiment": {
    create: ({ dataset_id, server }: Service) =>
      post(server, "/experiments", { dataset_id, agent_id: "assistant", scorers: [{ type: "exact" }] }),
    status: 202,
    path: () => "/experiments",
    subject: (id: string) => `Experiment '${id}'`
  },
  "a triggered run of a schedule": {
    create: ({ schedule, server }: Service) => post(server, `/schedules/${schedule}/trigger`, {}),
    status: 200,
    path: ({ schedule }: Service) => `/schedules/${schedule}/runs`,
    subject: (id: string) => `Run '${id}'`
  }
} as const

const names = Object.keys(cases) as ReadonlyArray<keyof typeof cases>

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

Tier.oneIn(6)

describe("an outage of the database while a request stores", () => {
  it.effect.each(names)(
    "what is stored while its reply is lost is stored once, and the request gets its ordinary response: %s",
    (name) =>
      Effect.gen(function*() {
        const { create, path, status } = cases[name]
        const made = yield* service({ storing: losing() })
        const answer = yield* passing(create(made))
        assert.strictEqual(answer.status, status, answer.text)
        assert.deepStrictEqual(yield* stored(made.server, path(made)), [at(answer.json, "id")])
      })
  )

  it.effect.each(names)(
    "a short outage delays what is stored, and the request gets its ordinary response: %s",
    (name) =>
      Effect.gen(function*() {
        const { create, path, status } = cases[name]
        const made = yield* service({ storing: failing(8) })
        const answer = yield* passing(create(made))
        assert.strictEqual(answer.status, status, answer.text)
        assert.deepStrictEqual(yield* stored(made.server, path(made)), [at(answer.json, "id")])
      })
  )

  it.effect.each(names)(
    "a request gets 503 after a long outage, which names what may have been stored and how to look it up: %s",
    (name) =>
      Effect.gen(function*() {
        const { create, path, subject } = cases[name]
        const made = yield* service({ storing: failing(Infinity) })
        const { answer, seconds } = yield* timed(create(made))
        const detail = String(at(answer.json, "detail"))
        const id = /'(.+)'/.exec(detail)?.[1] ?? ""
        failed(
          answer,
          503,
          "SERVICE_UNAVAILABLE",
          `The database does not reply at the moment. ${subject(id)} may have been stored: GET ${path(made)}/${id}`
        )
        assert.isAbove(seconds, 10)
        assert.isBelow(seconds, 30)
      })
  )

  it.effect.each([true, false])(
    "a service that stops during an outage says at once what may have been stored: in the background %s",
    (background) =>
      Effect.gen(function*() {
        const agents = [yield* saying("Paris")]
        const database = withFaults({ storing: failing(Infinity) })
        const { url } = yield* TestServer.listen({
          model: "demo",
          agents,
          database,
          stopping: { begun: Effect.void, isDraining: () => true }
        })
        const body = JSON.stringify({
          agent_id: "assistant",
          eval_type: "accuracy",
          input: "Hi",
          expected_output: "Hi",
          background
        })
        const headers = { "content-type": "application/json" }
        const detail = yield* Effect.promise(async () => {
          const response = await fetch(`${url}/eval-runs`, { method: "POST", headers, body })
          return String(at(await response.json(), "detail"))
        })
        assert.match(
          detail,
          /^The database does not reply at the moment\. Evaluation '(.+)' may have been stored: GET \/eval-runs\/\1$/
        )
      })
  )

  it.effect.each(names)(
    "what the database rejects is not stored, and the response says so: %s",
    (name) =>
      Effect.gen(function*() {
        const { create } = cases[name]
        const made = yield* service({ storing: failing(Infinity, rejected) })
        failed(
          yield* passing(create(made)),
          503,
          "SERVICE_UNAVAILABLE",
          "The database rejected a statement. Try again shortly; the log of the service says more."
        )
      })
  )
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
          `The database does not reply at the moment. ${subject(String(id))} continues: GET ${path(made)}/${String(id)}`
        )
        assert.isAbove(seconds, 50)
        assert.isBelow(seconds, 70)
      })
  )
})
