// `RunStore` on PostgreSQL. Each change of a run is one statement, so it is stored as a whole or not at all. Concurrent
// calls of `create`, `record` or `finish` share a statement if they are small. Large texts are stored by other ones.
import * as Run from "@svc-runtime/domain/Run"
import { ResponseLimit } from "@svc-runtime/engine/limits/ResponseLimit"
import { RunReadLimits } from "@svc-runtime/engine/limits/RunReadLimits"
import { NewId } from "@svc-runtime/engine/NewId"
import type { MemberHistoryQuery } from "@svc-runtime/engine/run/store/RunReads"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { Forking } from "@svc-runtime/engine/run/store/RunWrites"
import { Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import * as AllRuns from "./runs/AllRuns.ts"
import * as Creating from "./runs/Creating.ts"
import * as Finishing from "./runs/Finishing.ts"
import { fork } from "./runs/forkStatement.ts"
import * as History from "./runs/History.ts"
import * as InnerStatements from "./runs/InnerStatements.ts"
import * as LargeTextStores from "./runs/LargeTextStores.ts"
import * as LongStatements from "./runs/longStatements.ts"
import * as RunLeases from "./runs/RunLeases.ts"
import * as RunReading from "./runs/RunReading.ts"
import * as RunSearch from "./runs/RunSearch.ts"
import * as StepStatements from "./runs/StepStatements.ts"
import * as UnfinishedRuns from "./runs/UnfinishedRuns.ts"
import { ShortStatements } from "./ShortStatements.ts"
import * as Batched from "./sql/Batched.ts"
import * as DatabaseClock from "./sql/DatabaseClock.ts"
import { orUnavailable, readOrUnavailable } from "./sql/orUnavailable.ts"
import { unchecked } from "./sql/rows.ts"

const HistoryRow = Schema.Struct({ history: History.Stored, omitted: Schema.Natural })
const RecordedRow = Schema.Struct({ recorded: Schema.Boolean })

/** The only result of a statement about one run. */
const one = <A>([result]: ReadonlyArray<A>): A => result as A

/** The number of connections for heavy or waiting statements. */
const maxLongStatements = 3

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const short = (yield* ShortStatements)?.writes ?? sql
  const { history: historyLimit, restored: maxRestoredRun } = yield* RunReadLimits
  const newId = yield* NewId
  const longStatements = LongStatements.make(maxLongStatements)
  const clock = DatabaseClock.make()

  const recordOn = (connections: SqlClient.SqlClient) =>
    SqlSchema.findAll({
      Request: unchecked<ReadonlyArray<StepStatements.EncodedStep>>(),
      Result: RecordedRow,
      execute: (recorded) => connections.unsafe(StepStatements.record, StepStatements.recordParameters(recorded))
    })
  const [recordTogether, recordAlone] = [recordOn(short), recordOn(sql)]
  const record = Batched.make({
    together: recordTogether,
    alone: (encoded) => Effect.map(longStatements(encoded.batch.run_id)(recordAlone([encoded])), one),
    bytesOf: ({ bytes }: StepStatements.EncodedStep) => bytes,
    groupOf: ({ batch }) => batch.run_id
  })

  /** Short statements use the pipelined connections; heavy ones do not. */
  const connectionsFor = (bytes: number) => bytes > Batched.heavyBytes ? sql : short

  const appendEvents = SqlSchema.findAll({
    Request: unchecked<ReadonlyArray<StepStatements.EncodedEvents>>(),
    Result: Schema.Struct({ run_id: Run.Id, attempt: Schema.Natural }),
    execute: (batches) =>
      connectionsFor(batches.reduce((sum, { bytes }) => sum + bytes, 0))
        .unsafe(StepStatements.appendEvents, StepStatements.appendEventsParameters(batches))
  })

  const recall = SqlSchema.findAll({
    Request: unchecked<MemberHistoryQuery>(),
    Result: HistoryRow,
    execute: (query) => sql.unsafe(InnerStatements.recall, InnerStatements.recallParameters(query, historyLimit))
  })

  const findForked = SqlSchema.findAll({
    Request: unchecked<Forking>(),
    Result: Schema.Struct({ copies: Schema.Natural }),
    execute: (forking) => fork(sql, forking)
  })

  const recordInner = (encoded: InnerStatements.EncodedInner) =>
    connectionsFor(encoded.bytes).unsafe(InnerStatements.recordInner, InnerStatements.recordInnerParameters(encoded))

  const largeTexts = LargeTextStores.make(sql, maxRestoredRun)
  yield* Effect.ignore(largeTexts.sweep, { log: true }).pipe(
    Effect.delay("5 minutes"),
    Effect.andThen(Effect.sleep("1 hour")),
    Effect.forever,
    Effect.forkScoped
  )
  const runs = RunStore.of({
    ...RunReading.make(sql, { history: historyLimit, responseLimit: yield* ResponseLimit }),
    ...RunLeases.make(sql, { historyLimit, maxRestoredRun, clock }),
    unfinished: UnfinishedRuns.make(sql),
    search: RunSearch.make(sql, historyLimit),
    listAll: AllRuns.make(sql),
    create: Creating.make({ sql, short, longStatements, clock, historyLimit, newId }),
    ...Finishing.make({ sql, short, longStatements, historyLimit }),
    fork: Effect.fn("SqlRunStore.fork")(function*(forking) {
      const [row] = yield* findForked(forking)
      return (row?.copies ?? 0) > 0
    }, orUnavailable),
    memberHistory: Effect.fn("SqlRunStore.memberHistory")(function*(query) {
      const rows = yield* recall(query)
      return yield* History.decode(rows.flatMap(({ history }) => history), query)
    }, readOrUnavailable),
    recordMembers: (outer, inner) =>
      Effect.asVoid(orUnavailable(Effect.suspend(() => recordInner(InnerStatements.encodeInner(outer, inner))), outer)),
    record: (recorded) =>
      Effect.map(
        orUnavailable(Effect.suspend(() => record(StepStatements.encodeStep(recorded))), recorded),
        (stored) => stored.recorded
      ),
    appendEvents: (batches) =>
      orUnavailable(Effect.suspend(() => appendEvents(batches.map(StepStatements.encodeEvents))), batches)
  })
  return RunStore.of({ ...runs, ...largeTexts.runs(runs) })
})

export const layer: Layer.Layer<RunStore, never, ShortStatements | SqlClient.SqlClient> = Layer.effect(RunStore, make)
