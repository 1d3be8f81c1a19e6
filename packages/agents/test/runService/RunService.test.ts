import { assert, describe, it } from "@effect/vitest"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Run from "@svc-runtime/domain/Run"
import * as Scope from "@svc-runtime/domain/Scope"
import * as Session from "@svc-runtime/domain/Session"
import * as Agent from "@svc-runtime/features/Agent"
import * as Team from "@svc-runtime/features/Team"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { text } from "@svc-runtime/test-support/ScriptedModel"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { open, scripted } from "../../../engine/test/run/Engine.ts"
import * as AgentFactory from "../../src/agent/define/AgentFactory.ts"
import * as FactoryInput from "../../src/factory/FactoryInput.ts"
import * as Caller from "../../src/runService/Caller.ts"
import * as RunOptions from "../../src/runService/RunOptions.ts"
import type { StartRequest } from "../../src/runService/StartRequest.ts"
import * as Workflow from "../../src/workflow/Workflow.ts"

const ada = Ids.UserId.make("ada")

const starting = (kind: ComponentKind.ComponentKind, id: string, more: Partial<StartRequest> = {}): StartRequest => ({
  component: { kind, id },
  caller: Caller.internal(),
  message: "Hi",
  factoryInput: FactoryInput.none,
  options: RunOptions.defaults,
  ...more
})

