// Whether agents may remember a user, and the removal of what they know. Both concern all databases of the service.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { CurrentPrincipal, Errors } from "@svc-runtime/api"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as Principal from "@svc-runtime/domain/Principal"
import type { Database } from "@svc-runtime/engine/database/Database"
import { now } from "@svc-runtime/engine/now"
import { group } from "@svc-runtime/http/group"
import { chooseDatabase } from "@svc-runtime/http/wire/chooseDatabase"
import { orUnavailable } from "@svc-runtime/http/wire/WireErrors"
import { Clock, Effect } from "effect"
import * as erasures from "./Erasures.ts"
import { UserMemories as Endpoints } from "./UserMemoriesApi.ts"
import type * as UserMemory from "./UserMemory.ts"

/** The kinds of jobs that change what agents know about a user, and those with events of the user. */
const kinds = ["memory-extraction", "learning-extraction", "session-summary", "webhook-event"]

const checkUser = Effect.fnUntraced(function*(user_id: Ids.UserId) {
  const principal = yield* CurrentPrincipal
  return Principal.userNamed(principal, user_id) ??
    (yield* Errors.forbidden("Cannot access the memory of another user"))
})

/**
 * Jobs are before what they write: an attempt that is in progress loses its lease, and can store nothing afterwards.
 * The rest is locked in the order of jobs that apply changes, and of a removal of sessions: summaries are before
 * learnings.
 */
const removeIn = Effect.fnUntraced(
  function*(database: Database, user_id: Ids.UserId) {
    const { jobs, memories, memoryVectors, sessions, usage } = database
    // of other features, which can be left out
    const { deliveries, feedback, learnings, traces }: Partial<Database> = database
    const nothing = Effect.succeed(0)
    const at = Effect.map(Clock.currentTimeMillis, (millis) => millis * 1000 + 999)
    // prompts of runs have what was known; in a transaction, the locks of many traces would end in deadlocks
    const removedTraces = yield* traces?.removeOfUser(user_id, yield* at) ?? nothing
    const removal = Effect.all({
      jobs: Effect.succeed(yield* jobs.removeOf(user_id, kinds)),
      vectors: memoryVectors.countOf(user_id),
      summaries: sessions.removeSummaries(user_id),
      memories: memories.removeOf(user_id),
      learnings: learnings?.removeOf(user_id) ?? nothing,
      // also of runs that began meanwhile
      traces: Effect.as(traces?.recordRemovalOfUser(user_id, yield* at) ?? Effect.void, removedTraces),
      feedback: feedback?.removeOf(user_id) ?? nothing
    })
    const removed = Effect.tap(
      removal,
      () => Effect.andThen(usage.forget(user_id), deliveries?.removeOfUser(user_id) ?? Effect.void)
    )
    return yield* erasures.perform(database, { action: "memory_deleted", user_id }, removed)
  }
)

const sum = (counts: ReadonlyArray<UserMemory.Removed>): UserMemory.Removed => ({
  memories: counts.reduce((total, { memories }) => total + memories, 0),
  vectors: counts.reduce((total, { vectors }) => total + vectors, 0),
  learnings: counts.reduce((total, { learnings }) => total + learnings, 0),
  summaries: counts.reduce((total, { summaries }) => total + summaries, 0),
  jobs: counts.reduce((total, { jobs }) => total + jobs, 0),
  traces: counts.reduce((total, { traces }) => total + traces, 0),
  feedback: counts.reduce((total, { feedback }) => total + feedback, 0)
})

export const UserMemories = group(
  Endpoints,
  Effect.fnUntraced(function*(handlers) {
    const databases = yield* Databases
    const choose = chooseDatabase(databases)
    /** In every database, also after a failure in one of them. Then it fails. */
    const inAll = <A, E, R>(use: (database: Database) => Effect.Effect<A, E, R>) =>
      Effect.flatMap(
        Effect.forEach(databases.all, ({ id }) => Effect.exit(Effect.flatMap(choose({ db_id: id }), use))),
        Effect.all
      )

    return handlers.handleAll({
      settings: Effect.fn("UserMemories.settings")(function*({ params }) {
        const user_id = yield* checkUser(params.user_id)
        const { memorySettings } = yield* choose({ db_id: databases.all[0].id })
        return { enabled: yield* memorySettings.isEnabled(user_id) }
      }, orUnavailable),
      configure: Effect.fn("UserMemories.configure")(function*({ params, payload: { enabled } }) {
        const user_id = yield* checkUser(params.user_id)
        const at = yield* now
        yield* inAll(({ memorySettings }) => memorySettings.set(user_id, enabled, at))
        return { enabled }
      }, orUnavailable),
      remove: Effect.fn("UserMemories.remove")(function*({ params }) {
        const user_id = yield* checkUser(params.user_id)
        if (!Principal.may(yield* CurrentPrincipal, "learnings:delete")) {
          return yield* Errors.forbidden("Insufficient permissions. Required scope(s): learnings:delete")
        }
        return sum(yield* inAll((database) => removeIn(database, user_id)))
      }, orUnavailable)
    })
  })
)
