// Approvals in several databases behind one store. An approval is in the database of its run. A list has the approvals
// of the databases that reply. An approval that none has is unavailable while one of the databases does not reply.
import type * as Approval from "@svc-runtime/domain/Approval"
import type * as Ids from "@svc-runtime/domain/Ids"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { ApprovalNotFound, ApprovalStore } from "@svc-runtime/engine/approval/ApprovalStore"
import * as MergedPage from "@svc-runtime/engine/database/MergedPage"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Effect, Layer, Option, Predicate } from "effect"
import { ApprovalResumer } from "../runService/ApprovalResumer.ts"
import { firstFound, whileReplying } from "./firstFound.ts"
import { ServedDatabases } from "./ServedDatabases.ts"

type Store = ApprovalStore["Service"]

const route = (databases: ServedDatabases["Service"]) => {
  /** The databases whose outage is logged. */
  const silent = new Set<Ids.DatabaseId>()

  const failed = (id: Ids.DatabaseId, error: StorageUnavailable) => {
    if (silent.has(id)) return Effect.void
    silent.add(id)
    return LogPart.inPart("database")(
      Effect.logWarning("The approvals of a database cannot be read. Lists leave them out until they can", error)
    )
  }

  const replied = (id: Ids.DatabaseId) =>
    Effect.suspend(() =>
      silent.delete(id)
        ? LogPart.inPart("database")(Effect.logWarning("The approvals of a database can be read again"))
        : Effect.void
    )

  /** What each database that replies gives. Fails if none does. */
  const all = Effect.fnUntraced(function*<A>(
    ask: (store: Store, id: Ids.DatabaseId) => Effect.Effect<A, StorageUnavailable>
  ) {
    let failure: StorageUnavailable | undefined
    const replies = yield* Effect.forEach(
      databases.ids,
      (id) =>
        whileReplying(databases, id, ({ database }) => ask(database.approvals, id)).pipe(
          Effect.tap(() => replied(id)),
          Effect.asSome,
          Effect.catch((error) => {
            failure ??= error
            return Effect.as(failed(id, error), Option.none<A>())
          }),
          Effect.annotateLogs({ database: id })
        ),
      { concurrency: "unbounded" }
    )
    const found = replies.flatMap(Option.toArray)
    return found.length === 0 && failure !== undefined ? yield* Effect.fail(failure) : found
  })

  /** Asks the database that has the approval. */
  const whereFound = Effect.fnUntraced(function*<A, E>(
    id: Approval.Id,
    ask: (store: Store, database: Ids.DatabaseId) => Effect.Effect<A, ApprovalNotFound | E>
  ) {
    const isNotFound = (error: ApprovalNotFound | E): error is ApprovalNotFound =>
      Predicate.isTagged(error, "ApprovalNotFound")
    const found = yield* firstFound(
      databases,
      databases.ids,
      ({ database: { approvals, id } }) =>
        Effect.catchIf(Effect.asSome(ask(approvals, id)), isNotFound, () => Effect.succeedNone)
    )
    return Option.isSome(found) ? found.value : yield* new ApprovalNotFound({ approval_id: id })
  })
  return { all, whereFound }
}

const make = Effect.gen(function*() {
  const databases = yield* ServedDatabases
  const { approvals: own } = databases.own.database
  if (databases.ids.length === 1) return own
  const { all, whereFound } = route(databases)
  return ApprovalStore.of({
    ...own,
    create: (approval, root, database) =>
      Effect.flatMap(
        databases.get(database ?? databases.own.database.id),
        ({ database: { approvals } }) => approvals.create(approval, root)
      ),
    get: (...args) => whereFound(args[0], (store) => store.get(...args)),
    resolve: (...args) =>
      whereFound(args[0], (store, database) =>
        Effect.map(store.resolve(...args), (resolved) => ({
          ...resolved,
          pendingResume: { ...resolved.pendingResume, database }
        }))),
    remove: (...args) => whereFound(args[0], (store) => store.remove(...args)),
    list: (filter, request, at) =>
      MergedPage.read(request, {
        count: databases.ids.length,
        createdAt: ({ created_at }: Approval.Approval) => created_at,
        ask: (pages) =>
          all((store, database) =>
            Effect.map(
              Effect.forEach(pages(database), (page) => store.list(filter, page, at)),
              (read) => ({ database, total: read[0]?.total ?? 0, rows: read.flatMap(({ approvals }) => approvals) })
            )
          )
      }).pipe(Effect.map(({ rows: approvals, total }) => ({ approvals, total }))),
    countPending: (...args) =>
      Effect.map(
        all((store) => store.countPending(...args)),
        (counts) => counts.reduce((sum, count) => sum + count, 0)
      ),
    // two databases can have runs of one id
    listByRun: (run, at, database) =>
      Effect.flatMap(
        databases.get(database ?? databases.own.database.id),
        ({ database: { approvals } }) => approvals.listByRun(run, at)
      )
  })
})

/** The others have nothing to resume, and one of them may not reply. */
const makeResumer = Effect.map(ServedDatabases, (databases) =>
  ApprovalResumer.of({
    resume: (pending) =>
      Effect.ignore(Effect.flatMap(
        databases.get(pending.database ?? databases.own.database.id),
        ({ resumer }) => resumer.resume(pending)
      ))
  }))

export const layer: Layer.Layer<ApprovalResumer | ApprovalStore, never, ServedDatabases> = Layer.merge(
  Layer.effect(ApprovalStore, make),
  Layer.effect(ApprovalResumer, makeResumer)
)
