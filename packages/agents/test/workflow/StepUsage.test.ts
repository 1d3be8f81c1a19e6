// Every request of an agent or a team in a step counts once in the workflow, whatever becomes of the step.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as RequestCounts from "@svc-runtime/test-support/RequestCounts"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import * as Loop from "../../src/workflow/define/Loop.ts"
import type { AnyWorkflow } from "../../src/workflow/define/Node.ts"
import * as Parallel from "../../src/workflow/define/Parallel.ts"
import * as Step from "../../src/workflow/define/Step.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"
import { delegate, teamOf } from "../team/Harness.ts"
import { answered, cancelled, down, proceed, run, runsOf, tokens, tokensOf, used, worker } from "./Workers.ts"

/** A step before, which uses two requests. */
const before = Effect.map(worker("before", () => answered), ({ agent }) => Step.make({ name: "before", agent }))

describe("a step that fails", () => {
  it.effect("a failed step that ends its workflow counts", () =>
    Effect.gen(function*() {
      const { agent } = yield* worker("bad")
      const { output, session } = yield* run(
        Workflow.make({ id: "w", steps: [yield* before, Step.make({ name: "bad", agent })] })
      )
      assert.deepStrictEqual(runsOf(output), [["COMPLETED", 2 * tokens], ["ERROR", tokens]])
      assert.deepStrictEqual([output.status, session], ["ERROR", 3 * tokens])
    }))

  it.effect("a failed team counts with its members", () =>
    Effect.gen(function*() {
      const { agent } = yield* worker("bad", () => answered)
      const { team } = yield* teamOf([agent], [[delegate("bad", "look"), used], down])
      const { output, session } = yield* run(Workflow.make({ id: "w", steps: [Step.make({ name: "bad", team })] }))
      assert.deepStrictEqual([output.status, tokensOf(output), session], ["ERROR", 3 * tokens, 3 * tokens])
    }))

  it.effect.each(
    [
      ["ends its workflow", Infinity, {}, ["ERROR", 3]],
      ["is skipped", Infinity, { onError: "skip" }, ["COMPLETED", 3]],
      ["succeeds at last", 2, {}, ["COMPLETED", 4]]
    ] as const
  )("each attempt of a step counts that %s", ([, failures, options, [status, requests]]) =>
    Effect.gen(function*() {
      const { agent } = yield* worker("bad", (tries) => tries > failures ? answered : down)
      const step = Step.make({ name: "bad", agent, retries: 2, delayBetweenRetries: 0, ...options })
      const fiber = yield* Effect.forkChild(run(Workflow.make({ id: "w", steps: [step] })))
      yield* TestClock.adjust("1 second")
      const { output, session } = yield* Fiber.join(fiber)
      assert.deepStrictEqual(runsOf(output).length, 3)
      assert.deepStrictEqual([output.status, tokensOf(output), session], [status, requests * tokens, requests * tokens])
    }))

  it.effect.each(["fail", "skip"] as const)(
    "a step that takes too long counts, with onError %s",
    (onError) =>
      Effect.gen(function*() {
        const { counting, counts } = RequestCounts.make()
        const { agent } = yield* worker("slow", () => [Script.hang])
        const step = Step.make({ name: "slow", agent, timeout: "1 minute", onError })
        const fiber = yield* Effect.forkChild(counting(run(Workflow.make({ id: "w", steps: [step] }))))
        yield* TestClock.adjust("1 minute")
        const { output, session } = yield* Fiber.join(fiber)
        assert.deepStrictEqual(counts(), { "slow error": 1, "slow ok": 1 })
        assert.deepStrictEqual(runsOf(output), [["CANCELLED", tokens]])
        assert.strictEqual(session, tokens)
        assert.include(JSON.stringify(output), "Step 'slow' did not finish in time")
      })
  )

  it.effect("a nested workflow whose step takes too long counts", () =>
    Effect.gen(function*() {
      const { agent } = yield* worker("slow", () => [Script.hang])
      const inner = Workflow.make({ id: "inner", steps: [yield* before, Step.make({ name: "slow", agent })] })
      const step = Step.make({ name: "nested", workflow: inner, timeout: "1 minute", onError: "skip" })
      const fiber = yield* Effect.forkChild(run(Workflow.make({ id: "w", steps: [step] })))
      yield* TestClock.adjust("1 minute")
      const { output, session } = yield* Fiber.join(fiber)
      assert.deepStrictEqual([output.status, runsOf(output), session], [
        "COMPLETED",
        [["CANCELLED", 3 * tokens]],
        3 * tokens
      ])
    }))

  it.effect("a nested workflow that fails counts", () =>
    Effect.gen(function*() {
      const { agent } = yield* worker("bad")
      const inner = Workflow.make({ id: "inner", steps: [yield* before, Step.make({ name: "bad", agent })] })
      const { output, session } = yield* run(Workflow.make({ id: "w", steps: [inner] }))
      assert.deepStrictEqual([output.status, runsOf(output), session], ["ERROR", [["ERROR", 3 * tokens]], 3 * tokens])
    }))

  it.effect("the other branches of a step that fails in parallel count, also in nested workflows", () =>
    Effect.gen(function*() {
      const hangs: Array<Deferred.Deferred<void>> = []
      const hanging = Effect.fnUntraced(function*(id: string) {
        const begun = yield* Deferred.make<void>()
        hangs.push(begun)
        const { agent } = yield* worker(id, () => [Script.wait(Deferred.succeed(begun, undefined)), Script.hang])
        return Step.make({ name: id, agent })
      })
      const [one, two] = [yield* hanging("one"), yield* hanging("two")]
      const both = Effect.forEach(hangs, (hang) => Deferred.await(hang))
      const { agent } = yield* worker("bad", () => [Script.wait(both), ...down])
      const inner = Workflow.make({ id: "inner", steps: [two] })
      const all = Parallel.make({ name: "all", steps: [one, inner, Step.make({ name: "bad", agent })] })
      const { output, session } = yield* run(Workflow.make({ id: "w", steps: [all] }))
      assert.strictEqual(output.status, "ERROR")
      assert.include(String(output.content), "It is down")
      assert.deepStrictEqual(runsOf(output).map(([status]) => status).toSorted(), ["CANCELLED", "CANCELLED", "ERROR"])
      assert.strictEqual(session, 3 * tokens)
    }))

  it.effect("a rejected output counts with the one after it", () =>
    Effect.gen(function*() {
      const { agent } = yield* worker("writer", () => answered)
      const step = Step.make({ name: "write", agent, outputReview: { onReject: "retry", maxRetries: 1 } })
      const service = yield* run(Workflow.make({ id: "w", steps: [step] }))
      assert.deepStrictEqual([service.output.status, tokensOf(service.output)], ["PAUSED", 2 * tokens])
      const again = yield* proceed(service, service.output, { confirmed: false })
      assert.deepStrictEqual([again.output.status, tokensOf(again.output)], ["PAUSED", 4 * tokens])
      const { output, session } = yield* proceed(service, again.output, { confirmed: false })
      assert.deepStrictEqual([output.status, tokensOf(output), session], ["CANCELLED", 4 * tokens, 4 * tokens])
    }))
})

