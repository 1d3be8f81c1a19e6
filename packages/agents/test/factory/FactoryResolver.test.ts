// The resolver without an HTTP request: for a socket, and for a run that resumes after a restart.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import { Effect, Exit, Fiber, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as AgentFactory from "../../src/agent/define/AgentFactory.ts"
import { type Component, type ComponentType, make } from "../../src/factory/Factory.ts"
import { type FactoryCaller, type FactoryContext, untrusted } from "../../src/factory/FactoryContext.ts"
import * as FactoryInput from "../../src/factory/FactoryInput.ts"
import { FactoryResolver } from "../../src/factory/FactoryResolver.ts"

const withoutUser: FactoryCaller = { userId: null, sessionId: null, trusted: untrusted, request: null }

/** Something that the service does not have, made the way agents are. */
interface Lamp extends Component {
  readonly light: string
}

const lamps: ComponentType<Lamp> = {
  kind: "workflow",
  idOf: (id) => id,
  is: (value): value is Lamp => typeof value === "object" && value !== null && "light" in value,
  complete: (lamp, id) => ({ ...lamp, id })
}

const resolving = <A, E>(use: (resolver: FactoryResolver["Service"]) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.gen(function*() {
    return yield* use(yield* FactoryResolver)
  }).pipe(Effect.scoped, Effect.provide(FactoryResolver.layer({ timeout: "1 second" })))

const none = { ...withoutUser, input: FactoryInput.none }

const observed = () => {
  const seen: Array<FactoryContext<{ readonly tenant: string }>> = []
  const factory = AgentFactory.make({
    id: "made",
    inputSchema: Schema.Struct({ tenant: Schema.String }),
    build: (context) => {
      seen.push(context)
      return Agent.make({ id: "made" })
    }
  })
  return { seen, factory }
}

describe("FactoryResolver", () => {
  it.effect("a component that is not a factory is returned as it is", () =>
    resolving((resolver) =>
      Effect.gen(function*() {
        const agent = Agent.make({ id: "ready" })
        const input = FactoryInput.text("not json")
        const first = yield* resolver.resolve(agent, { ...withoutUser, input })
        assert.strictEqual(first.component, agent)
        assert.isUndefined(first.lifetime)
      })
    ))

  it.effect("the component of a run is made again with input null, whatever the schema requires", () =>
    resolving((resolver) =>
      Effect.gen(function*() {
        const { factory, seen } = observed()
        const { component } = yield* resolver.resolve(factory, none)
        assert.strictEqual(component.id, "made")
        assert.isTrue(component.storeEvents)
        assert.deepInclude(seen[0], { id: "made", input: null, userId: null, sessionId: null, request: null })
        assert.deepStrictEqual(seen[0]?.trusted, { claims: {}, scopes: new Set<string>() })
      })
    ))

  it.effect("the value of a message is decoded like the text of a form", () =>
    resolving((resolver) =>
      Effect.gen(function*() {
        const { factory, seen } = observed()
        const resolve = (value: unknown) =>
          resolver.resolve(factory, { ...withoutUser, input: FactoryInput.value(value) })
        yield* resolve({ tenant: "acme" })
        assert.deepStrictEqual(seen[0]?.input, { tenant: "acme" })
        const messages: Array<string> = []
        for (const value of [`{"tenant":"acme"}`, [], null, { tenant: 5 }, undefined]) {
          messages.push((yield* Effect.flip(resolve(value))).message)
        }
        assert.deepStrictEqual(messages.slice(0, 3), [
          "factory_input must be a JSON object, got string",
          "factory_input must be a JSON object, got array",
          "factory_input must be a JSON object, got null"
        ])
        for (const message of messages.slice(3)) assert.match(message, /^factory_input validation failed: tenant: /)
        assert.strictEqual(seen.length, 1)
      })
    ))

  it.effect("a factory makes any kind of component", () =>
    resolving((resolver) =>
      Effect.gen(function*() {
        const factory = make(lamps, { id: "lamp", build: () => ({ id: "else", light: "on" }) })
        const { component } = yield* resolver.resolve(factory, none)
        assert.deepStrictEqual(component, { id: "lamp", light: "on" })
        const dark = make(lamps, { id: "lamp", build: () => ({ id: "lamp" }) as Lamp })
        const error = yield* Effect.flip(resolver.resolve(dark, none))
        assert.deepInclude(error, { kind: "workflow", factory: "lamp" })
        assert.strictEqual(error.message, "The workflow factory 'lamp' gave something that is no workflow")
      })
    ))

  it.effect("the limit applies even where a factory cannot be interrupted", () =>
    resolving((resolver) =>
      Effect.gen(function*() {
        const factory = AgentFactory.make({ id: "made", build: () => new Promise(() => {}) })
        const resolved = Effect.scoped(Effect.uninterruptible(resolver.resolve(factory, none)))
        const resolving = yield* Effect.forkChild(Effect.flip(resolved), { startImmediately: true })
        yield* TestClock.adjust("1 second")
        assert.match((yield* Fiber.join(resolving)).message, /did not give its agent within 1s$/)
      })
    ))

  it.effect("a lifetime ends with the scope of the resolution, unless it was handed over", () =>
    Effect.gen(function*() {
      const signals: Array<AbortSignal> = []
      const factory = AgentFactory.make({
        id: "made",
        build: ({ signal }) => {
          signals.push(signal)
          return Agent.make({ id: "made" })
        }
      })
      const scope = yield* Scope.make()
      const resolver = yield* Effect.provide(FactoryResolver, FactoryResolver.layer({ timeout: "1 second" }))
      const resolve = Scope.provide(resolver.resolve(factory, none), scope)
      yield* resolve
      const { lifetime } = yield* resolve
      lifetime?.handOver()
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(signals.map(({ aborted }) => aborted), [true, false])
      yield* lifetime!.end
      yield* lifetime!.end
      assert.isTrue(signals[1]?.aborted)
    }))
})
