// The databases in which this node executes runs. Each has its own engine and background workers, so that an
// unavailable one affects only the data in it. The service's own database is open before anything is served. The others
// are opened in the background, and opening them is retried.
//
// `LayerMap` does not fit. It opens a database for the first request, which then waits, and keeps a failure for its
// callers. Here a request never opens a database: it fails at once while a database is not open.
import type * as Ids from "@svc-runtime/domain/Ids"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { CurrentDatabase } from "@svc-runtime/engine/database/CurrentDatabase"
import { type Database, makeDatabase } from "@svc-runtime/engine/database/Database"
import type { Schemas } from "@svc-runtime/engine/database/Schemas"
import {
  type ServedServices,
  type StoreNames,
  type StoreServices,
  toContext
} from "@svc-runtime/engine/database/Stores"
import { Jobs } from "@svc-runtime/engine/jobs/Jobs"
import type { Notifications } from "@svc-runtime/engine/node/Notifications"
import { now } from "@svc-runtime/engine/now"
import * as JoinFailed from "@svc-runtime/engine/run/engine/JoinFailed"
import { RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import * as LogPart from "@svc-runtime/telemetry/LogPart"
import { Context, Deferred, Effect, Exit, Layer, Schedule, Scope } from "effect"
import { ApprovalResumer } from "../runService/ApprovalResumer.ts"
import * as ServedStores from "./ServedStores.ts"

// A database that is added to a service does not know who has switched memory off. The service's own database does.

type Settings = MemorySettingsStore["Service"]

const atOnce = 1000

/** Switches memory off in a database for the users who have switched it off in another one. */
const copy = Effect.fn("ConsentCopy.copy")(function*(from: Settings, to: Settings) {
  let last: Ids.UserId | undefined
  for (;;) {
    const users = yield* from.listDisabled(last, atOnce)
    if (users.length > 0) yield* to.disable(users, yield* now)
    if (users.length < atOnce) return
    last = users.at(-1)
  }
})

/** Between the stores of two databases. */
const between = (own: Context.Context<StoreServices>, other: Context.Context<StoreServices>) =>
  copy(Context.getUnsafe(own, MemorySettingsStore), Context.getUnsafe(other, MemorySettingsStore))

export interface ServedDatabase {
  readonly database: Database
  readonly engine: RunEngine["Service"]
  readonly resumer: ApprovalResumer["Service"]
  /** Enqueues into this database. Its own workers execute the jobs. */
  readonly jobs: Jobs["Service"]
}

export type Workers = ApprovalResumer | Jobs | RunEngine

/** A database beside the service's own. */
export interface Source<E> {
  readonly id: Ids.DatabaseId
  readonly stores: Layer.Layer<Notifications | StoreServices, E, JoinFailed.JoinFailed | Schemas>
  /** False: it has knowledge, and no sessions, runs and memories. */
  readonly hasRuns: boolean
}

export interface Options<E, R> {
  readonly own: Ids.DatabaseId
  readonly others: ReadonlyArray<Source<E>>
  /** The engine and the workers of one database. */
  readonly workers: (
    id: Ids.DatabaseId
  ) => Layer.Layer<Workers, never, JoinFailed.JoinFailed | Notifications | ServedServices | R>
}

/** How long a start waits for the other databases. */
const startTimeout = "10 seconds"

/** Between two tries to open a database. */
const retryInterval = Schedule.spaced("2 seconds")

export class ServedDatabases extends Context.Service<ServedDatabases, {
  /** The databases with sessions, runs and memories. The first is the service's own. */
  readonly ids: readonly [Ids.DatabaseId, ...Array<Ids.DatabaseId>]
  readonly own: ServedDatabase
  /** Fails for a database that could not be opened yet. */
  readonly get: (id: Ids.DatabaseId) => Effect.Effect<ServedDatabase, StorageUnavailable>
  /** The databases that could be opened. */
  readonly opened: () => ReadonlyArray<ServedDatabase>
}>()("@svc-runtime/agents/database/ServedDatabases") {
  static readonly layer = <E, R>(
    options: Options<E, R>
  ): Layer.Layer<ServedDatabases, never, Notifications | Schemas | StoreServices | Exclude<R, Scope.Scope>> =>
    Layer.effect(ServedDatabases, make(options))

  /** The stores of the own database, for handlers: a statement fails if it does not reply for some seconds. */
  static readonly layerOwnStores: Layer.Layer<ServedServices, never, ServedDatabases | StoreNames> = Layer
    .effectContext(
      Effect.gen(function*() {
        const names = yield* Effect.context<StoreNames>()
        const { own } = yield* ServedDatabases
        return toContext(own.database, names)
      })
    )
}

const inDatabase = LogPart.inPart("database")

/** Shares no layer with another database. */
const build = <A, E, R>(layer: Layer.Layer<A, E, R>, scope: Scope.Scope) =>
  Layer.buildWithScope(Layer.fresh(layer), scope)

const make = Effect.fnUntraced(function*<E, R>({ others, own, workers }: Options<E, R>) {
  // closed at once: the runs of one database are handed over although another one does not reply
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const services = yield* Effect.context<Notifications | StoreServices>()
  const opened = new Map<Ids.DatabaseId, ServedDatabase>()
  /** The failures of requests to databases that wait for their migrations. */
  const waiting = new Map<Ids.DatabaseId, StorageUnavailable>()

  const keep = (id: Ids.DatabaseId, context: Context.Context<StoreServices | Workers>) => {
    const engine = Context.get(context, RunEngine)
    const served: ServedDatabase = {
      database: ServedStores.forRequests(engine, makeDatabase(id, context)),
      engine,
      resumer: Context.get(context, ApprovalResumer),
      jobs: Context.get(context, Jobs)
    }
    opened.set(id, served)
    return served
  }

  /** Before its workers execute runs of users. */
  const prepared = ({ hasRuns }: Source<E>, stores: Context.Context<StoreServices>) =>
    hasRuns ? between(services, stores) : Effect.void

  const open = Effect.fnUntraced(function*(source: Source<E>) {
    const { id, stores } = source
    const child = yield* Scope.fork(scope)
    const named = Layer.flatMap(
      stores,
      (built) =>
        Layer.effectContext(
          Effect.as(prepared(source, built), Context.merge(built, ServedStores.forWorkers(id, built)))
        )
    )
    const building = build(Layer.provideMerge(workers(id), named), child)
    keep(id, yield* Effect.onError(building, (cause) => Scope.close(child, Exit.failCause(cause))))
  })

  const openUntilAvailable = Effect.fnUntraced(function*(source: Source<E>) {
    const tried = yield* Deferred.make<void>()
    let failures = 0
    const failed = (cause: unknown) => {
      failures++
      waiting.delete(source.id)
      const isLogged = failures === 1 || failures % 30 === 0
      const message = "A database cannot be opened and is tried again. Its components are unavailable"
      return Effect.andThen(
        isLogged ? inDatabase(Effect.logError(message, cause)) : Effect.void,
        Deferred.done(tried, Exit.void)
      )
    }
    const joinFailed = (failure: StorageUnavailable) => {
      if (failure.pendingDatabase === undefined) return failed(failure)
      failures++
      waiting.set(source.id, failure)
      return Deferred.done(tried, Exit.void)
    }
    yield* open(source).pipe(
      Effect.tap(() =>
        failures === 0 ? Effect.void : inDatabase(Effect.logInfo(`Database opened after ${failures + 1} attempts`))
      ),
      Effect.tapCause(failed),
      // the engine retries its first heartbeat itself, and the start must not wait for that
      Effect.provideService(JoinFailed.JoinFailed, joinFailed),
      Effect.provideService(CurrentDatabase, source.id),
      Effect.sandbox,
      Effect.retry(retryInterval),
      Effect.ignore,
      Effect.andThen(Deferred.succeed(tried, undefined)),
      Effect.annotateLogs({ database: source.id }),
      Effect.forkIn(scope)
    )
    return tried
  })

  const ownStores = ServedStores.forWorkers(own, services)
  const ownWorkers = yield* build(
    Layer.provide(workers(own), [Layer.succeedContext(ownStores), JoinFailed.layerNone]),
    yield* Scope.fork(scope)
  )
  const ownServed = keep(own, Context.merge(ownStores, ownWorkers))
  const tries = yield* Effect.forEach(others, openUntilAvailable)
  yield* Effect.timeoutOption(
    Effect.forEach(tries, Deferred.await, { concurrency: "unbounded", discard: true }),
    startTimeout
  )

  const served: ServedDatabases["Service"] = {
    ids: [own, ...others.flatMap(({ hasRuns, id }) => hasRuns ? [id] : [])],
    own: ownServed,
    get: (id) => {
      const served = opened.get(id)
      return served === undefined
        ? Effect.fail(waiting.get(id) ?? new StorageUnavailable({ cause: `The database '${id}' is not open` }))
        : Effect.succeed(served)
    },
    opened: () => [...opened.values()]
  }
  return served
})
