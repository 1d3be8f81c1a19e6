// Factories that refuse, fail, hang or give something else:
// plain errors, also where a stream was asked for, and nothing is stored.
import { assert, describe, it } from "@effect/vitest"
import * as AgentFactory from "@svc-runtime/agents/agent/define/AgentFactory"
import { FactoryPermissionError, FactoryValidationError } from "@svc-runtime/agents/factory/FactoryErrors"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type Answer, at, badRequest, failed, notFound, run, runWhole, serve } from "../Wire.ts"
import { type factoryOf, id, nothingStored, serving, started, tenant } from "./Factories.ts"

Tier.oneIn(6)

/** A factory that fails, and what its failure must not tell anybody. */
const secret = "postgres://user:hunter2@db"
const explode = (): never => {
  throw new Error(secret)
}

const broken = (answer: Answer, how: string) => {
  failed(answer, 500, "INTERNAL_SERVER_ERROR")
  const request_id = String(at(answer.json, "request_id"))
  assert.strictEqual(
    at(answer.json, "detail"),
    `Agent factory error: The agent factory 'made' ${how} (FactoryError). The log says more under request_id ` +
      `${request_id}.`
  )
  assert.notInclude(answer.text, "hunter2")
  return request_id
}

describe("a factory that", () => {
  const failing: ReadonlyArray<readonly [string, string, Parameters<typeof factoryOf>[0]]> = [
    ["throws", "failed", explode],
    ["rejects", "failed", () => Promise.reject(new Error(secret))],
    ["fails", "failed", () => Effect.fail({ message: secret })],
    ["dies", "failed", () => Effect.die(new Error(secret))],
    ["throws text", "failed", () => Promise.reject(secret)],
    ["interrupts itself", "failed", () => Effect.interrupt],
    ["gives nothing", "gave something that is no agent", () => undefined as never],
    ["gives null", "gave something that is no agent", () => null as never],
    ["gives text", "gave something that is no agent", () => secret as never],
    ["gives options", "gave something that is no agent", () => ({ id: "made", instructions: secret }) as never],
    [
      "gives a factory",
      "gave something that is no agent",
      (agent) => AgentFactory.make({ id: "made", build: () => agent }) as never
    ],
    ["gives a promise of nothing", "gave something that is no agent", () => Promise.resolve(undefined as never)]
  ]

  for (const [what, how, build] of failing) {
    it.effect(`a factory that ${what} is a FactoryError, streamed or not, and only the log knows why`, () =>
      Effect.gen(function*() {
        const server = yield* serving(build)
        for (const stream of ["false", "true"]) {
          const answer = yield* run(server, "made", { message: "x", stream, session_id: "s" })
          const request_id = broken(answer, how)
          const logged = server.logs.filter(({ annotations }) => annotations["request_id"] === request_id)
          assert.deepStrictEqual(logged.map(({ level, message }) => [level, message]), [
            ["ERROR", `The agent factory 'made' ${how}`]
          ])
          if (how === "failed" && what !== "interrupts itself") assert.include(logged[0]?.cause, "hunter2")
        }
        yield* nothingStored(server)
      }))
  }

  it.effect("a factory that refuses the caller has its own error, streamed or not", () =>
    Effect.gen(function*() {
      const refusal = new FactoryPermissionError({ message: "Your plan does not include this" })
      const refusals: ReadonlyArray<Parameters<typeof factoryOf>[0]> = [
        () => {
          throw refusal
        },
        () => Promise.reject(refusal),
        () => Effect.fail(refusal),
        () => Effect.die(refusal)
      ]
      for (const build of refusals) {
        const server = yield* serving(build)
        for (const stream of ["false", "true"]) {
          const answer = yield* run(server, "made", { message: "x", stream })
          failed(answer, 403, "FORBIDDEN", "Your plan does not include this")
        }
        yield* nothingStored(server)
      }
    }))

  it.effect("a factory that rejects its input has its own error", () =>
    Effect.gen(function*() {
      const server = yield* serving(() => {
        throw new FactoryValidationError({ message: "there is no tenant 'acme'" })
      })
      const answer = yield* runWhole(server, "made", { message: "x" })
      badRequest(answer, "factory_input validation failed: there is no tenant 'acme'")
    }))

  const hanging: ReadonlyArray<readonly [string, Parameters<typeof factoryOf>[0]]> = [
    ["a promise", () => new Promise(() => {})],
    ["an Effect", () => Effect.never],
    ["an Effect that cannot be interrupted", () => Effect.uninterruptible(Effect.never)]
  ]
  for (const [what, build] of hanging) {
    it.effect(`a factory that hangs has half a minute: ${what}`, () =>
      Effect.gen(function*() {
        const called = yield* Deferred.make<void>()
        const server = yield* serving((agent, context) => {
          Deferred.doneUnsafe(called, Effect.void)
          return build(agent, context)
        })
        const answering = yield* Effect.forkChild(runWhole(server, "made", { message: "x" }))
        yield* Deferred.await(called)
        yield* TestClock.adjust("30 seconds")
        broken(yield* Fiber.join(answering), "did not give its agent within 30s")
        yield* nothingStored(server)
      }))
  }

  it.effect("a factory with its own timeout has that one", () =>
    Effect.gen(function*() {
      const called = yield* Deferred.make<void>()
      const factory = AgentFactory.make({
        id: "made",
        timeout: "2 seconds",
        build: () => {
          Deferred.doneUnsafe(called, Effect.void)
          return new Promise(() => {})
        }
      })
      const server = yield* serve({ agents: [factory] })
      const answering = yield* Effect.forkChild(runWhole(server, "made", { message: "x" }))
      yield* Deferred.await(called)
      yield* TestClock.adjust("2 seconds")
      broken(yield* Fiber.join(answering), "did not give its agent within 2s")
    }))

  it.effect("a factory that makes an agent for a session of another agent is not found there", () =>
    Effect.gen(function*() {
      const { server } = yield* started
      yield* runWhole(server, "plain", { message: "x", session_id: "s" })
      notFound(yield* runWhole(server, id, { message: "x", session_id: "s", ...tenant("acme") }))
    }))
})
