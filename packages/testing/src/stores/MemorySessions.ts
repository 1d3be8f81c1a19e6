// `SessionStore` in memory.
import * as Message from "@svc-runtime/domain/Message"
import * as Owner from "@svc-runtime/domain/Owner"
import * as Pagination from "@svc-runtime/domain/Pagination"
import type * as Run from "@svc-runtime/domain/Run"
import * as Session from "@svc-runtime/domain/Session"
import * as Sort from "@svc-runtime/domain/Sort"
import * as ReadLimiter from "@svc-runtime/engine/limits/ReadLimiter"
import { ResponseTooLarge } from "@svc-runtime/engine/limits/ResponseLimit"
import { RunNotFound } from "@svc-runtime/engine/run/RunErrors"
import {
  type Conversation,
  isSortable,
  SessionExists,
  type SessionFilter,
  SessionNotFound,
  type SessionStore
} from "@svc-runtime/engine/session/SessionStore"
import { Effect, Option, Result } from "effect"
import { addUsage } from "./addUsage.ts"
import { markDayChanged, type MemoryDatabase, type StoredSession } from "./MemoryDatabase.ts"
import * as MemoryPath from "./MemoryPath.ts"
import * as MemorySummaries from "./MemorySummaries.ts"

const matches = (filter: SessionFilter) => ({ session }: StoredSession) =>
  Owner.coversIn(filter.owner, session) &&
  (filter.kind === undefined || session.session_type === filter.kind) &&
  (filter.componentId === undefined ||
    Session.componentIdOf(session) === filter.componentId) &&
  (filter.name === undefined ||
    (session.session_name?.toLowerCase().includes(filter.name.toLowerCase()) ?? false))

const compareBy = ({ by, order }: Sort.Sort) =>
  Sort.compare<StoredSession>(order, ({ session }) => isSortable(by) ? session[by] : null, ({ sequence }) => sequence)

/** Bytes of a session without what can be left out of a list. */
const namesOf = ({ derived_name, session_name }: Session.Session): number =>
  (session_name ?? "").length + (derived_name ?? "").length

const largeOf = ({ component_data, metadata, session_state, summary }: Session.Session) =>
  [session_state, metadata, summary, component_data].filter((value) => value !== null)

const sizeOf = (session: Session.Session): number =>
  namesOf(session) + largeOf(session).reduce((sum, value) => sum + JSON.stringify(value).length, 0)

const withoutLarge = (session: Session.Session): Session.Session => ({
  ...session,
  session_state: null,
  metadata: null,
  summary: null,
  component_data: null
})

