// The jobs of summaries: repeated attempts, and changes while a summary is made.
import { assert, describe, it } from "@effect/vitest"
import type { End } from "@svc-runtime/engine/jobs/Job"
import { Agent } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { get, runWhole, send } from "../Wire.ts"
import { answer, fields, held, open, summarizing, summary, textOf } from "./Summarizing.ts"

Tier.oneIn(6)

describe("a job of a summary", () => {
  it.live("a job is stored after enough runs, and not before", () =>
    Effect.gen(function*() {
      const service = yield* summarizing([answer, answer, answer], [summary("All three.")], { afterRuns: 3 })
      for (const message of ["one", "two", "three"]) {
        assert.strictEqual((yield* service.jobs).total, 0)
        yield* runWhole(service.server, "agent", { ...fields, message })
      }
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual((yield* service.jobs).total, 1)
      assert.strictEqual(yield* service.summaryOf("s"), "All three.")
      const [request] = yield* service.writing.calls
      for (const message of ["one", "two", "three"]) assert.include(textOf(request!, "user"), `{"user":"${message}"}`)
    }))

  it.live("an answer that is no summary changes nothing, and the job is repeated", () =>
    Effect.gen(function*() {
      for (const text of ["nonsense", JSON.stringify({ summary: "  ", topics: [] }), JSON.stringify({ summary: 1 })]) {
        const service = yield* summarizing([answer], [[Script.text(text)]])
        yield* runWhole(service.server, "agent", fields)
        assert.strictEqual(yield* service.jobEnd, "Retry")
        assert.isUndefined(yield* service.summaryOf("s"))
      }
    }))

  it.live("an attempt whose end was lost is repeated, and asks the model no second time", () =>
    Effect.gen(function*() {
      const [talking, writing] = [yield* Script.make([answer]), yield* Script.make([summary("Tea.")])]
      const agent = Agent.make({
        id: "agent",
        model: talking.model,
        sessionSummaries: { model: writing.model, afterRuns: 1 }
      })
      let isFirst = true
      const service = yield* open({ agents: [agent] }, (end) => {
        const lost: End = isFirst ? { _tag: "Retry", error: "lost", seconds: 0 } : end
        isFirst = false
        return lost
      })
      yield* runWhole(service.server, "agent", fields)
      assert.strictEqual(yield* service.jobEnd, "Retry")
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual((yield* writing.calls).length, 1)
      assert.strictEqual(yield* service.summaryOf("s"), "Tea.")
    }))

  it.live("a summary that a person writes while the model answers is kept, and the attempt is repeated", () =>
    Effect.gen(function*() {
      const { requested, release, wait } = yield* held
      const service = yield* summarizing([answer], [[wait, ...summary("By the model.")]])
      yield* runWhole(service.server, "agent", fields)
      yield* requested
      yield* send(service.server, "PATCH", "/sessions/s", { summary: { summary: "By a person." } })
      yield* release
      assert.strictEqual(yield* service.jobEnd, "Retry")
      assert.strictEqual(yield* service.summaryOf("s"), "By a person.")
    }))

  it.live("a summary that is made while the memory of its user is deleted is not stored", () =>
    Effect.gen(function*() {
      const { requested, release, wait } = yield* held
      const service = yield* summarizing([answer, answer], [[wait, ...summary("Too late.")], summary("Likes milk.")])
      yield* runWhole(service.server, "agent", fields)
      yield* requested
      const { json } = yield* send(service.server, "DELETE", "/users/ann/memory", {})
      assert.deepInclude(json, { memories: 0, learnings: 0, summaries: 0, jobs: 1 })
      yield* release
      assert.strictEqual(yield* service.jobEnd, "Retry")
      assert.isUndefined(yield* service.summaryOf("s"))
      yield* runWhole(service.server, "agent", { ...fields, message: "I like milk." })
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const [, request] = yield* service.writing.calls
      assert.notInclude(textOf(request!, "user"), "tea")
      assert.strictEqual(yield* service.summaryOf("s"), "Likes milk.")
    }))

  it.live("a session that is deleted while it is summarized stays deleted, with its jobs", () =>
    Effect.gen(function*() {
      const { requested, release, wait } = yield* held
      const service = yield* summarizing([answer], [[wait, ...summary("Too late.")]])
      yield* runWhole(service.server, "agent", fields)
      yield* requested
      yield* send(service.server, "DELETE", "/sessions/s?type=agent", {})
      assert.strictEqual((yield* service.jobs).total, 0)
      yield* release
      yield* service.jobEnd
      assert.strictEqual((yield* get(service.server, "/sessions/s?type=agent")).status, 404)
    }))

  it.live("a session that was not summarized for long is summarized in pieces by one job", () =>
    Effect.gen(function*() {
      const { requested, release, wait } = yield* held
      const long = [Script.text("x".repeat(20_000))]
      const service = yield* summarizing([long, long, long], [
        [wait, ...summary("one")],
        summary("two"),
        summary("three")
      ])
      yield* runWhole(service.server, "agent", fields)
      yield* requested
      for (const message of ["second", "third"]) yield* runWhole(service.server, "agent", { ...fields, message })
      assert.strictEqual((yield* service.jobs).total, 2)
      yield* release
      assert.strictEqual(yield* service.jobEnd, "Completed")
      assert.strictEqual(yield* service.jobEnd, "Completed")
      const requests = (yield* service.writing.calls).map((call) => textOf(call, "user"))
      const [first, second, third] = requests
      assert.strictEqual(requests.length, 3)
      assert.include(first, "I like tea.")
      assert.include(second, `{"user":"second"}`)
      assert.include(third, `{"user":"third"}`)
      assert.strictEqual(yield* service.summaryOf("s"), "three")
    }))
})