describe("a failed step about which a person decides", () => {
  const paused = Effect.gen(function*() {
    const { agent } = yield* worker("bad", (tries) => tries > 2 ? answered : down)
    const step = Step.make({ name: "bad", agent, onError: "pause" })
    return yield* run(Workflow.make({ id: "w", steps: [step] }))
  })

  it.effect("the attempts count once each when it is repeated until it succeeds", () =>
    Effect.gen(function*() {
      const service = yield* paused
      assert.deepStrictEqual([service.output.status, tokensOf(service.output)], ["PAUSED", tokens])
      const again = yield* proceed(service, service.output, { error: "retry" })
      assert.deepStrictEqual([again.output.status, tokensOf(again.output)], ["PAUSED", 2 * tokens])
      const { output, session } = yield* proceed(service, again.output, { error: "retry" })
      assert.deepStrictEqual(runsOf(output), [["ERROR", tokens], ["ERROR", tokens], ["COMPLETED", 2 * tokens]])
      assert.strictEqual(session, 4 * tokens)
    }))

  it.effect("the attempt counts once when the step is skipped", () =>
    Effect.gen(function*() {
      const service = yield* paused
      const { output, session } = yield* proceed(service, service.output, { error: "skip" })
      assert.deepStrictEqual([output.status, runsOf(output), session], ["COMPLETED", [["ERROR", tokens]], tokens])
    }))

  it.effect("the attempt counts when the workflow is cancelled", () =>
    Effect.gen(function*() {
      const service = yield* paused
      const { output, session } = yield* cancelled(service)
      assert.deepStrictEqual([output.status, tokensOf(output), session], ["CANCELLED", tokens, tokens])
    }))
})

