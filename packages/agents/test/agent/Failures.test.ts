import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { fail, reasoning, text, toolCall, usage } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber } from "effect"
import { AiError } from "effect/ai"
import { TestClock } from "effect/testing"
import { eventsOf, logged, rolesOf, run } from "./Harness.ts"

const add = Tool.make({ name: "add", execute: () => 3 })

const error = (reason: AiError.AiErrorReason) => AiError.make({ module: "Scripted", method: "streamText", reason })

describe("a run whose model fails", () => {
  it.effect.each([["streamed", true], ["not streamed", false]] as const)(
    "a run whose model fails ends as ERROR with the message of the provider: %s",
    ([, stream]) =>
      Effect.gen(function*() {
        const ran = yield* run({}, [[fail("It is down")]], { stream })
        assert.strictEqual(ran.output.status, "ERROR")
        assert.strictEqual(ran.output.content, "Internal provider error: It is down")
        assert.strictEqual(ran.output.content_type, "str")
        assert.deepStrictEqual(ran.endEvent, {
          event: "RunError",
          content: "Internal provider error: It is down",
          error_type: "model_provider_error"
        })
      })
  )

  it.effect("the error says that the key was refused, and never shows it", () =>
    Effect.gen(function*() {
      const refused = error(
        new AiError.AuthenticationError({
          kind: "InvalidKey",
          metadata: {
            svc: {
              message: "Scripted refused the API key: Bearer sk-abcdef1234567890",
              retryable: false,
              status: 401,
              retry_after_millis: null
            }
          }
        })
      )
      const { lines, result } = yield* logged(run({}, [[fail(refused)]]))
      assert.deepInclude(result.endEvent, { event: "RunError", error_type: "model_authentication_error" })
      assert.notInclude(JSON.stringify([result.output, result.events, lines]), "abcdef")
      assert.include(String(result.output.content), "refused the API key")
    }))

  it.effect("the error shows no stack, and the log has the failure under the run's id", () =>
    Effect.gen(function*() {
      const { lines, result } = yield* logged(run({}, [[fail("It is down")]]))
      assert.notMatch(JSON.stringify([result.output, result.events]), /\bat .*\.ts/)
      const line = lines.find(({ text }) => text.startsWith("A run failed"))
      assert.strictEqual(line?.level, "Warn")
      assert.deepInclude(line?.annotations, { run_id: "run", agent_id: "agent" })
    }))

  it.effect("a failed run keeps the messages and tools up to the failure", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [add], description: "You add." }, [[toolCall("add")], [fail()]])
      assert.strictEqual(output.status, "ERROR")
      assert.deepStrictEqual(rolesOf({ output } as never), ["system", "user", "assistant", "tool"])
      assert.deepStrictEqual(output.tools?.map(({ result }) => result), ["3"])
      assert.deepStrictEqual(output.input, { input_content: "Hi" })
    }))

  it.effect("a failed run keeps the usage up to the failure", () =>
    Effect.gen(function*() {
      const { output } = yield* run({ tools: [add] }, [[toolCall("add"), usage({ input: 7, output: 3 })], [fail()]])
      assert.strictEqual(output.metrics?.total_tokens, 10)
      assert.strictEqual(output.metrics?.details?.["model"]?.[0]?.input_tokens, 7)
    }))

  it.effect("a model that dies of what cannot be read ends the run as well", () =>
    Effect.gen(function*() {
      const unreadable = new Proxy({}, {
        get: () => assert.fail("it is read"),
        getPrototypeOf: () => assert.fail("it is asked for its class")
      })
      const { lines, result } = yield* logged(run({}, [[Script.wait(Effect.die(unreadable))]]))
      assert.strictEqual(result.output.status, "ERROR")
      assert.include(lines.map(({ text }) => text).join(), "What was thrown cannot be read")
    }))

  it.effect.each<readonly [string, () => unknown, string]>([
    ["a number", () => 5, "the number 5"],
    ["a promise of an object", async () => ({ a: 1 }), "an object with a"],
    ["a list with a number", () => ["a", 1], "the number 1"]
  ])(
    "instructions that give %s fail the run, and the log says what they give",
    ([, instructions, given]) =>
      Effect.gen(function*() {
        const { lines, result } = yield* logged(run({ instructions: instructions as never }, [[text("Hi")]]))
        assert.strictEqual(result.output.status, "ERROR")
        assert.include(
          lines.map(({ text }) => text).join(),
          `What the instructions of 'agent' give must be a text, a list of texts or nothing, and is ${given}`
        )
      })
  )

  it.effect.each<readonly [string, () => unknown]>([
    ["nothing", () => {}],
    ["a promise of nothing", async () => {}]
  ])("instructions that give %s are none", ([, instructions]) =>
    Effect.gen(function*() {
      const { output } = yield* run({ instructions: instructions as never }, [[text("Hi")]])
      assert.strictEqual(output.status, "COMPLETED")
    }))

  it.effect("a model that dies has a general error text, and the log has the cause", () =>
    Effect.gen(function*() {
      const { lines, result } = yield* logged(run({}, [[Script.wait(Effect.die(new Error("It has a bug")))]]))
      assert.strictEqual(result.output.content, "The agent failed unexpectedly. The log of the service says more.")
      assert.deepInclude(result.endEvent, { event: "RunError", error_type: "agent_run_error" })
      assert.isTrue(lines.some(({ level, text }) => level === "Error" && text.includes("It has a bug")))
    }))

  it.effect("a model that interrupts itself ends the run as ERROR", () =>
    Effect.gen(function*() {
      const { output } = yield* run({}, [[Script.wait(Effect.interrupt)]])
      assert.strictEqual(output.status, "ERROR")
      assert.strictEqual(output.content, "The agent failed unexpectedly. The log of the service says more.")
    }))
})