describe("RunService.start", () => {
  it.effect("the service starts a run of an agent without an HTTP request", () =>
    Effect.gen(function*() {
      const { agent } = yield* scripted([[text("Hello")]])
      const { find, service } = yield* open({ agents: [agent] })
      const handle = yield* service.start(
        starting("agent", "agent", { run_id: "run", session_id: "session", user_id: ada })
      )
      assert.deepStrictEqual(handle.run, {
        kind: "agent",
        run_id: Run.Id.make("run"),
        session_id: Session.Id.make("session")
      })
      assert.strictEqual((yield* handle.output).content, "Hello")
      assert.deepInclude(yield* find(), { status: "COMPLETED", agent_id: "agent", user_id: ada })
    }))

  it.effect("the service starts a run of a team without an HTTP request", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[text("Hello")]])
      const team = Team.make({ id: "team", model, members: [Agent.make({ id: "member", model })] })
      const { service } = yield* open({ teams: [team] })
      const handle = yield* service.start(starting("team", "team"))
      assert.strictEqual((yield* handle.output).content, "Hello")
    }))

  it.effect("the service starts a run of a workflow without an HTTP request", () =>
    Effect.gen(function*() {
      const workflow = Workflow.make({ id: "flow", steps: [({ input }) => `${input}!`] })
      const { service } = yield* open({ workflows: [workflow] })
      const handle = yield* service.start(starting("workflow", "flow"))
      assert.strictEqual((yield* handle.output).content, "Hi!")
    }))

  it.effect("the service gives a factory no request and the user that the caller acts for", () =>
    Effect.gen(function*() {
      const { agent } = yield* scripted([[text("Hello")]])
      const seen = yield* Deferred.make<unknown>()
      const factory = AgentFactory.make({
        id: "made",
        build: ({ request, trusted, userId }) => {
          Deferred.doneUnsafe(seen, Effect.succeed({ request, userId, claims: trusted.claims }))
          return agent
        }
      })
      const { service } = yield* open({ agents: [factory] })
      yield* service.start(starting("agent", "made", { user_id: ada }))
      assert.deepStrictEqual(yield* Deferred.await(seen), { request: null, userId: ada, claims: {} })
    }))

  it.effect("the credential overrides the user, the session and the session state of the request", () =>
    Effect.gen(function*() {
      const { agent } = yield* scripted([[text("Hello")]])
      const { service, sessions } = yield* open({ agents: [agent] })
      const principal: Principal.Principal = {
        ...Principal.open,
        credential: "jwt",
        user_id: ada,
        session_id: "claimed",
        session_state: { tier: "gold" }
      }
      const handle = yield* service.start(
        starting("agent", "agent", {
          caller: Caller.make(principal),
          user_id: Ids.UserId.make("bob"),
          session_id: "requested",
          options: { ...RunOptions.defaults, session_state: { tier: "iron", seat: 1 } }
        })
      )
      assert.strictEqual(handle.run.session_id, "claimed")
      assert.strictEqual((yield* handle.output).user_id, ada)
      const kept = yield* Effect.fromOption(yield* sessions.find(handle.run.session_id, Caller.make(principal).owner))
      assert.deepStrictEqual(kept.session_state, { tier: "gold", seat: 1 })
    }))

  it.effect("the service gives the state with which a run begins: the stored one and that of the request", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[text("One")], [text("Two")]])
      const { service } = yield* open({ agents: [Agent.make({ id: "agent", model })] })
      const stateOf = Effect.fnUntraced(function*(session_state: Json.Object) {
        const request = { session_id: "session", options: { ...RunOptions.defaults, session_state } }
        const handle = yield* service.start(starting("agent", "agent", request))
        yield* handle.output
        return handle.sessionState
      })
      assert.deepStrictEqual(yield* stateOf({ seat: 1 }), { seat: 1 })
      assert.deepStrictEqual(yield* stateOf({ tier: "gold" }), { seat: 1, tier: "gold" })
    }))

  it.effect("a run whose id a hidden run has gets another id if the request allows it, and an own run is refused", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([[text("One")], [text("Two")]])
      const { service } = yield* open({ agents: [Agent.make({ id: "agent", model })] })
      const callerOf = (user: string) =>
        Caller.make({
          ...Principal.open,
          credential: "jwt",
          user_id: Ids.UserId.make(user),
          isIsolated: true
        })
      const request = (user: string) =>
        starting("agent", "agent", {
          caller: callerOf(user),
          run_id: "run",
          session_id: `session of ${user}`,
          onHiddenId: "newId"
        })
      const { run } = yield* service.start(request("ada"))
      assert.strictEqual(run.run_id, Run.Id.make("run"))
      assert.strictEqual((yield* Effect.flip(service.start(request("ada"))))._tag, "RunExists")
      const other = yield* service.start(request("bob"))
      assert.notStrictEqual(other.run.run_id, Run.Id.make("run"))
      assert.deepInclude(yield* other.output, { run_id: other.run.run_id, status: "COMPLETED" })
      const claiming = Caller.make({ ...callerOf("ada").principal, session_id: "session of ada" })
      const claimed = { ...request("ada"), caller: claiming, session_id: "another" }
      assert.strictEqual((yield* Effect.flip(service.start(claimed)))._tag, "RunExists")
      const strict = { ...request("bob"), onHiddenId: undefined }
      assert.strictEqual((yield* Effect.flip(service.start(strict)))._tag, "RunExists")
    }))

  it.effect("the service refuses an unknown component, a reserved user, an invalid message and a long factory input", () =>
    Effect.gen(function*() {
      const { agent } = yield* scripted([], { inputSchema: Schema.Struct({ city: Schema.String }) })
      const factory = AgentFactory.make({ id: "made", build: () => agent })
      const { service } = yield* open({ agents: [agent, factory] })
      const tagOf = (request: StartRequest) => Effect.map(Effect.flip(service.start(request)), ({ _tag }) => _tag)
      assert.strictEqual(yield* tagOf(starting("team", "agent")), "ComponentNotFound")
      assert.strictEqual(
        yield* tagOf(starting("agent", "agent", { user_id: Ids.UserId.make("sa:robot") })),
        "ReservedUserId"
      )
      const evaluation = { ...RunOptions.defaults, evaluation: true }
      const stranger = { ...Principal.open, credential: "jwt", isScoped: true } as const
      assert.strictEqual(yield* tagOf(starting("agent", "agent", { caller: Caller.make(stranger) })), "RunForbidden")
      const scoped = Caller.make({ ...stranger, grants: Scope.grants(["agents:run"], Scope.defaultAdmin) })
      assert.strictEqual(
        yield* tagOf(starting("agent", "agent", { caller: scoped, options: evaluation })),
        "EvaluationForbidden"
      )
      assert.strictEqual(yield* tagOf(starting("agent", "agent")), "InvalidInput")
      assert.strictEqual(yield* tagOf(starting("agent", "agent", { message: "{}" })), "InvalidInput")
      const factoryInput = FactoryInput.text(" ".repeat(1001))
      assert.strictEqual(yield* tagOf(starting("agent", "made", { factoryInput })), "FactoryInputTooLarge")
    }))
})

/** Makes the first agent when `build` is done. */
const slowAtFirst = Effect.fnUntraced(function*(agent: Agent.Agent) {
  const [isBuilding, build] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  let builds = 0
  const factory = AgentFactory.make({
    id: "made",
    build: () => {
      builds++
      if (builds > 1) return agent
      Deferred.doneUnsafe(isBuilding, Effect.void)
      return Effect.runPromise(Effect.as(Deferred.await(build), agent))
    }
  })
  return { factory, isBuilding, build }
})

