import { assert, describe, it } from "@effect/vitest"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Principal from "@svc-runtime/domain/Principal"
import * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import { hang, text } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Stream } from "effect"
import { open, scripted } from "../../../engine/test/run/Engine.ts"
import * as FactoryInput from "../../src/factory/FactoryInput.ts"
import * as Caller from "../../src/runService/Caller.ts"
import * as RunOptions from "../../src/runService/RunOptions.ts"

const component = { kind: "agent", id: "agent" } as const
const run_id = Run.Id.make("run")
const session_id = Session.Id.make("session")
const run = { component, run_id, session_id }
const ada = Ids.UserId.make("ada")

const isolated = (user_id: Ids.UserId) =>
  Caller.make({ ...Principal.open, credential: "jwt", user_id, isIsolated: true })

const tagOf = <A, E extends { readonly _tag: string }>(read: Effect.Effect<A, E>): Effect.Effect<string, A> =>
  Effect.map(Effect.flip(read), ({ _tag }) => _tag)

const started = Effect.fnUntraced(function*(turn: Parameters<typeof scripted>[0][number] = [text("Hello")]) {
  const { agent } = yield* scripted([turn])
  const { service } = yield* open({ agents: [agent] })
  const caller = isolated(ada)
  const handle = yield* service.start({
    ...run,
    caller,
    message: "Hi",
    factoryInput: FactoryInput.none,
    options: { ...RunOptions.defaults, stream: true }
  })
  return { caller, handle, service, stranger: isolated(Ids.UserId.make("bob")) }
})

describe("RunService", () => {
  it.effect("the service lists, gets, waits for and watches a run without an HTTP request", () =>
    Effect.gen(function*() {
      const { caller, service } = yield* started()
      const query = { ...run, caller }
      assert.deepInclude(yield* service.output(query), { status: "COMPLETED", content: "Hello" })
      assert.deepInclude(yield* service.get(query), { run_id, status: "COMPLETED" })
      const listed = yield* service.list({ component, caller, session_id })
      assert.deepStrictEqual(listed.map(({ run_id }) => run_id), [run_id])
      const watched = yield* service.watch({ ...query, after: -1 })
      const events = yield* Stream.runCollect(watched.events)
      assert.strictEqual(events.at(-1)?.event, "RunCompleted")
    }))

  it.effect("the service shows a run of another user to no isolated caller", () =>
    Effect.gen(function*() {
      const { handle, service, stranger: caller } = yield* started()
      yield* handle.output
      const query = { ...run, caller }
      const tags = yield* Effect.all([
        tagOf(service.get(query)),
        tagOf(service.output(query)),
        tagOf(service.watch({ ...query, after: -1 })),
        tagOf(service.cancel(query)),
        tagOf(service.list({ component, caller, session_id })),
        tagOf(service.fork({ component, caller, session_id, user_id: undefined }))
      ])
      assert.deepStrictEqual(tags, [
        "RunNotFound",
        "RunNotFound",
        "RunNotFound",
        "RunNotFound",
        "SessionNotFound",
        "SessionNotFound"
      ])
    }))

  it.effect("the service requires the session of an isolated caller who watches or cancels", () =>
    Effect.gen(function*() {
      const { caller, service } = yield* started()
      const query = { ...run, caller, session_id: undefined }
      assert.strictEqual(yield* tagOf(service.watch({ ...query, after: -1 })), "SessionIdRequired")
      assert.strictEqual(yield* tagOf(service.cancel(query)), "SessionIdRequired")
    }))

  it.effect("the service cancels a run, and reports an unknown run", () =>
    Effect.gen(function*() {
      const { caller, handle, service } = yield* started([text("Hel"), hang])
      assert.isTrue(yield* service.cancel({ ...run, caller }))
      assert.strictEqual((yield* handle.output).status, "CANCELLED")
      const unknown = { component, run_id: Run.Id.make("other"), session_id: undefined, caller: Caller.internal() }
      assert.isFalse(yield* service.cancel(unknown))
    }))

  it.effect("the service copies a session under a new id", () =>
    Effect.gen(function*() {
      const { caller, handle, service } = yield* started()
      yield* handle.output
      const forked = yield* service.fork({ component, caller, session_id, user_id: undefined })
      const listed = yield* service.list({ component, caller, session_id: forked })
      assert.deepStrictEqual(listed.map(({ content }) => content), ["Hello"])
    }))

  it.effect("the service refuses every call about an unknown component", () =>
    Effect.gen(function*() {
      const { caller, service } = yield* started()
      const query = { ...run, caller, component: { kind: "team", id: "agent" } as const }
      const tags = yield* Effect.all([
        tagOf(service.get(query)),
        tagOf(service.list(query)),
        tagOf(service.cancel(query)),
        tagOf(service.authorizeRead({ ...query, factoryInput: FactoryInput.none }))
      ])
      assert.deepStrictEqual(new Set(tags), new Set(["ComponentNotFound"]))
    }))
})
