import { assert, describe, it } from "@effect/vitest"
import * as Run from "@svc-runtime/domain/Run"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { open } from "../../../engine/test/run/Engine.ts"
import * as FactoryInput from "../../src/factory/FactoryInput.ts"
import * as Caller from "../../src/runService/Caller.ts"
import * as RunOptions from "../../src/runService/RunOptions.ts"
import type { RunService } from "../../src/runService/RunService.ts"
import * as SessionRuns from "../../src/runService/SessionRuns.ts"

const caller = Caller.internal()
const component = { kind: "agent", id: "agent" } as const
const query = { caller, component, session_id: "session" }

const starting = (service: RunService["Service"], run_id: string) =>
  service.start({
    ...query,
    run_id,
    message: "Hi",
    factoryInput: FactoryInput.none,
    options: RunOptions.defaults
  })

/** A service with a paused run in the session. */
const withPaused = Effect.gen(function*() {
  const tool = Tool.make({ name: "send", requiresConfirmation: true, execute: () => "sent" })
  const { model } = yield* Script.make([[Script.toolCall("send", {}, "call")], [Script.hang]])
  const { service } = yield* open({ agents: [Agent.make({ id: "agent", model, tools: [tool] })] })
  const paused = yield* starting(service, "paused")
  assert.strictEqual((yield* paused.output).status, "PAUSED")
  return { service }
})

describe("The runs of a session", () => {
  it.effect("Paused runs are found with what they wait for, and none in a session that does not exist.", () =>
    Effect.gen(function*() {
      const { service } = yield* withPaused
      const [run, ...others] = yield* SessionRuns.paused(service, query)
      assert.isEmpty(others)
      assert.strictEqual(run?.run_id, Run.Id.make("paused"))
      assert.isNotEmpty(run?.requirements ?? [])
      assert.isEmpty(yield* SessionRuns.paused(service, { ...query, session_id: "another" }))
    }))

  it.effect("A cancellation ends active runs, and paused ones only if asked.", () =>
    Effect.gen(function*() {
      const { service } = yield* withPaused
      const handle = yield* starting(service, "active")
      const statusesOf = Effect.map(
        service.search({ caller, component, limit: 10 }),
        ({ runs }) => new Map(runs.map(({ run_id, status }): readonly [string, Run.Status] => [run_id, status]))
      )
      assert.isTrue(yield* SessionRuns.cancel(service, query, { alsoPaused: false }))
      yield* handle.output
      assert.deepStrictEqual(Object.fromEntries(yield* statusesOf), { active: "CANCELLED", paused: "PAUSED" })
      assert.isFalse(yield* SessionRuns.cancel(service, query, { alsoPaused: false }))
      assert.isTrue(yield* SessionRuns.cancel(service, query, { alsoPaused: true }))
      assert.deepStrictEqual(Object.fromEntries(yield* statusesOf), { active: "CANCELLED", paused: "CANCELLED" })
    }))

  it.effect("A cancellation ends the executed run and leaves the queued ones, however many wait.", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[Script.hang]])
      const { service } = yield* open({
        agents: [Agent.make({ id: "agent", model, addHistoryToContext: true })],
        drainTimeout: 0
      })
      yield* starting(service, "executed")
      yield* TestClock.adjust("1 second")
      yield* Effect.forEach(
        Array.from({ length: 22 }, (_, index) => `queued ${index}`),
        (run_id) => starting(service, run_id)
      )
      assert.isTrue(yield* SessionRuns.cancel(service, query, { alsoPaused: true }))
      yield* TestClock.adjust("1 second")
      const cancelled = yield* SessionRuns.withStatus(service, query, ["CANCELLED"])
      assert.deepStrictEqual(cancelled.map(({ run_id }) => String(run_id)), ["executed"])
    }))

  it.effect("A paused run is replaced when it is named or the last one, and no run that has ended.", () =>
    Effect.gen(function*() {
      const { service } = yield* withPaused
      const chosen = (run_id: string | undefined) =>
        Effect.map(
          SessionRuns.replaceable(service, query, run_id),
          (run) => Option.getOrUndefined(Option.map(run, ({ run_id }) => String(run_id)))
        )
      assert.strictEqual(yield* chosen("paused"), "paused")
      assert.strictEqual(yield* chosen(undefined), "paused")
      assert.isUndefined(yield* chosen("a message of the client"))
      yield* SessionRuns.cancel(service, query, { alsoPaused: true })
      assert.isUndefined(yield* chosen("paused"))
    }))
})
