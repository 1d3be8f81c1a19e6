import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as SpanSink from "@svc-runtime/telemetry/SpanSink"
import { SpanTracer } from "@svc-runtime/telemetry/SpanTracer"
import * as RequestCounts from "@svc-runtime/test-support/RequestCounts"
import { hang, text, toolCall, usage, wait } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber, Tracer } from "effect"
import { TestClock } from "effect/testing"
import type { Ask } from "../../src/agent/define/Hook.ts"
import { run } from "./Harness.ts"

describe("the limits of a run", () => {
  it.effect("a request that takes longer than the run may is interrupted, and the run fails with the limit", () =>
    Effect.gen(function*() {
      const requested = yield* Deferred.make<void>()
      const running = yield* Effect.forkChild(
        run({ runTimeout: "5 minutes" }, [[wait(Deferred.succeed(requested, undefined)), hang]])
      )
      yield* Deferred.await(requested)
      yield* TestClock.adjust("299 seconds")
      assert.isUndefined(running.pollUnsafe())
      yield* TestClock.adjust("1 second")
      const { output } = yield* Fiber.join(running)
      assert.deepInclude(output, {
        status: "ERROR",
        content: "The run has reached its time limit of 5m (runTimeout)"
      })
    }))

  it.effect("a request that the time limit of its run ends counts as an error, and a cancelled one does not", () =>
    Effect.gen(function*() {
      for (const reason of ["limit", "cancellation"] as const) {
        const { counting, counts } = RequestCounts.make()
        const sink = SpanSink.memory()
        const requested = yield* Deferred.make<void>()
        const running = yield* run(
          { runTimeout: "5 minutes" },
          [[wait(Deferred.succeed(requested, undefined)), hang]]
        ).pipe(
          counting,
          Effect.provideService(Tracer.Tracer, new SpanTracer({ sinks: [sink] })),
          Effect.forkChild
        )
        yield* Deferred.await(requested)
        if (reason === "limit") {
          yield* TestClock.adjust("5 minutes")
          yield* Fiber.join(running)
        } else yield* Fiber.interrupt(running)
        assert.deepStrictEqual(counts(), reason === "limit" ? { "scripted error": 1 } : {})
        const chat = sink.spans.find(({ name }) => name === "chat scripted")
        assert.deepStrictEqual(
          [chat?.status, chat?.attributes["error.type"]],
          reason === "limit" ? ["ERROR", "timeout"] : ["UNSET", undefined]
        )
      }
    }))

  it.effect("a request of a hook that the time limit of the run ends counts as an error", () =>
    Effect.gen(function*() {
      const { counting, counts } = RequestCounts.make()
      const requested = yield* Deferred.make<void>()
      const hook = {
        name: "judging",
        beforeRun: async ({ ask }: { readonly ask: Ask }) => {
          await ask({ instructions: "Judge", input: "Hi" })
        }
      }
      const turn = [wait(Deferred.succeed(requested, undefined)), hang]
      const running = yield* Effect.forkChild(counting(run({ runTimeout: "5 minutes", hooks: [hook] }, [turn])))
      yield* Deferred.await(requested)
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual((yield* Fiber.join(running)).output.status, "ERROR")
      assert.deepStrictEqual(counts(), { "scripted error": 1 })
    }))

  it.effect("a tool call is not interrupted, and no request follows it after the time limit", () =>
    Effect.gen(function*() {
      const [begun, done] = [yield* Deferred.make<void>(), yield* Deferred.make<number>()]
      const slow = Tool.make({
        name: "slow",
        execute: () => Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(done))
      })
      const running = yield* Effect.forkChild(
        run({ runTimeout: "1 second", tools: [slow] }, [[toolCall("slow")], [text("It is done")]])
      )
      yield* Deferred.await(begun)
      yield* TestClock.adjust("2 seconds")
      yield* Deferred.succeed(done, 3)
      const { calls, output } = yield* Fiber.join(running)
      assert.strictEqual(output.status, "ERROR")
      assert.deepStrictEqual(output.tools?.map(({ result }) => result), ["3"])
      assert.lengthOf(calls, 1)
    }))

  for (const stage of ["beforeRun", "beforeModel", "afterModel", "beforeTool", "afterTool", "afterRun"] as const) {
    it.effect(`a hook of ${stage} that hangs ends with the time of the run, and its signal is aborted`, () =>
      Effect.gen(function*() {
        const begun = yield* Deferred.make<AbortSignal>()
        const hangs = ({ signal }: { readonly signal: AbortSignal }) => {
          Deferred.doneUnsafe(begun, Effect.succeed(signal))
          return new Promise<undefined>(() => undefined)
        }
        const tool = Tool.make({ name: "look", effects: "read", execute: () => "Seen" })
        const running = yield* Effect.forkChild(
          run(
            { runTimeout: "1 second", tools: [tool], hooks: [{ name: "slow", [stage]: hangs }] },
            [[toolCall("look")], [text("It is done")]]
          )
        )
        const signal = yield* Deferred.await(begun)
        assert.isFalse(signal.aborted)
        yield* TestClock.adjust("1 second")
        const { output } = yield* Fiber.join(running)
        assert.deepInclude(output, {
          status: "ERROR",
          content: "The run has reached its time limit of 1s (runTimeout)"
        })
        assert.isTrue(signal.aborted)
      }))
  }

  it.effect("a check ends with the time of the run, and its Effect is interrupted", () =>
    Effect.gen(function*() {
      for (const when of ["preHooks", "postHooks"] as const) {
        const [begun, interrupted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const hangs = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
        const running = yield* Effect.forkChild(
          run({ runTimeout: "1 second", [when]: [{ name: "slow", run: () => hangs }] }, [[text("Done")]])
        )
        yield* Deferred.await(begun)
        yield* TestClock.adjust("1 second")
        assert.strictEqual((yield* Fiber.join(running)).output.status, "ERROR")
        yield* Deferred.await(interrupted)
      }
    }))

  it.effect("no request begins when the run has used its tokens", () =>
    Effect.gen(function*() {
      const add = Tool.make({ name: "add", execute: () => 3 })
      const turn = [toolCall("add"), usage({ input: 40, output: 20 })]
      const { calls, output } = yield* run({ tokenLimit: 100, tools: [add] }, [turn, turn, [text("Done")]])
      assert.lengthOf(calls, 2)
      assert.deepInclude(output, {
        status: "ERROR",
        content: "The run has reached its limit of 100 tokens (tokenLimit)"
      })
    }))

  it.effect("a run below its limits is not changed by them", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ runTimeout: "1 second", tokenLimit: 1 }, [[text("Done"), usage({ input: 9 })]])
      assert.deepInclude(output, { status: "COMPLETED", content: "Done" })
    }))
})