describe("retries", () => {
  const attempts = Effect.fnUntraced(function*(
    options: { readonly retries: number; readonly exponentialBackoff?: boolean },
    advance: ReadonlyArray<string>,
    stream: boolean
  ) {
    let tried = 0
    const turn = () => {
      tried++
      return [fail("Down")]
    }
    const fiber = yield* Effect.forkChild(
      run({ ...options, delayBetweenRetries: "2 seconds" }, Array.from({ length: 10 }, () => turn), { stream })
    )
    const counts: Array<number> = []
    yield* TestClock.adjust(0)
    counts.push(tried)
    for (const duration of advance) {
      yield* TestClock.adjust(duration as "1 second")
      counts.push(tried)
    }
    return { counts, fiber }
  })

  it.effect.each([["streamed", true], ["not streamed", false]] as const)(
    "retries come after the configured delay, as often as configured: %s",
    ([, stream]) =>
      Effect.gen(function*() {
        const { counts, fiber } = yield* attempts(
          { retries: 2 },
          ["1 second", "1 second", "2 seconds", "1 minute"],
          stream
        )
        assert.deepStrictEqual(counts, [1, 1, 2, 3, 3])
        assert.strictEqual((yield* Fiber.join(fiber)).output.status, "ERROR")
      })
  )

  it.effect("retries come after twice the delay each with exponential backoff", () =>
    Effect.gen(function*() {
      const { counts } = yield* attempts(
        { retries: 3, exponentialBackoff: true },
        ["2 seconds", "3 seconds", "1 second", "7 seconds", "1 second"],
        true
      )
      assert.deepStrictEqual(counts, [1, 2, 2, 3, 3, 4])
    }))

  it.effect("a call is not retried without the setting", () =>
    Effect.gen(function*() {
      const { counts } = yield* attempts({ retries: 0 }, ["1 minute"], true)
      assert.deepStrictEqual(counts, [1, 1])
    }))

  it.effect("retries end with the first answer, which is one request for watchers", () =>
    Effect.gen(function*() {
      const ran = yield* run({ retries: 1, delayBetweenRetries: 0 }, [[fail()], [text("Yes")]])
      assert.strictEqual(ran.output.content, "Yes")
      assert.strictEqual(eventsOf(ran, "ModelRequestStarted").length, 1)
      assert.strictEqual(ran.calls.length, 2)
    }))

  it.effect.each([["a piece of the answer", text("Half")], ["a piece of its thoughts", reasoning("Hm")]] as const)(
    "a call is not retried after %s was shown",
    ([, piece]) =>
      Effect.gen(function*() {
        const ran = yield* run({ retries: 3, delayBetweenRetries: 0 }, [[piece, fail("Down")], [text("Yes")]])
        assert.strictEqual(ran.output.status, "ERROR")
        assert.strictEqual(ran.calls.length, 1)
      })
  )

  it.effect("a call is retried after a piece that was not shown because the run is not streamed", () =>
    Effect.gen(function*() {
      const ran = yield* run({ retries: 1, delayBetweenRetries: 0 }, [[text("Half"), fail()], [text("Yes")]], {
        stream: false
      })
      assert.strictEqual(ran.output.content, "Yes")
    }))

  it.effect("retries are counted anew for each request", () =>
    Effect.gen(function*() {
      const ran = yield* run({ tools: [add], retries: 1, delayBetweenRetries: 0 }, [
        [fail()],
        [toolCall("add")],
        [fail()],
        [text("3")]
      ])
      assert.strictEqual(ran.output.content, "3")
    }))

  it.effect.each<[string, AiError.AiErrorReason]>([
    ["a refused key", new AiError.AuthenticationError({ kind: "InvalidKey" })],
    ["a used-up quota", new AiError.QuotaExhaustedError({})],
    ["a refused content", new AiError.ContentPolicyError({ description: "No" })],
    ["a request that is wrong", new AiError.InvalidRequestError({ description: "No" })]
  ])("a call is not retried after %s, which a retry cannot repair", ([, reason]) =>
    Effect.gen(function*() {
      const ran = yield* run({ retries: 3, delayBetweenRetries: 0 }, [[fail(error(reason))]])
      assert.strictEqual(ran.output.status, "ERROR")
      assert.strictEqual(ran.calls.length, 1)
    }))
})

describe("a run that is interrupted", () => {
  it.effect("a run that is interrupted and was not cancelled has no end: another execution resumes it", () =>
    Effect.gen(function*() {
      const begun = yield* Deferred.make<void>()
      const turn = [text("Half"), usage({ input: 1 }), Script.wait(Deferred.succeed(begun, undefined)), Script.hang]
      const fiber = yield* Effect.forkChild(run({ description: "You add." }, [turn]), { uninterruptible: true })
      yield* Deferred.await(begun)
      yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "NoSuchElementError")
    }))
})
