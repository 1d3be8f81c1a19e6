// How runs are found, and what they are shown as.
import { assert, type Vitest } from "@effect/vitest"
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import * as Run from "@svc-runtime/domain/Run"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import type { RunKey } from "@svc-runtime/engine/run/store/RunReads"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, newRun, runId, session, sessionId, talk, userId } from "../Samples.ts"
import { find, type Given, idsOf } from "./Found.ts"

export const reading = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("the input of a run that has not ended is shown", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const begun = newRun({
        user_id: userId(),
        input: { input_content: { question: "?", list: [1] }, images: [{ url: "https://example.com/a.png" }] }
      })
      yield* store.create(begun)
      assert.deepStrictEqual(yield* find(begun), { ...Run.running(begun), events: [] })
    }))

  it.effect("the outlines of many runs are found, in any sessions of their owner, without messages", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const user_id = userId()
      const begun = [newRun({ user_id }), newRun({ user_id }), newRun({ user_id: userId() })]
      for (const run of begun) {
        yield* store.create(run)
        yield* store.finish(ending(run, { run: { messages: talk("question", "answer"), content: "answer" } }))
      }
      const [first, second, foreign] = begun.map(({ run_id, session_id }) => ({ run_id, session_id }))
      const unknown = { run_id: runId(), session_id: sessionId() }
      const elsewhere = { run_id: first!.run_id, session_id: second!.session_id }
      const outlines = (runs: ReadonlyArray<RunKey>, owner: Owner.Owner) =>
        Effect.map(store.outlines(runs, { owner }), (found) => found.map(({ run_id }) => run_id).toSorted())
      const all = [unknown, first!, elsewhere, foreign!, second!]
      const own = [first!.run_id, second!.run_id].toSorted()
      assert.deepStrictEqual(yield* outlines(all, Owner.user(user_id)), own)
      assert.deepStrictEqual(yield* outlines(all, Owner.acting(user_id)), own)
      assert.deepStrictEqual(yield* outlines(all, Owner.anyone), [...own, foreign!.run_id].toSorted())
      assert.deepStrictEqual(yield* outlines(all, Owner.acting(null)), [])
      assert.deepStrictEqual(yield* outlines([unknown, elsewhere], Owner.anyone), [])
      assert.deepStrictEqual(yield* outlines([], Owner.anyone), [])
      const [outline] = yield* store.outlines([first!], { owner: Owner.anyone })
      assert.deepInclude(outline, { status: "COMPLETED", content: "answer" })
      assert.deepStrictEqual(AnyRun.messagesOf(outline!), [])
    }))

  it.effect("a run is found under the claim with which it was started, and under no other", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const [claimed, other] = [newRun({ claim: "claim" }), newRun()]
      yield* store.create(claimed)
      yield* store.create(other)
      assert.strictEqual((yield* find(claimed, { startClaim: "claim" }))?.run_id, claimed.run_id)
      for (const startClaim of ["", "c", "claim/", "other"]) assert.isUndefined(yield* find(claimed, { startClaim }))
      assert.isUndefined(yield* find(other, { startClaim: "claim" }))
    }))

  it.effect("a run is found only in its session, for its owner and under its component", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const begun = newRun({ user_id: userId() })
      const other = newRun({ user_id: begun.user_id })
      yield* store.create(begun)
      yield* store.create(other)
      const component = { kind: begun.kind, id: begun.component_id }
      const own = yield* find(begun)
      assert.strictEqual(own?.run_id, begun.run_id)
      assert.deepStrictEqual(yield* find(begun, { owner: Owner.user(begun.user_id!), component }), own)
      const { run_id, session_id } = begun
      const absent: ReadonlyArray<readonly [Pick<NewRun, "run_id" | "session_id">, Given]> = [
        [{ run_id, session_id: other.session_id }, {}],
        [{ run_id, session_id: sessionId() }, {}],
        [{ run_id: runId(), session_id }, {}],
        [begun, { owner: Owner.user(userId()) }],
        [begun, { component: { ...component, id: "other" } }],
        [begun, { component: { ...component, kind: "team" } }],
        [begun, { status: "COMPLETED" }],
        [begun, { createdAfter: begun.created_at + 1 }]
      ]
      for (const [key, filter] of absent) assert.isUndefined(yield* find(key, filter))
    }))

  it.effect("a list needs a session of the caller, and that of an empty session is empty", () =>
    Effect.gen(function*() {
      const [store, sessions] = [yield* RunStore, yield* SessionStore]
      const empty = session({ agent_id: "assistant", user_id: userId() })
      yield* sessions.create(empty)
      const begun = newRun({ user_id: userId() })
      yield* store.create(begun)
      assert.deepStrictEqual(yield* idsOf(empty.session_id), [])
      assert.deepStrictEqual(
        yield* idsOf(empty.session_id, {
          owner: Owner.user(empty.user_id!),
          component: { kind: "agent", id: "assistant" }
        }),
        []
      )
      const component = { kind: begun.kind, id: begun.component_id }
      assert.deepStrictEqual(yield* idsOf(begun.session_id, { owner: Owner.user(begun.user_id!), component }), [
        begun.run_id
      ])
      assert.isUndefined(yield* idsOf(sessionId()))
      assert.isUndefined(yield* idsOf(begun.session_id, { owner: Owner.user(userId()) }))
      assert.isUndefined(yield* idsOf(begun.session_id, { component: { ...component, id: "other" } }))
      assert.isUndefined(yield* idsOf(begun.session_id, { component: { ...component, kind: "workflow" } }))
    }))

  it.effect("runs are listed in the order of acceptance, whenever they ended", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const session_id = sessionId()
      const begun = [5, 1, 3].map((created_at) => newRun({ session_id, created_at }))
      for (const run of begun) yield* store.create(run)
      const order = begun.map(({ run_id }) => run_id)
      for (const run of begun.toReversed()) yield* store.finish(ending(run, { run: { messages: talk("q", "a") } }))
      assert.deepStrictEqual(yield* idsOf(session_id), order)
      const runs = Option.getOrThrow(yield* store.list(session_id, { owner: Owner.anyone }))
      for (const [place, run] of runs.entries()) assert.deepStrictEqual(run, yield* find(begun[place]!))
    }))

  it.effect("runs are filtered by exact status, and between two moments, both included", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const session_id = sessionId()
      const [zero, one, two, three] = [0, 10, 20, 20].map((created_at) => newRun({ session_id, created_at }))
      for (const run of [zero!, one!, two!, three!]) yield* store.create(run)
      yield* store.finish(ending(one!))
      yield* store.finish(ending(two!, { run: { status: "ERROR" } }))
      const ids = (...runs: ReadonlyArray<NewRun | undefined>) => runs.map((run) => run!.run_id)
      const expectations: ReadonlyArray<readonly [Given, ReadonlyArray<Run.Id>]> = [
        [{ status: "RUNNING" }, ids(zero, three)],
        [{ status: "COMPLETED" }, ids(one)],
        [{ status: "completed" }, []],
        [{ status: "" }, []],
        [{ status: "no\0such" }, []],
        [{ createdAfter: 10 }, ids(one, two, three)],
        [{ createdBefore: 10 }, ids(zero, one)],
        [{ createdAfter: 10, createdBefore: 10 }, ids(one)],
        [{ createdBefore: 0 }, ids(zero)],
        [{ createdAfter: 0 }, ids(zero, one, two, three)],
        [{ createdAfter: 11, createdBefore: 19 }, []],
        [{ createdAfter: 20, status: "ERROR" }, ids(two)],
        [{ createdAfter: -1, createdBefore: Number.MAX_SAFE_INTEGER }, ids(zero, one, two, three)]
      ]
      for (const [filter, expected] of expectations) {
        assert.deepStrictEqual(yield* idsOf(session_id, filter), expected, JSON.stringify(filter))
      }
    }))

  it.effect("the runs of a session are listed page by page, newest first, each with its member runs", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const session_id = sessionId()
      const begun = Array.from({ length: 5 }, () => newRun({ kind: "team", component_id: "desk", session_id }))
      const inner: Run.Output = {
        ...Run.running(begun[3]!),
        run_id: runId(),
        parent_run_id: begun[3]!.run_id,
        status: "COMPLETED"
      }
      for (const run of begun) yield* store.create(run)
      yield* store.recordMembers({ run_id: begun[3]!.run_id, attempt: 1 }, [inner])
      const ids = begun.map(({ run_id }) => run_id)
      const pageOf = (page: number, limit: number) =>
        Effect.map(
          store.list(session_id, { owner: Owner.anyone }, { page, limit }),
          (found) => Option.getOrThrow(found).map(({ run_id }) => run_id)
        )
      assert.deepStrictEqual(yield* pageOf(1, 2), [inner.run_id, ids[3], ids[4]])
      assert.deepStrictEqual(yield* pageOf(0, 2), yield* pageOf(1, 2))
      assert.deepStrictEqual(yield* pageOf(2, 2), [ids[1], ids[2]])
      assert.deepStrictEqual(yield* pageOf(3, 2), [ids[0]])
      assert.deepStrictEqual(yield* pageOf(4, 2), [])
      assert.strictEqual((yield* pageOf(1, 100)).length, 6)
    }))

  it.effect("a list that is too large for an answer is refused, and its runs are listed in pages", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const session_id = sessionId()
      // as the pieces of files are: nothing that a database can compress
      const large = Array.from({ length: 300_000 }, () => crypto.randomUUID()).join("")
      for (const _ of [1, 2, 3, 4]) {
        const begun = newRun({ session_id })
        yield* store.create(begun)
        yield* store.finish(ending(begun, { run: { messages: talk(large, "a") } }))
      }
      const filter = { owner: Owner.anyone }
      assert.strictEqual((yield* Effect.flip(store.list(session_id, filter)))._tag, "ResponseTooLarge")
      const page = Option.getOrThrow(yield* store.list(session_id, filter, { page: 1, limit: 2 }))
      assert.deepStrictEqual(page.map(({ status }) => status), ["COMPLETED", "COMPLETED"])
    }))

  // the first is stored apart, and databases compress the second
  const outputs = {
    "a long text": (run: number): Json.Value => `${run}${"y".repeat(9_000_000)}`,
    "the same long text": (): Json.Value => "z".repeat(9_000_000),
    "many repetitive texts": (): Json.Value => Array.from({ length: 300 }, () => "y".repeat(30_000))
  }
  it.effect.each(Object.entries(outputs))(
    "an output with %s counts in a list with its size",
    ([_, contentOf]) =>
      Effect.gen(function*() {
        const store = yield* RunStore
        const session_id = sessionId()
        for (const run of [1, 2, 3, 4]) {
          const begun = newRun({ session_id })
          yield* store.create(begun)
          yield* store.finish(ending(begun, { run: { content: contentOf(run) } }))
        }
        let bytes = 0
        const limiter: ReadLimiter.Limiter = {
          isReadOnly: true,
          pieces: ReadLimiter.unlimited,
          admit: (more) => Effect.sync(() => void (bytes += more))
        }
        const list = (page?: Pagination.Request) =>
          Effect.provideService(
            store.list(session_id, { owner: Owner.anyone }, page),
            ReadLimiter.ReadLimiter,
            limiter
          )
        assert.strictEqual((yield* Effect.flip(list()))._tag, "ResponseTooLarge")
        assert.lengthOf(Option.getOrThrow(yield* list({ page: 1, limit: 1 })), 1)
        assert.isAtLeast(bytes, 9_000_000)
      })
  )

  it.effect("a store asks the read limiter before it reads a large run, and reads nothing when the limiter refuses", () =>
    Effect.gen(function*() {
      const [store, sessions] = [yield* RunStore, yield* SessionStore]
      const begun = newRun()
      yield* store.create(begun)
      const large = Array.from({ length: 30_000 }, () => crypto.randomUUID()).join("")
      yield* store.finish(ending(begun, { run: { messages: talk(large, "a") } }))
      const { run_id, session_id } = begun
      const filter = { owner: Owner.anyone }
      const reads = {
        find: store.find(session_id, run_id, filter),
        snapshot: store.snapshot(session_id, run_id, filter),
        list: store.list(session_id, filter),
        page: store.list(session_id, filter, { page: 1, limit: 1 }),
        conversation: sessions.getConversation(session_id, Owner.anyone),
        change: sessions.update(session_id, Owner.anyone, { session_name: "changed", updated_at: 1 })
      }
      const crowded = new StorageUnavailable({ cause: "no room", isCrowded: true })
      for (const [name, read] of Object.entries<Effect.Effect<unknown, unknown>>(reads)) {
        let bytes = 0
        const limiter = (limit: number): ReadLimiter.Limiter => ({
          isReadOnly: true,
          pieces: ReadLimiter.unlimited,
          admit: (more) => Effect.suspend(() => (bytes += more) > limit ? Effect.fail(crowded) : Effect.void)
        })
        const refused = yield* Effect.flip(
          Effect.provideService(read, ReadLimiter.ReadLimiter, limiter(large.length / 2))
        )
        assert.strictEqual(refused, crowded, name)
        assert.isAtLeast(bytes, large.length, name)
        assert.notStrictEqual(Option.getOrThrow(yield* sessions.find(session_id, Owner.anyone)).session_name, "changed")
        yield* Effect.provideService(read, ReadLimiter.ReadLimiter, limiter(Number.POSITIVE_INFINITY))
      }
    }))
}
