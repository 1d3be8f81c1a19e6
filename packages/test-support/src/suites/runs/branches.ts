// The runs of a session are a tree: a run has a parent, and its history is the path to it.
import { assert, type Vitest } from "@effect/vitest"
import type * as Message from "@svc-runtime/domain/Message"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import * as UnfinishedTurn from "@svc-runtime/domain/UnfinishedTurn"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun, Place } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option } from "effect"
import { ending, message, newRun, runId, sessionId, talk, userId } from "../Samples.ts"
import { newSummary, next, questionsIn, summarize } from "../sessions/SummarizedSessions.ts"

const after = (run_id: Run.Id): Place => ({ known: [{ run_id }], otherwise: "notFound" })
const before = (run_id: Run.Id): Place => ({ known: [{ run_id, isBefore: true }], otherwise: "notFound" })
const addition: Place = { known: [], otherwise: "addition" }
const first: Place = { known: [], otherwise: "first" }

const questions = (messages: ReadonlyArray<{ readonly role: string; readonly content?: unknown }>) =>
  messages.filter(({ role }) => role === "user").map(({ content }) => content)

/** A run that asks, and is answered. Returns the questions of its history. */
const ask = Effect.fnUntraced(function*(session_id: Session.Id, question: string, fields: Partial<NewRun> = {}) {
  const store = yield* RunStore
  const run = newRun({ session_id, history: 100, isSerialized: true, ...fields })
  const { history } = yield* store.create(run)
  yield* store.finish(ending(run, { run: { messages: talk(question, `answer to ${question}`) } }))
  return { run_id: run.run_id, seen: questions(history) }
})

const conversation = (id: Session.Id) =>
  SessionStore.use((store) => store.getConversation(id, Owner.anyone)).pipe(
    Effect.map(({ chat, leaf }) => ({ leaf, asked: questions(JSON.parse(chat)) }))
  )

const moveTo = (id: Session.Id, leaf: Run.Id | null) =>
  SessionStore.use((store) => store.update(id, Owner.anyone, { leaf, updated_at: 1_800_000_000 }))

/** one, two, and another branch after one. */
const branched = Effect.fnUntraced(function*(user_id: NewRun["user_id"] = null) {
  const session_id = sessionId()
  const one = yield* ask(session_id, "one", { user_id })
  const two = yield* ask(session_id, "two", { user_id })
  const three = yield* ask(session_id, "three", { user_id, place: after(one.run_id) })
  return { session_id, one: one.run_id, two: two.run_id, three: three.run_id, seen: three.seen }
})