describe("RunService.startOnce", () => {
  const key = { key: "key", fingerprint: "same" }

  it.effect("a repeated request gets the run that the first one started", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* scripted([[text("Hello")]])
      const { service } = yield* open({ agents: [agent] })
      const first = yield* service.startOnce(starting("agent", "agent"), key)
      assert.strictEqual(first._tag, "Started")
      const second = yield* service.startOnce(starting("agent", "agent"), key)
      assert.strictEqual(second._tag, "Repeated")
      assert.deepStrictEqual(second.run, first.run)
      if (second._tag === "Repeated") {
        const output = yield* Effect.fromOption(yield* second.output)
        assert.strictEqual(output.content, "Hello")
      }
      assert.strictEqual((yield* script.calls).length, 1)
    }))

  it.effect("another request with the same key is refused", () =>
    Effect.gen(function*() {
      const { agent } = yield* scripted([[text("Hello")]])
      const { service } = yield* open({ agents: [agent] })
      yield* service.startOnce(starting("agent", "agent"), key)
      const other = { ...key, fingerprint: "other" }
      const refused = yield* Effect.flip(service.startOnce(starting("agent", "agent"), other))
      assert.strictEqual(refused._tag, "IdempotencyKeyReused")
    }))

  it.effect("a caller who is limited to a session gets no run of another one, whatever the key", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* scripted([[text("Hello")]])
      const { service } = yield* open({ agents: [agent] })
      const start = (session_id: string) => {
        const caller = Caller.internal()
        const limited = { ...caller, principal: { ...caller.principal, session_id } }
        return service.startOnce(starting("agent", "agent", { caller: limited }), key)
      }
      const { run } = yield* start("a")
      assert.strictEqual((yield* Effect.flip(start("b")))._tag, "IdempotencyKeyReused")
      assert.deepStrictEqual((yield* start("a")).run, run)
      assert.strictEqual((yield* script.calls).length, 1)
    }))

  it.effect("the key of a request that a factory refused is free again", () =>
    Effect.gen(function*() {
      const { agent } = yield* scripted([[text("Hello")]])
      let isClosed = true
      const factory = AgentFactory.make({
        id: "made",
        build: () => {
          if (isClosed) throw new Error("closed")
          return agent
        }
      })
      const { service } = yield* open({ agents: [factory] })
      const refused = yield* Effect.flip(service.startOnce(starting("agent", "made"), key))
      assert.strictEqual(refused._tag, "FactoryError")
      isClosed = false
      const other = { ...key, fingerprint: "other" }
      assert.strictEqual((yield* service.startOnce(starting("agent", "made"), other))._tag, "Started")
    }))

  it.effect("equal requests with a chosen run id get one run, whichever of them starts it", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* scripted([[text("Hello")]])
      const { build, factory, isBuilding } = yield* slowAtFirst(agent)
      const { service } = yield* open({ agents: [factory] })
      const start = service.startOnce(starting("agent", "made", { run_id: "run", session_id: "session" }), key)
      const first = yield* Effect.forkChild(start)
      yield* Deferred.await(isBuilding)
      const second = yield* start
      assert.strictEqual(second._tag, "Started")
      yield* Deferred.succeed(build, undefined)
      const repeated = yield* Fiber.join(first)
      assert.strictEqual(repeated._tag, "Repeated")
      assert.deepStrictEqual(repeated.run, second.run)
      assert.strictEqual((yield* start)._tag, "Repeated")
      assert.strictEqual((yield* script.calls).length, 1)
    }))

  it.effect("the slower of two requests with one chosen run id and different keys is refused", () =>
    Effect.gen(function*() {
      const { agent, script } = yield* scripted([[text("Hello")], [text("Bye")]])
      const { build, factory, isBuilding } = yield* slowAtFirst(agent)
      const { service } = yield* open({ agents: [factory] })
      const chosen = { run_id: "run", session_id: "session" }
      const slow = service.startOnce(starting("agent", "made", chosen), key)
      const refused = yield* Effect.forkChild(Effect.flip(slow))
      yield* Deferred.await(isBuilding)
      // its claim holds, and the run is that of another request
      const started = yield* service.startOnce(starting("agent", "made", chosen), {
        key: "other",
        fingerprint: "other"
      })
      assert.strictEqual(started._tag, "Started")
      assert.strictEqual((yield* Effect.flip(slow))._tag, "RunExists")
      yield* Deferred.succeed(build, undefined)
      assert.strictEqual((yield* Fiber.join(refused))._tag, "RunExists")
      assert.strictEqual((yield* Effect.flip(slow))._tag, "RunExists")
      assert.strictEqual((yield* script.calls).length, 1)
    }))

  it.effect("a chosen run id that another request has used is refused, and the key is free again", () =>
    Effect.gen(function*() {
      const { agent } = yield* scripted([[text("Hello")]])
      const { service } = yield* open({ agents: [agent] })
      const chosen = { run_id: "run", session_id: "session" }
      const handle = yield* service.start(starting("agent", "agent", chosen))
      yield* handle.output
      const refused = yield* Effect.flip(service.startOnce(starting("agent", "agent", chosen), key))
      assert.strictEqual(refused._tag, "RunExists")
      const other = { ...key, fingerprint: "other" }
      const again = yield* Effect.flip(service.startOnce(starting("agent", "agent", chosen), other))
      assert.strictEqual(again._tag, "RunExists")
    }))
})
