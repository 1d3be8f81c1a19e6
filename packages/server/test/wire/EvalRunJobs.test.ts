// Evaluations in the background: progress, cancelling, limits, and what is resumed.
import { assert, describe, it } from "@effect/vitest"
import { type Database, makeDatabase } from "@svc-runtime/engine/database/Database"
import type * as Job from "@svc-runtime/engine/jobs/Job"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestDatabase from "@svc-runtime/test-support/TestDatabase"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { always, at, column, failed, get, list, notFound, post, runWhole, send } from "../Wire.ts"
import { accuracy, evaluate, read, saying, serving, settled, slow } from "./Evaluations.ts"

Tier.oneIn(8)

const background = { ...accuracy, num_iterations: 3, background: true }

describe("an evaluation in the background", () => {
  it.live("the response to an evaluation in the background has its id, and has progress until it is completed", () =>
    Effect.gen(function*() {
      const { agent, reached, go } = yield* slow
      const server = yield* serving([agent])
      const accepted = yield* evaluate(server, background)
      assert.strictEqual(accepted.status, 202)
      assert.deepStrictEqual(accepted.json, { id: at(accepted.json, "id"), status: "PENDING" })
      yield* reached
      const running = yield* read(server, accepted)
      assert.deepInclude(running, { status: "RUNNING", runs_done: 1, runs_total: 3, eval_data: {}, eval_input: null })
      assert.deepStrictEqual(list((yield* get(server, "/eval-runs")).json, "data"), [])
      yield* go
      const completed = yield* settled(server, accepted, "COMPLETED")
      assert.deepInclude(completed, { runs_done: 3, runs_total: 3, error: null })
      assert.strictEqual(list(completed, "eval_data", "results").length, 3)
    }))

  it.live("a cancelled evaluation ends, with the run that it waits for", () =>
    Effect.gen(function*() {
      const { agent, reached } = yield* slow
      const server = yield* serving([agent])
      const accepted = yield* evaluate(server, background)
      yield* reached
      const id = String(at(accepted.json, "id"))
      const cancelled = yield* post(server, `/eval-runs/${id}/cancel`, {})
      assert.strictEqual(at(cancelled.json, "status"), "CANCELLED")
      let status: unknown
      while (status !== "CANCELLED") {
        status = column((yield* get(server, `/sessions/eval_${id}_2/runs`)).json, "status")[0]
        yield* Effect.sleep("10 millis")
      }
      assert.strictEqual(at(yield* read(server, accepted), "runs_done"), 1)
      assert.strictEqual((yield* post(server, `/eval-runs/${id}/cancel`, {})).status, 200)
      notFound(yield* post(server, "/eval-runs/zz/cancel", {}), "Eval run with id 'zz' not found")
    }))

  it.live("a deleted evaluation ends its run, and the request that waits for it gets 404", () =>
    Effect.gen(function*() {
      const { agent, reached } = yield* slow
      const server = yield* serving([agent])
      const waiting = yield* Effect.forkChild(evaluate(server, { ...accuracy, num_iterations: 3 }))
      yield* reached
      const [busy] = list((yield* get(server, "/eval-runs?status=RUNNING")).json, "data")
      yield* send(server, "DELETE", "/eval-runs", { eval_run_ids: [at(busy, "id")] })
      notFound(yield* Fiber.join(waiting))
    }))

  it.live("more evaluations than the limit are refused with 429 until one has ended", () =>
    Effect.gen(function*() {
      const { agent, reached, go } = yield* slow
      const server = yield* serving([agent], { evaluations: { unfinished: 1 } })
      const accepted = yield* evaluate(server, background)
      yield* reached
      const refused = yield* evaluate(server, background)
      failed(
        refused,
        429,
        "TOO_MANY_REQUESTS",
        "1 evaluations wait or are executed already (MAX_EVALUATIONS). Try again later"
      )
      assert.isNotNull(refused.headers.get("retry-after"))
      yield* go
      yield* settled(server, accepted, "COMPLETED")
      assert.strictEqual((yield* evaluate(server, background)).status, 202)
    }))

  it.live("an evaluation for which a request waits does not wait for those in the background", () =>
    Effect.gen(function*() {
      const { agent, reached } = yield* slow
      const other = Agent.make({ id: "other", model: (yield* always(Script.text("Paris"))).model })
      const server = yield* serving([agent, other], { evaluations: { concurrency: 1 } })
      yield* evaluate(server, background)
      yield* reached
      const queued = yield* evaluate(server, { ...background, agent_id: "other" })
      const answer = yield* evaluate(server, { ...accuracy, agent_id: "other" })
      assert.strictEqual(answer.status, 200, answer.text)
      assert.strictEqual(at(yield* read(server, queued), "status"), "PENDING")
    }))

  it.live("a service that starts again resumes an evaluation, and repeats no run that has ended", () =>
    Effect.gen(function*() {
      const shared = yield* Layer.build(TestDatabase.layer)
      const database = (): Database => makeDatabase("main-db", shared)
      const { agent, reached, go, script } = yield* slow
      const accepted = yield* Effect.scoped(Effect.gen(function*() {
        const server = yield* serving([agent], { database })
        const accepted = yield* evaluate(server, background)
        yield* reached
        return accepted
      }))
      yield* go
      const server = yield* serving([agent], { database })
      const completed = yield* settled(server, accepted, "COMPLETED")
      assert.strictEqual(at(completed, "eval_data", "avg_score"), 10)
      // the second run was interrupted and asked its model again
      assert.strictEqual((yield* script.calls).length, 4)
      const id = String(at(accepted.json, "id"))
      for (const number of [1, 2, 3]) {
        const runs = yield* get(server, `/sessions/eval_${id}_${number}/runs`)
        assert.deepStrictEqual(column(runs.json, "status"), ["COMPLETED"], `session ${number}`)
      }
    }))
})

