// Evaluations and experiments that take longer than an attempt of their job may.
import { assert, describe, it } from "@effect/vitest"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import type * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { always, at, get, list, post } from "../Wire.ts"
import { accuracy, evaluate, read, serving } from "./Evaluations.ts"

Tier.oneIn(6)

/** Each of its answers takes so long. */
const answering = Effect.fnUntraced(function*(id: string, duration: "9 minutes" | "1 second") {
  const { calls, model } = yield* always(Script.wait(Effect.sleep(duration)), Script.text("Paris"))
  return { agent: Agent.make({ id, model }), calls }
})

const experimentOf = Effect.fnUntraced(function*(server: TestServer.TestServer, agent_id: string, count: number) {
  const items = Array.from({ length: count }, (_, at) => ({ id: `item${at}`, input: "The capital?" }))
  const dataset = yield* post(server, "/datasets", { name: agent_id, items })
  const scorers = [{ type: "contains", texts: ["Paris"] }]
  const accepted = yield* post(server, "/experiments", { dataset_id: at(dataset.json, "id"), agent_id, scorers })
  assert.strictEqual(accepted.status, 202, accepted.text)
  const read = Effect.map(get(server, `/experiments/${String(at(accepted.json, "id"))}`), ({ json }) => json as object)
  return { read }
})

describe("an evaluation that takes longer than an attempt of its job", () => {
  it.effect.runIf(Tier.isWhole)(
    "no attempt of an evaluation with long runs counts against it, and no run is repeated",
    () =>
      Effect.gen(function*() {
        const { agent, calls } = yield* answering("assistant", "9 minutes")
        const acquired: Array<Job.Acquired> = []
        const server = yield* serving([agent], {
          database: (made) => {
            const note = (jobs: ReadonlyArray<Job.Acquired>) => void acquired.push(...jobs)
            const acquire: typeof made.jobs.acquire = (wanted) =>
              Effect.tap(made.jobs.acquire(wanted), (jobs) => Effect.sync(() => note(jobs)))
            return { ...made, jobs: { ...made.jobs, acquire } }
          }
        })
        const accepted = yield* evaluate(server, { ...accuracy, num_iterations: 12, background: true })
        yield* TestClock.adjust("2 hours")
        const ended = yield* read(server, accepted)
        assert.deepInclude(ended, { status: "COMPLETED", error: null, runs_done: 12 })
        assert.lengthOf(list(ended, "eval_data", "results"), 12)
        assert.lengthOf(yield* calls, 12)
        const attempts = acquired.filter(({ kind }) => kind === "evaluation").map(({ attempts }) => attempts)
        assert.isAbove(attempts.length, 3)
        assert.deepStrictEqual(new Set(attempts), new Set([1]))
      })
  )

  it.effect.runIf(Tier.isWhole)(
    "an evaluation whose results cannot be stored fails when its attempts are used up",
    () =>
      Effect.gen(function*() {
        const { agent } = yield* answering("assistant", "1 second")
        const server = yield* serving([agent], {
          database: (made) => ({ ...made, evalRuns: { ...made.evalRuns, record: () => Effect.never } })
        })
        const accepted = yield* evaluate(server, { ...accuracy, background: true })
        yield* TestClock.adjust("6 hours")
        assert.match(String(at(yield* read(server, accepted), "error")), /^Its job ended without a result/)
        const failed = server.logs.filter(({ message }) => /^A job failed|^An attempt of a job failed/.test(message))
        assert.lengthOf(failed, 10)
      })
  )

  it.effect("evaluations and experiments whose attempts fail after they have stored a result are completed", () =>
    Effect.gen(function*() {
      const { agent, calls } = yield* answering("assistant", "1 second")
      /** Stores one result of each attempt. */
      const onceAnAttempt = <Given extends ReadonlyArray<unknown>>(
        record: (...given: Given) => Effect.Effect<boolean, StorageUnavailable>
      ) => {
        let count = 0
        return (...given: Given) =>
          Effect.suspend(() =>
            ++count % 2 === 0 ? Effect.fail(new StorageUnavailable({ cause: "cut" })) : record(...given)
          )
      }
      const server = yield* serving([agent], {
        database: ({ evalRuns, experiments, ...made }) => ({
          ...made,
          evalRuns: { ...evalRuns, record: onceAnAttempt(evalRuns.record) },
          experiments: { ...experiments, record: onceAnAttempt(experiments.record) }
        })
      })
      const accepted = yield* evaluate(server, { ...accuracy, num_iterations: 15, background: true })
      const experiment = yield* experimentOf(server, "assistant", 15)
      yield* TestClock.adjust("5 minutes")
      assert.deepInclude(yield* read(server, accepted), { status: "COMPLETED", runs_done: 15 })
      assert.deepInclude(yield* experiment.read, { status: "COMPLETED", items_done: 15 })
      assert.lengthOf(yield* calls, 30)
    }))

  it.effect("an experiment that takes long gives its place to one that waits, and continues where it was", () =>
    Effect.gen(function*() {
      const [slow, fast] = [yield* answering("slow", "9 minutes"), yield* answering("fast", "1 second")]
      const server = yield* serving([slow.agent, fast.agent], { evaluations: { concurrency: 1 } })
      const long = yield* experimentOf(server, "slow", 10)
      const short = yield* experimentOf(server, "fast", 2)
      yield* TestClock.adjust("30 minutes")
      assert.deepInclude(yield* short.read, { status: "COMPLETED", items_done: 2 })
      assert.deepInclude(yield* long.read, { status: "RUNNING" })
      yield* TestClock.adjust("2 hours")
      assert.deepInclude(yield* long.read, { status: "COMPLETED", items_done: 10 })
      assert.lengthOf(yield* slow.calls, 10)
    }))
})
