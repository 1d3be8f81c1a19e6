// Runs in several databases behind the services of one: each request goes to the database of its component.
import type * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Ids from "@svc-runtime/domain/Ids"
import * as SessionCopies from "@svc-runtime/engine/database/SessionCopies"
import { IdempotencyStore } from "@svc-runtime/engine/idempotency/IdempotencyStore"
import * as CopiedRuns from "@svc-runtime/engine/run/CopiedRuns"
import { databaseOf, RunEngine } from "@svc-runtime/engine/run/engine/RunEngine"
import type { FoundRuns, RunFilter } from "@svc-runtime/engine/run/store/RunReads"
import { previousIn, StoredRuns } from "@svc-runtime/engine/run/store/StoredRuns"
import { Effect, Layer, Option } from "effect"
import { componentOf } from "../modules/ComponentModules.ts"
import { ComponentDatabases } from "./ComponentDatabases.ts"
import { firstFound } from "./firstFound.ts"
import { type ServedDatabase, ServedDatabases } from "./ServedDatabases.ts"

const lookup = Effect.gen(function*() {
  const databases = yield* ServedDatabases
  const components = yield* ComponentDatabases
  /** In the given database, or where runs of the component can be. */
  const find = <A, E>(
    filter: Pick<RunFilter, "component">,
    look: (served: ServedDatabase) => Effect.Effect<Option.Option<A>, E>,
    database?: Ids.DatabaseId | undefined
  ) => firstFound(databases, database === undefined ? components.candidates(filter.component) : [database], look)
  return { databases, find }
})

const makeEngine = Effect.gen(function*() {
  const { databases, find } = yield* lookup
  const { engine, database: { id: own } } = databases.own
  if (databases.ids.length === 1) return engine
  /** The first that is so is enough: another one may take its time to show that it is not. */
  const anyOf = (is: (engine: RunEngine["Service"]) => Effect.Effect<boolean>) =>
    Effect.suspend(() =>
      Effect.raceAll(databases.opened().map(({ engine }) => Effect.filterOrFail(is(engine), Boolean)))
    ).pipe(Effect.orElseSucceed(() => false))
  const whenFound = (isFound: boolean) => isFound ? Option.some(isFound) : Option.none()
  return RunEngine.of({
    ...engine,
    start: (command) =>
      Effect.flatMap(
        databases.get(componentOf(command)?.db?.id ?? own),
        ({ engine }) => engine.start(command)
      ),
    continue: (request) =>
      Effect.flatMap(databases.get(databaseOf(request) ?? own), ({ engine }) => engine.continue(request)),
    recover: Effect.suspend(() =>
      Effect.map(
        Effect.forEach(databases.opened(), ({ engine }) => engine.recover),
        (counts) => counts.reduce((sum, count) => sum + count, 0)
      )
    ),
    output: (request) => find(request.filter, ({ engine }) => engine.output(request)),
    watch: (request) => find(request.filter, ({ engine }) => engine.watch(request)),
    cancel: (request) =>
      Effect.map(
        find(request.filter, ({ engine }) => Effect.map(engine.cancel(request), whenFound), request.database),
        Option.isSome
      ),
    endFollowing: Effect.suspend(() => Effect.forEach(databases.opened(), ({ engine }) => engine.endFollowing)),
    handOver: Effect.suspend(() => Effect.forEach(databases.opened(), ({ engine }) => engine.handOver)),
    isReplying: anyOf(({ isReplying }) => isReplying),
    isAble: anyOf(({ isAble }) => isAble)
  })
})

const noRuns: FoundRuns = { runs: [], total: 0, bytes: 0 }

const makeStored = Effect.map(lookup, ({ databases, find }) =>
  StoredRuns.of({
    find: (session, run, filter) => find(filter, ({ database: { runs } }) => runs.find(session, run, filter)),
    snapshot: (session, run, filter) =>
      find(filter, ({ database: { id, runs } }) =>
        Effect.map(runs.snapshot(session, run, filter), Option.map((found) => ({ ...found, database: id })))),
    list: (session, filter, page) =>
      find(filter, ({ database: { runs } }) =>
        runs.list(session, filter, page)),
    outlines: (wanted, filter) =>
      Effect.suspend(() => {
        const all = new Map<string, AnyRun.Output>()
        const look = ({ database: { runs } }: ServedDatabase) =>
          Effect.map(runs.outlines(wanted.filter(({ run_id }) => !all.has(run_id)), filter), (found) => {
            for (const run of found) all.set(run.run_id, run)
            return all.size < wanted.length ? Option.none() : Option.some(all)
          })
        return Effect.map(find({}, look), () => [...all.values()])
      }),
    search: (search) =>
      Effect.map(
        find(search.filter, ({ database: { runs } }) =>
          Effect.map(runs.search(search), (found) =>
            found.total === 0 ? Option.none() : Option.some(found))),
        Option.getOrElse(() =>
          noRuns
        )
      ),
    places: (session, ids, filter) =>
      Effect.map(
        find(filter, ({ database: { runs } }) =>
          Effect.map(runs.places(session, ids), (found) =>
            found.length === 0 ? Option.none() : Option.some(found))),
        Option.getOrElse(() => [])
      ),
    supersede: ({ database, run_id }, at) =>
      Effect.flatMap(databases.get(database ?? databases.own.database.id), ({ database: { runs } }) =>
        runs.supersede(run_id, at)),
    previous: ({ database, run_id, session_id }) =>
      Effect.flatMap(databases.get(database ?? databases.own.database.id), ({ database: { runs } }) =>
        Effect.map(runs.places(session_id, [run_id]), previousIn)),
    fork: (forking, made) =>
      find(forking.filter, ({ database, jobs }) =>
        CopiedRuns.fork({ fork: SessionCopies.fork(database) }, jobs)(forking, made))
  }))

/** Keys of idempotency are in the service's own database. */
const makeIdempotency = Effect.map(ServedDatabases, ({ own }) => own.database.idempotency)

type Routed = IdempotencyStore | RunEngine | StoredRuns

export const layer: Layer.Layer<Routed, never, ComponentDatabases | ServedDatabases> = Layer.mergeAll(
  Layer.effect(RunEngine, makeEngine),
  Layer.effect(StoredRuns, makeStored),
  Layer.effect(IdempotencyStore, makeIdempotency)
)