describe("an executor that waits for a person", () => {
  const pay = Tool.make({ name: "pay", requiresConfirmation: true, execute: () => "paid" })
  const payer = Effect.gen(function*() {
    const { model } = yield* Script.make([[Script.toolCall("pay"), used], [Script.text("Paid."), used]])
    return Agent.make({ id: "payer", model, tools: [pay] })
  })
  const flows = {
    agent: Effect.map(payer, (agent) => [1, Workflow.make({ id: "w", steps: [Step.make({ name: "pay", agent })] })]),
    team: Effect.gen(function*() {
      const { team } = yield* teamOf([yield* payer], [[delegate("payer", "pay"), used], answered])
      return [2, Workflow.make({ id: "w", steps: [Step.make({ name: "pay", team })] })]
    }),
    "nested workflow": Effect.gen(function*() {
      const inner = Workflow.make({
        id: "inner",
        steps: [yield* before, Step.make({ name: "pay", agent: yield* payer })]
      })
      return [3, Workflow.make({ id: "w", steps: [inner] })]
    })
  } as const

  for (const [kind, flow] of Object.entries(flows)) {
    it.effect(`a paused ${kind} counts at the pause, and once when it is continued`, () =>
      Effect.gen(function*() {
        const [requests, workflow] = (yield* flow) as [number, AnyWorkflow]
        const service = yield* run(workflow)
        assert.deepStrictEqual([service.output.status, tokensOf(service.output)], ["PAUSED", requests * tokens])
        const { output, session } = yield* proceed(service, service.output, { confirms: true })
        const all = (kind === "team" ? 4 : requests + 1) * tokens
        assert.deepStrictEqual([output.status, tokensOf(output), session], ["COMPLETED", all, all])
        assert.strictEqual(runsOf(output).length, 1)
      }))

    it.effect(`a paused ${kind} counts when the workflow is cancelled, and is then no longer paused`, () =>
      Effect.gen(function*() {
        const [requests, workflow] = (yield* flow) as [number, AnyWorkflow]
        const { output, session } = yield* cancelled(yield* run(workflow))
        assert.deepStrictEqual(runsOf(output), [["CANCELLED", requests * tokens]])
        assert.strictEqual(session, requests * tokens)
      }))
  }
})

describe("the metrics of a workflow", () => {
  it.effect("the result of its step has the usage of its steps", () =>
    Effect.gen(function*() {
      const inner = Workflow.make({ id: "inner", steps: [yield* before] })
      const { output } = yield* run(Workflow.make({ id: "w", steps: [Step.make({ name: "nested", workflow: inner })] }))
      assert.strictEqual(output.step_results?.[0]?.metrics?.total_tokens, 2 * tokens)
      assert.strictEqual(output.metrics?.steps["nested"]?.metrics.total_tokens, 2 * tokens)
      assert.strictEqual(tokensOf(output), 2 * tokens)
    }))

  it.effect("a step has the sum of its attempts and iterations, also if it has no result", () =>
    Effect.gen(function*() {
      const { agent } = yield* worker("writer", () => answered)
      const write = Loop.make({ name: "twice", steps: [Step.make({ name: "write", agent })], maxIterations: 2 })
      const bad = yield* worker("bad")
      const failing = Step.make({ name: "bad", agent: bad.agent, retries: 1, delayBetweenRetries: 0 })
      const fiber = yield* Effect.forkChild(run(Workflow.make({ id: "w", steps: [write, failing] })))
      yield* TestClock.adjust("1 second")
      const { output } = yield* Fiber.join(fiber)
      const { bad: failed, write: written, ...others } = output.metrics?.steps ?? {}
      assert.deepStrictEqual([output.status, others], ["ERROR", {}])
      assert.deepInclude(failed, { step_name: "bad", executor_type: "agent", executor_name: "bad" })
      assert.strictEqual(failed?.metrics.total_tokens, 2 * tokens)
      assert.strictEqual(written?.metrics.total_tokens, 4 * tokens)
      assert.strictEqual(written?.metrics.details?.["model"]?.[0]?.total_tokens, 4 * tokens)
    }))
})