export const make = (database: MemoryDatabase["Service"], responseLimit: number) => {
  const path = MemoryPath.make(database)
  const { approvals, deliveries, feedback, jobs, learningKeys, learnings, media, memoryKeys, runs, runsOf, sessions } =
    database

  const find = (id: Session.Id, owner: Owner.Owner) =>
    Option.fromNullishOr(sessions.get(id)).pipe(
      Option.map(shown),
      Option.filter((session) => Owner.coversIn(owner, session))
    )

  /** A summary of another path is not shown. */
  const shown = (stored: StoredSession): Session.Session =>
    path.covers(stored, stored.leafRun) ? stored.session : { ...stored.session, summary: null }

  const conversation = (session: Session.Session): Conversation => {
    const end = path.leafOf(session.session_id)
    const leaf = path.last(session.session_id, end)?.output.run_id ?? null
    const all = [...path.backwards(session.session_id, end)].reverse()
      .filter(({ output }) => output.status !== "REGENERATED")
      .map((run) => run.messages.filter(Message.isChat).map((message) => JSON.stringify(message)))
    let bytes = 0
    const last = all.findLastIndex((messages) => (bytes += messages.join(",").length) > responseLimit)
    return { session, leaf, chat: `[${all.slice(last + 1).flat().join(",")}]`, isWhole: last < 0 }
  }

  const getConversation = (id: Session.Id, owner: Owner.Owner) =>
    Effect.fromResult(
      Result.fromOption(find(id, owner), () => new SessionNotFound({ session_id: id }))
    ).pipe(
      Effect.map(conversation),
      Effect.tap(({ chat }) => ReadLimiter.admit(Effect.succeed(ReadLimiter.ofText(chat.length))))
    )

  return {
    find: (id, owner) => Effect.sync(() => find(id, owner)),
    getConversation: (id, owner) => Effect.suspend(() => getConversation(id, owner)),
    list: (filter, page, sort) =>
      Effect.suspend((): ReturnType<SessionStore["Service"]["list"]> => {
        const found = [...sessions.values()].filter(matches(filter)).sort(compareBy(sort))
        const listed = Pagination.slice(page, found).map(shown)
        const names = listed.map(namesOf).reduce((sum, size) => sum + size, 0)
        if (names > responseLimit) {
          return Effect.fail(new ResponseTooLarge({ subject: "sessions", bytes: names, limit: responseLimit }))
        }
        let bytes = 0
        const fitting = listed.map((session) =>
          (bytes += sizeOf(session)) > responseLimit ? withoutLarge(session) : session
        )
        const parsed = Math.min(bytes, responseLimit)
        return Effect.as(
          ReadLimiter.admit(Effect.succeed({ parsed })),
          { sessions: fitting, total: found.length, isWhole: bytes <= responseLimit }
        )
      }),
    create: (session) =>
      Effect.suspend(() => {
        if (sessions.has(session.session_id)) return Effect.fail(new SessionExists({ session_id: session.session_id }))
        sessions.set(session.session_id, { sequence: database.next(), session })
        return Effect.void
      }),
    update: Effect.fnUntraced(function*(id, owner, { kept_state = [], leaf, updated_at, ...patch }) {
      const { session } = yield* getConversation(id, owner)
      const after = leaf === undefined ? path.leafOf(id) : path.leafAt(id, leaf)
      if (after === "missing") return yield* new RunNotFound({ run_id: leaf as Run.Id })
      const given = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))
      const kept = Object.entries(session.session_state ?? {}).filter(([name]) => kept_state.includes(name))
      const state = patch.session_state === undefined || kept.length === 0
        ? {}
        : { session_state: { ...patch.session_state, ...Object.fromEntries(kept) } }
      const changed = { ...session, ...given, ...state, updated_at }
      const stored = sessions.get(id)
      const isCovering = stored === undefined || path.covers(stored, stored.leafRun)
      sessions.set(id, {
        ...stored,
        sequence: stored?.sequence ?? database.next(),
        session: isCovering || patch.summary !== undefined
          ? changed
          : { ...changed, summary: stored.session.summary },
        ...(isCovering || patch.summary === undefined ? {} : { summarizedRun: 0 }),
        leafRun: after
      })
      return conversation(find(id, owner).pipe(Option.getOrElse(() => changed)))
    }),
    addUsage: (id, request, at) => Effect.sync(() => addUsage(database, id, request, at)),
    ...MemorySummaries.make(database),
    remove: (ids, owner) =>
      Effect.sync(() => {
        for (const id of ids) {
          const removed = find(id, owner)
          if (Option.isNone(removed)) continue
          markDayChanged(database, removed.value)
          sessions.delete(id)
          for (const run of runsOf.get(id) ?? []) runs.delete(run)
          runsOf.delete(id)
          media.delete(id)
          for (const [key, given] of feedback) if (given.feedback.session_id === id) feedback.delete(key)
          for (const [key, { approval, isHere }] of approvals) {
            if (isHere && approval.session_id === id) approvals.delete(key)
          }
          for (const [key, { job }] of jobs) if (job.session_id === id) jobs.delete(key)
          for (const [key, { session_id }] of deliveries) if (session_id === id) deliveries.delete(key)
          for (const [key, used] of memoryKeys) if (used.session_id === id) memoryKeys.delete(key)
          for (const [key, session] of learningKeys) if (session === id) learningKeys.delete(key)
          for (const [key, { learning }] of learnings) {
            if (learning.learning_type === "session_context" && learning.session_id === id) learnings.delete(key)
          }
        }
      })
  } satisfies SessionStore["Service"]
}
