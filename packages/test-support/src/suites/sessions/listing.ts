// How sessions are listed.
import { assert, type Vitest } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Session from "@svc-runtime/domain/Session"
import type * as Sort from "@svc-runtime/domain/Sort"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import type { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import { type SessionFilter, SessionStore, sortable } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"
import { filled, newId, session, sessionId, userId } from "../Samples.ts"

const newest: Sort.Sort = { by: "created_at", order: "desc" }
const firstPage: Pagination.Request = { page: 1, limit: 100 }

const create = (...sessions: ReadonlyArray<Session.Session>) =>
  SessionStore.use((store) => Effect.forEach(sessions, store.create, { discard: true }))

const idsOf = (filter: SessionFilter, sort = newest) =>
  SessionStore.use((store) => store.list(filter, firstPage, sort)).pipe(
    Effect.map(({ sessions }) => sessions.map(({ session_id }) => session_id))
  )

export const listing = (it: Vitest.MethodsNonLive<RunStore | SessionStore>) => {
  it.effect("sessions are listed by kind, component and owner, and by all of them together", () =>
    Effect.gen(function*() {
      const [mine, theirs] = [userId(), userId()]
      const agent_id = newId("agent")
      const agents = [mine, theirs, null].map((user_id) => session({ agent_id, user_id }))
      const team = session({ session_type: "team", team_id: agent_id, user_id: mine })
      const workflow = session({ session_type: "workflow", workflow_id: agent_id, user_id: mine })
      const bare = session({ user_id: mine })
      yield* create(...agents, team, workflow, bare)
      const ids = (...found: ReadonlyArray<Session.Session>) => found.map(({ session_id }) => session_id).reverse()
      assert.deepStrictEqual(
        yield* idsOf({ owner: Owner.anyone, componentId: agent_id }),
        ids(...agents, team, workflow)
      )
      assert.deepStrictEqual(yield* idsOf({ owner: Owner.user(mine) }), ids(agents[0]!, team, workflow, bare))
      assert.deepStrictEqual(yield* idsOf({ owner: Owner.user(mine), kind: "team" }), ids(team))
      assert.deepStrictEqual(
        yield* idsOf({ owner: Owner.anyone, kind: "workflow", componentId: agent_id }),
        ids(workflow)
      )
      assert.deepStrictEqual(
        yield* idsOf({ owner: Owner.user(theirs), kind: "agent", componentId: agent_id }),
        ids(agents[1]!)
      )
      assert.deepStrictEqual(yield* idsOf({ owner: Owner.anyone, kind: "agent", componentId: newId("agent") }), [])
    }))

  it.effect("states that do not fit into one answer are left out, and their sessions are listed", () =>
    Effect.gen(function*() {
      const owner = userId()
      const large = { text: "x".repeat(9 * 1024 * 1024) }
      const sessions = [1, 2, 3, 4].map(() => session({ user_id: owner, session_state: large }))
      yield* create(session({ user_id: owner, session_state: { small: 1 } }), ...sessions)
      const store = yield* SessionStore
      const page = yield* store.list({ owner: Owner.user(owner) }, firstPage, newest)
      assert.deepStrictEqual(
        page.sessions.map(({ session_state }) => session_state === null ? null : Object.keys(session_state)),
        [["text"], ["text"], ["text"], null, null]
      )
      assert.deepInclude(page, { isWhole: false, total: 5 })
      const first = yield* store.list({ owner: Owner.user(owner) }, { page: 1, limit: 2 }, newest)
      assert.deepInclude(first, { isWhole: true, total: 5 })
    }))

  it.effect("a store asks the read limiter of a request before it reads the states of a page", () =>
    Effect.gen(function*() {
      const owner = userId()
      yield* create(session({ user_id: owner, session_state: { text: "x".repeat(1024 * 1024) } }))
      const store = yield* SessionStore
      const crowded = new StorageUnavailable({ cause: "no room", isCrowded: true })
      const limiter: ReadLimiter.Limiter = {
        pieces: ReadLimiter.unlimited,
        isReadOnly: true,
        admit: (bytes) => bytes > 1024 * 1024 ? Effect.fail(crowded) : Effect.void
      }
      const listed = store.list({ owner: Owner.user(owner) }, firstPage, newest)
      assert.strictEqual(yield* Effect.flip(Effect.provideService(listed, ReadLimiter.ReadLimiter, limiter)), crowded)
    }))

  it.effect("a page whose rows without states are larger than an answer is refused", () =>
    Effect.gen(function*() {
      const owner = userId()
      const derived_name = "n".repeat(9 * 1024 * 1024)
      yield* create(...[1, 2, 3, 4].map(() => session({ user_id: owner, derived_name })))
      const store = yield* SessionStore
      const refused = yield* Effect.flip(store.list({ owner: Owner.user(owner) }, firstPage, newest))
      assert.deepInclude(refused, { _tag: "ResponseTooLarge", subject: "sessions" })
      const page = yield* store.list({ owner: Owner.user(owner) }, { page: 2, limit: 2 }, newest)
      assert.deepInclude(page, { isWhole: true, total: 4 })
    }))

  it.effect("a part of the given name is found, in any case, and taken literally", () =>
    Effect.gen(function*() {
      const user_id = userId()
      const owner = Owner.user(user_id)
      const named = (session_name: string | null) =>
        session({ user_id, session_name, derived_name: "Holidays 100% off_season" })
      const [plain, percent, underscore, umlaut, empty] = [
        named("My Holidays"),
        named("100% sure"),
        named("snake_case\\path"),
        named("ÄPFEL und Birnen"),
        named("")
      ]
      yield* create(plain, percent, underscore, umlaut, empty, named(null))
      const expectations: ReadonlyArray<readonly [string, ReadonlyArray<Session.Session>]> = [
        ["holi", [plain]],
        ["HOLIDAYS", [plain]],
        ["%", [percent]],
        ["0%", [percent]],
        ["_", [underscore]],
        ["\\", [underscore]],
        ["e\\p", [underscore]],
        ["äpfel", [umlaut]],
        ["100% sure!", []],
        ["season", []],
        ["", [empty, umlaut, underscore, percent, plain]]
      ]
      for (const [name, expected] of expectations) {
        assert.deepStrictEqual(yield* idsOf({ owner, name }), expected.map(({ session_id }) => session_id), name)
      }
    }))

  it.effect.each(sortable)(
    "sessions are sorted by %s both ways, null last when ascending, ties by creation",
    (by) =>
      Effect.gen(function*() {
        const user_id = userId()
        const owner = Owner.user(user_id)
        const values = (prefix: string) =>
          ["b", null, "a", "B", null, "b", "é"].map((value) => value && `${prefix}${value}`)
        const agent_id = newId("agent")
        const samples: ReadonlyArray<Partial<Session.Session>> = {
          session_id: ["b", "a", "B", "é", "c"].map((id) => ({ session_id: sessionId(`${id}${newId("")}`) })),
          session_type: (["team", "agent", "workflow", "agent"] as const).map((session_type) => ({ session_type })),
          session_name: [...values(""), ""].map((session_name) => ({ session_name })),
          agent_id: values("").map((agent_id) => ({ agent_id })),
          team_id: values("").map((team_id) => ({ session_type: "team" as const, team_id })),
          workflow_id: values("").map((workflow_id) => ({ session_type: "workflow" as const, workflow_id })),
          user_id: values(user_id).map((id) => ({ user_id: id === null ? null : userId(id), agent_id })),
          created_at: [3, 1, 2, 1].map((created_at) => ({ created_at })),
          updated_at: [3, 1, 2, 1].map((updated_at) => ({ updated_at }))
        }[by]
        const sessions = samples.map((fields) => session({ user_id, ...fields }))
        yield* create(...sessions)
        const ascending = sessions
          .map((session, place) => ({ id: session.session_id, value: session[by], place }))
          .sort((left, right) => {
            if (left.value === right.value) return left.place - right.place
            if (left.value === null || right.value === null) return left.value === null ? 1 : -1
            return left.value < right.value ? -1 : 1
          })
          .map(({ id }) => id)
        const filter = by === "user_id" ? { owner: Owner.anyone, componentId: agent_id } : { owner }
        assert.deepStrictEqual(yield* idsOf(filter, { by, order: "asc" }), ascending)
        assert.deepStrictEqual(yield* idsOf(filter, { by, order: "desc" }), ascending.toReversed())
      })
  )

  it.effect("an unknown column does not sort, and does not fail", () =>
    Effect.gen(function*() {
      const user_id = userId()
      const owner = Owner.user(user_id)
      const sessions = [3, 1, 2].map((created_at) => session({ user_id, created_at }))
      yield* create(...sessions)
      const ids = sessions.map(({ session_id }) => session_id)
      for (const by of ["", "nonsense", "seq; drop table svc_sessions", "session_state", "constructor"]) {
        assert.deepStrictEqual(yield* idsOf({ owner }, { by, order: "asc" }), ids)
        assert.deepStrictEqual(yield* idsOf({ owner }, { by, order: "desc" }), ids.toReversed())
      }
    }))

  it.effect("pages start at 1, page 0 is the first, and the total is right past the last", () =>
    Effect.gen(function*() {
      const user_id = userId()
      const owner = Owner.user(user_id)
      const sessions = [1, 2, 3, 4, 5].map((created_at) => session({ user_id, created_at }))
      yield* create(...sessions)
      const [one, two, three, four, five] = sessions.map(({ session_id }) => session_id)
      const store = yield* SessionStore
      const page = (page: number, limit: number) =>
        store.list({ owner }, { page, limit }, newest).pipe(
          Effect.map(({ sessions, total }) => [sessions.map(({ session_id }) => session_id), total])
        )
      assert.deepStrictEqual(yield* page(0, 2), [[five, four], 5])
      assert.deepStrictEqual(yield* page(1, 2), [[five, four], 5])
      assert.deepStrictEqual(yield* page(2, 2), [[three, two], 5])
      assert.deepStrictEqual(yield* page(3, 2), [[one], 5])
      assert.deepStrictEqual(yield* page(4, 2), [[], 5])
      assert.deepStrictEqual(yield* page(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER), [[], 5])
      const stranger = { owner: Owner.user(userId()) }
      assert.deepStrictEqual(yield* store.list(stranger, { page: 1, limit: 2 }, newest), {
        sessions: [],
        total: 0,
        isWhole: true
      })
      assert.deepStrictEqual(yield* store.list(stranger, { page: 7, limit: 2 }, newest), {
        sessions: [],
        total: 0,
        isWhole: true
      })
    }))

  it.effect("sessions are listed with all of their fields", () =>
    Effect.gen(function*() {
      const stored = filled()
      yield* create(stored)
      const { sessions } = yield* SessionStore.use((store) =>
        store.list({ owner: Owner.user(stored.user_id!) }, firstPage, newest)
      )
      assert.deepStrictEqual(sessions, [stored])
    }))
}