describe("the runs of an evaluation", () => {
  it.live("no job reads them, unlike an ordinary run", () =>
    Effect.gen(function*() {
      const stores = yield* Layer.build(TestDatabase.layer)
      const sessions: Array<string | null> = []
      const summarized = yield* Deferred.make<void>()
      const database = (): Database => {
        const made = makeDatabase("main-db", stores)
        const note = (acquired: ReadonlyArray<Job.Acquired>) => {
          const summaries = acquired.filter(({ kind }) => kind === "session-summary")
          sessions.push(...summaries.map(({ session_id }) => session_id))
          return summaries.length === 0 ? Effect.void : Deferred.succeed(summarized, undefined)
        }
        const acquire: Database["jobs"]["acquire"] = (wanted) => Effect.tap(made.jobs.acquire(wanted), note)
        return { ...made, jobs: { ...made.jobs, acquire } }
      }
      const { model } = yield* always(Script.text("Paris"))
      const agent = Agent.make({ id: "assistant", model, sessionSummaries: { afterRuns: 1 } })
      const server = yield* serving([agent], { database })
      yield* evaluate(server, accuracy)
      yield* runWhole(server, "assistant", { message: "hi", session_id: "ordinary" })
      yield* Deferred.await(summarized)
      assert.deepStrictEqual(sessions, ["ordinary"])
    }))

  it.live("runs of evaluations and other runs with the option evaluation do not count in usage metrics", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("Paris")])
      yield* evaluate(server, accuracy)
      yield* runWhole(server, "assistant", { message: "hi", evaluation: "true" })
      yield* runWhole(server, "assistant", { message: "hi" })
      yield* post(server, "/metrics/refresh", {})
      const [today] = list((yield* get(server, "/metrics")).json, "metrics")
      assert.deepInclude(today as object, { agent_runs_count: 1, agent_sessions_count: 1 })
    }))

  it.live("another model answers in place of that of the agent", () =>
    Effect.gen(function*() {
      const server = yield* serving([yield* saying("x")])
      const answer = yield* evaluate(server, { ...accuracy, model_provider: "demo", model_id: "demo" })
      const runs = yield* get(server, `/sessions/eval_${String(at(answer.json, "id"))}_1/runs`)
      assert.strictEqual(runs.status, 200)
      assert.include(runs.text, "demo model")
    }))
})