export const branches = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("a run without a named parent comes after the leaf, and becomes it", () =>
    Effect.gen(function*() {
      const session_id = sessionId()
      const one = yield* ask(session_id, "one")
      const two = yield* ask(session_id, "two")
      assert.deepStrictEqual(two.seen, ["one"])
      assert.deepStrictEqual(yield* conversation(session_id), { leaf: two.run_id, asked: ["one", "two"] })
      assert.deepStrictEqual(
        yield* RunStore.use((store) => store.places(session_id, [two.run_id, one.run_id, runId()])),
        [
          { run_id: one.run_id, previous_run_id: null, is_on_path: true, is_addition: false },
          { run_id: two.run_id, previous_run_id: one.run_id, is_on_path: true, is_addition: false }
        ]
      )
    }))

  it.effect("a run sees the path to its parent, and later runs come after it", () =>
    Effect.gen(function*() {
      const { one, seen, session_id, three, two } = yield* branched()
      assert.deepStrictEqual(seen, ["one"])
      const four = yield* ask(session_id, "four")
      assert.deepStrictEqual(four.seen, ["one", "three"])
      assert.deepStrictEqual(yield* conversation(session_id), { leaf: four.run_id, asked: ["one", "three", "four"] })
      const places = yield* RunStore.use((store) => store.places(session_id, [one, two, three, four.run_id]))
      assert.deepStrictEqual(places.map(({ previous_run_id }) => previous_run_id), [null, one, one, three])
      assert.deepStrictEqual(places.map(({ is_on_path }) => is_on_path), [true, false, true, true])
      const five = yield* ask(session_id, "five", { place: after(two), history: 1 })
      assert.deepStrictEqual(five.seen, ["two"])
      assert.deepStrictEqual((yield* ask(session_id, "six")).seen, ["one", "two", "five"])
    }))

  it.effect("an addition belongs to the run before it: who comes after that run comes after the addition too", () =>
    Effect.gen(function*() {
      const session_id = sessionId()
      const one = yield* ask(session_id, "one")
      yield* ask(session_id, "result", { place: addition })
      yield* ask(session_id, "other result", { place: addition })
      const two = yield* ask(session_id, "two", { place: after(one.run_id) })
      const seen = ["one", "result", "other result"]
      assert.deepStrictEqual(two.seen, seen)
      assert.deepStrictEqual(yield* conversation(session_id), { leaf: two.run_id, asked: [...seen, "two"] })
      const three = yield* ask(session_id, "three", { place: after(two.run_id) })
      // an edit of the second message
      assert.deepStrictEqual((yield* ask(session_id, "edited", { place: after(one.run_id) })).seen, seen)
      assert.deepStrictEqual((yield* ask(session_id, "again", { place: before(one.run_id) })).seen, [])
      assert.deepStrictEqual((yield* ask(session_id, "late result", { place: addition })).seen, ["again"])
      // on a path that is not the one to the leaf
      const four = yield* ask(session_id, "four", { place: after(three.run_id) })
      assert.deepStrictEqual(four.seen, [...seen, "two", "three"])
    }))

  it.effect("a run that interrupts the others of its session waits for a queued addition", () =>
    Effect.gen(function*() {
      const [store, session_id] = [yield* RunStore, sessionId()]
      const queued = { session_id, isSerialized: true, history: 100 } as const
      const [working, message] = [newRun(queued), newRun(queued)]
      const result = newRun({ ...queued, place: addition })
      for (const run of [working, message, result]) yield* store.create(run)
      yield* store.create(newRun({ ...queued, if_busy: "interrupt" }))
      const requested = Effect.fnUntraced(function*({ run_id }: NewRun) {
        const found = yield* store.snapshot(session_id, run_id, { owner: Owner.anyone })
        return Option.getOrThrow(found).isCancelRequested
      })
      assert.deepStrictEqual(yield* Effect.forEach([working, message, result], requested), [true, true, false])
    }))

  it.effect("an addition comes only into a session that exists", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const run = newRun({ session_id: sessionId(), isSerialized: true, place: addition })
      const error = yield* Effect.flip(store.create(run))
      assert.strictEqual(error._tag, "RunNotFound")
      const missing = yield* Effect.flip(conversation(run.session_id))
      assert.strictEqual(missing._tag, "SessionNotFound")
    }))

  it.effect("a search of the history finds what is before its run on its path, and nothing of another session", () =>
    Effect.gen(function*() {
      const search = (session_id: Session.Id, run_id: Run.Id, ...words: ReadonlyArray<string>) =>
        SessionStore.use((store) => store.searchHistory({ session_id, run_id, words }))
      const { one, session_id, three, two } = yield* branched()
      const four = yield* ask(session_id, "four")
      const texts = (found: ReadonlyArray<{ readonly text: string }>) => found.map(({ text }) => text)
      assert.deepStrictEqual(texts(yield* search(session_id, four.run_id, "ANSWER")), [
        "answer to three",
        "answer to one"
      ])
      assert.deepStrictEqual(
        yield* search(session_id, four.run_id, "answer", "one").pipe(
          Effect.map((found) => found[0])
        ),
        { role: "assistant", tool_name: "", text: "answer to one" }
      )
      assert.deepStrictEqual(texts(yield* search(session_id, three, "two")), [])
      assert.deepStrictEqual(texts(yield* search(session_id, two, "one")), ["answer to one", "one"])
      assert.deepStrictEqual(yield* search(session_id, one, "one"), [])
      assert.deepStrictEqual(yield* search(sessionId(), four.run_id, "one"), [])
      assert.deepStrictEqual(yield* search(session_id, four.run_id), [])
    }))

  it.effect("a search of the history finds what later runs are shown, and nothing that was refused", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const session_id = sessionId()
      const ended = Effect.fnUntraced(function*(
        status: "CANCELLED" | "ERROR",
        messages: ReadonlyArray<Message.Message>
      ) {
        const run = newRun({ session_id, isSerialized: true })
        yield* store.create(run)
        yield* store.finish(ending(run, { run: { messages, status } }))
      })
      const repeated = message("tool", "tea again", { tool_call_id: "d", tool_name: "search", tool_call_error: false })
      const refused = message("tool", "tea of poison", { tool_call_id: "c", tool_call_error: false })
      yield* ended("CANCELLED", talk("tea, stopped", "some"))
      yield* ended("ERROR", [...talk("tea, failed", "more"), repeated, UnfinishedTurn.leftOut(refused)])
      yield* ended("ERROR", [UnfinishedTurn.leftOut(message("user", "tea, unchecked"))])
      const found = Effect.fnUntraced(function*(fields: Partial<NewRun>) {
        const { run_id } = yield* ask(session_id, "water", fields)
        const query = { session_id, run_id, words: ["tea"], except: "search" }
        const all = yield* SessionStore.use((sessions) => sessions.searchHistory(query))
        return all.map(({ text }) => text)
      })
      assert.deepStrictEqual(yield* found({}), ["tea, failed", "tea, stopped"])
      assert.deepStrictEqual(yield* found({ skipsUnfinished: true }), [])
    }))

  it.effect("a run before another one is its sibling, also before the first one", () =>
    Effect.gen(function*() {
      const { one, session_id, two } = yield* branched()
      assert.deepStrictEqual((yield* ask(session_id, "other two", { place: before(two) })).seen, ["one"])
      const another = yield* ask(session_id, "other one", { place: before(one) })
      assert.deepStrictEqual(another.seen, [])
      assert.deepStrictEqual((yield* ask(session_id, "next")).seen, ["other one"])
      assert.deepStrictEqual((yield* ask(session_id, "third", { place: first })).seen, [])
      assert.deepStrictEqual((yield* conversation(session_id)).asked, ["third"])
      assert.deepStrictEqual((yield* ask(session_id, "deep", { place: before(another.run_id) })).seen, [])
    }))

  it.effect("a parent that names the leaf makes no branch, and an unknown one is not found or passed over", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const session_id = sessionId()
      const one = yield* ask(session_id, "one", { place: first })
      assert.deepStrictEqual((yield* ask(session_id, "two", { place: after(one.run_id) })).seen, ["one"])
      const unknown = newRun({ session_id, place: after(runId()) })
      assert.strictEqual((yield* Effect.flip(store.create(unknown)))._tag, "RunNotFound")
      const elsewhere = yield* ask(sessionId(), "elsewhere")
      const other = newRun({ session_id, if_busy: "interrupt", place: after(elsewhere.run_id) })
      assert.strictEqual((yield* Effect.flip(store.create(other)))._tag, "RunNotFound")
      const empty = newRun({ place: after(one.run_id) })
      assert.strictEqual((yield* Effect.flip(store.create(empty)))._tag, "RunNotFound")
      assert.isTrue(Option.isNone(yield* SessionStore.use((sessions) => sessions.find(empty.session_id, Owner.anyone))))
      const known = [{ run_id: runId() }, { run_id: one.run_id }]
      assert.deepStrictEqual((yield* ask(session_id, "three", { place: { known, otherwise: "leaf" } })).seen, ["one"])
      const place: Place = { known: [{ run_id: runId() }], otherwise: "leaf" }
      assert.deepStrictEqual((yield* ask(session_id, "four", { place })).seen, ["one", "three"])
    }))

  it.effect("a session of another user does not show whether a parent is in it", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const { session_id, two } = yield* branched(userId())
      for (const run of [two, runId()]) {
        const refused = yield* Effect.flip(store.create(newRun({ session_id, user_id: userId(), place: after(run) })))
        assert.strictEqual(refused._tag, "SessionNotFound")
      }
    }))

  it.effect("the leaf of a session can be moved to any of its runs, or before the first one", () =>
    Effect.gen(function*() {
      const { one, session_id, three, two } = yield* branched()
      const moved = yield* moveTo(session_id, two)
      assert.strictEqual(moved.leaf, two)
      assert.deepStrictEqual(yield* conversation(session_id), { leaf: two, asked: ["one", "two"] })
      assert.deepStrictEqual((yield* ask(session_id, "four")).seen, ["one", "two"])
      assert.deepStrictEqual((yield* conversation(session_id)).asked, ["one", "two", "four"])
      yield* moveTo(session_id, one)
      assert.deepStrictEqual((yield* conversation(session_id)).asked, ["one"])
      yield* moveTo(session_id, three)
      assert.deepStrictEqual((yield* ask(session_id, "five")).seen, ["one", "three"])
      yield* moveTo(session_id, null)
      assert.deepStrictEqual(yield* conversation(session_id), { leaf: null, asked: [] })
      assert.deepStrictEqual((yield* ask(session_id, "six")).seen, [])
      for (const run of [runId(), (yield* ask(sessionId(), "elsewhere")).run_id]) {
        assert.strictEqual((yield* Effect.flip(moveTo(session_id, run)))._tag, "RunNotFound")
      }
      assert.strictEqual((yield* Effect.flip(moveTo(sessionId(), one)))._tag, "SessionNotFound")
      assert.deepStrictEqual((yield* conversation(session_id)).asked, ["six"])
    }))

  it.effect("a queued run sees the path to its parent when it starts, also if the leaf was moved meanwhile", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const { one, session_id, three, two } = yield* branched()
      const executing = newRun({ session_id, isSerialized: true, place: after(two) })
      const behind = newRun({ session_id, history: 10, isSerialized: true })
      const beside = newRun({ session_id, history: 10, isSerialized: true, place: after(three) })
      yield* store.create(executing)
      assert.isTrue((yield* store.create(behind)).isQueued)
      assert.isTrue((yield* store.create(beside)).isQueued)
      yield* moveTo(session_id, one)
      const messages = talk("four", "answer to four")
      const { next } = yield* store.finishAndDequeue(ending(executing, { run: { messages } }), behind.node)
      assert.strictEqual(next?.run_id, behind.run_id)
      assert.deepStrictEqual(questions(next?.snapshot?.history ?? []), ["one", "two", "four"])
      const stored = yield* Effect.flatMap(
        store.snapshot(session_id, behind.run_id, { owner: Owner.anyone }),
        Effect.fromOption
      )
      assert.deepStrictEqual(questions(stored.history), ["one", "two", "four"])
      yield* store.finish(ending(behind, { run: { messages: talk("five", "answer to five") } }))
      const [turn] = yield* store.dequeue({ node: beside.node, sessions: [session_id], uncertain: [] })
      assert.deepStrictEqual(questions(turn?.history ?? []), ["one", "three"])
      yield* store.finish(ending(beside, { run: { messages: talk("six", "answer to six") } }))
      assert.deepStrictEqual(yield* conversation(session_id), { leaf: one, asked: ["one"] })
    }))

  it.effect("of two runs with one parent that are accepted at once, each sees only the path to its parent", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const { session_id, two } = yield* branched()
      const runs = [1, 2, 3].map(() => newRun({ session_id, history: 10, isSerialized: true, place: after(two) }))
      yield* Effect.forEach(runs, store.create, { concurrency: "unbounded" })
      const stored = yield* Effect.forEach(
        runs,
        ({ run_id }) => Effect.flatMap(store.snapshot(session_id, run_id, { owner: Owner.anyone }), Effect.fromOption)
      )
      for (const { history } of stored) assert.deepStrictEqual(questions(history), ["one", "two"])
      const places = yield* store.places(session_id, runs.map(({ run_id }) => run_id))
      assert.deepStrictEqual(places.map(({ previous_run_id }) => previous_run_id), [two, two, two])
      assert.strictEqual(places.filter(({ is_on_path }) => is_on_path).length, 1)
    }))

  it.effect("runs at once without a parent come after each other, also after the leaf was moved", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const { session_id, two } = yield* branched()
      yield* moveTo(session_id, two)
      const runs = [1, 2, 3].map(() => newRun({ session_id, history: 10, isSerialized: true }))
      yield* Effect.forEach(runs, store.create, { concurrency: "unbounded" })
      const places = yield* store.places(session_id, runs.map(({ run_id }) => run_id))
      const parents = places.map(({ previous_run_id }) => previous_run_id)
      assert.strictEqual(new Set(parents).size, 3)
      assert.include(parents, two)
      assert.isTrue(places.every(({ is_on_path }) => is_on_path))
    }))

  it.effect("a copy of a session has its branches and its leaf", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const { session_id, two } = yield* branched()
      yield* moveTo(session_id, two)
      const copy = sessionId()
      const forking = { source: session_id, filter: { owner: Owner.anyone }, created_at: 1_800_000_000 }
      assert.isTrue(Option.isSome(yield* store.fork({ ...forking, session_id: copy })))
      assert.deepStrictEqual((yield* conversation(copy)).asked, ["one", "two"])
      assert.deepStrictEqual((yield* ask(copy, "four")).seen, ["one", "two"])
      const runs = yield* Effect.flatMap(store.list(copy, { owner: Owner.anyone }), Effect.fromOption)
      const places = yield* store.places(copy, runs.map(({ run_id }) => run_id))
      const at = (run: Run.Id | null | undefined) => runs.findIndex(({ run_id }) => run_id === run)
      assert.deepStrictEqual(
        runs.map(({ run_id }) => at(places.find((place) => place.run_id === run_id)?.previous_run_id)),
        [-1, 0, 0, 1]
      )
    }))

  it.effect("a run that is not copied stands for the run before it", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const { one, session_id, three } = yield* branched()
      const executing = newRun({ session_id, place: after(one) })
      yield* store.create(executing)
      yield* ask(session_id, "four", { isSerialized: false, place: after(executing.run_id) })
      yield* moveTo(session_id, executing.run_id)
      const copy = sessionId()
      const forking = { source: session_id, filter: { owner: Owner.anyone }, created_at: 1_800_000_000 }
      assert.isTrue(Option.isSome(yield* store.fork({ ...forking, session_id: copy })))
      assert.deepStrictEqual((yield* conversation(copy)).asked, ["one"])
      const runs = yield* Effect.flatMap(store.list(copy, { owner: Owner.anyone }), Effect.fromOption)
      const four = runs.at(-1)?.run_id ?? three
      yield* moveTo(copy, four)
      assert.deepStrictEqual((yield* conversation(copy)).asked, ["one", "four"])
    }))

  it.effect("a search finds only runs on the path, if asked", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const { one, session_id, three, two } = yield* branched()
      const component = { kind: "agent", id: "assistant" } as const
      const search = { filter: { owner: Owner.anyone, component }, session_id, limit: 10 }
      const found = (isOnPath: boolean) =>
        Effect.map(store.search({ ...search, isOnPath }), ({ runs }) => runs.map(({ run_id }) => run_id))
      assert.sameMembers(yield* found(false), [one, two, three])
      assert.sameMembers(yield* found(true), [one, three])
    }))

  it.effect("a member of a team sees only its runs on the path", () =>
    Effect.gen(function*() {
      const store = yield* RunStore
      const session_id = sessionId()
      const team = { session_id, kind: "team", component_id: "desk" } as const
      const round = Effect.fnUntraced(function*(question: string, place?: Place) {
        const run = newRun({ ...team, place })
        yield* store.create(run)
        const recall = {
          run_id: run.run_id,
          component: { kind: "agent", id: "reader" },
          team: "desk",
          limit: 9
        } as const
        const seen = questions(yield* store.memberHistory(recall))
        const member = ending(newRun({ session_id, component_id: "reader" }), {
          run: { parent_run_id: run.run_id, messages: talk(question, "read") }
        })
        yield* store.recordMembers({ run_id: run.run_id, attempt: 1 }, [member.run as never])
        yield* store.finish(ending(run))
        return { run_id: run.run_id, seen }
      })
      const one = yield* round("one")
      assert.deepStrictEqual((yield* round("two")).seen, ["one"])
      assert.deepStrictEqual((yield* round("three", after(one.run_id))).seen, ["one"])
      assert.deepStrictEqual((yield* round("four")).seen, ["one", "three"])
    }))

  it.effect("a summary is shown only to runs whose path has all that it covers", () =>
    Effect.gen(function*() {
      const sessions = yield* SessionStore
      const session_id = sessionId()
      const one = yield* ask(session_id, "one")
      const two = yield* ask(session_id, "two")
      const made = newSummary(session_id, yield* next(session_id), "One and two.")
      assert.isTrue(yield* summarize(made))
      const shownTo = (run: Run.Id) =>
        Effect.map(sessions.findSummary(session_id, run), (found) => Option.getOrUndefined(found)?.summary)
      const three = yield* ask(session_id, "three")
      assert.strictEqual(yield* shownTo(three.run_id), "One and two.")
      const other = yield* ask(session_id, "other two", { place: after(one.run_id) })
      assert.isUndefined(yield* shownTo(other.run_id))
      assert.isNull((yield* sessions.getConversation(session_id, Owner.anyone)).session.summary)
      const anew = yield* next(session_id)
      assert.isNull(anew.summary)
      assert.deepStrictEqual(questionsIn(anew), ["one", "other two"])
      yield* moveTo(session_id, three.run_id)
      assert.strictEqual(
        (yield* sessions.getConversation(session_id, Owner.anyone)).session.summary?.summary,
        "One and two."
      )
      assert.deepStrictEqual(questionsIn(yield* next(session_id)), ["three"])
      assert.isTrue(yield* summarize(newSummary(session_id, anew, "One and the other two.")))
      assert.isUndefined(yield* shownTo(three.run_id))
      const four = yield* ask(session_id, "four", { place: after(other.run_id) })
      assert.strictEqual(yield* shownTo(four.run_id), "One and the other two.")
      assert.deepStrictEqual(questionsIn(yield* next(session_id)), ["four"])
      assert.deepStrictEqual(two.seen, ["one"])
    }))

  it.effect("a summary that is stored after the leaf has moved leaves nothing of its path to be covered again", () =>
    Effect.gen(function*() {
      const session_id = sessionId()
      const one = yield* ask(session_id, "one")
      yield* ask(session_id, "two")
      assert.isTrue(yield* summarize(newSummary(session_id, yield* next(session_id), "One and two.")))
      const three = yield* ask(session_id, "three")
      const made = newSummary(session_id, yield* next(session_id), "All three.")
      yield* moveTo(session_id, one.run_id)
      assert.isTrue(yield* summarize(made))
      yield* moveTo(session_id, three.run_id)
      yield* ask(session_id, "four")
      assert.deepStrictEqual(questionsIn(yield* next(session_id)), ["four"])
    }))
}
