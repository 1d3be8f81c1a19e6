// `RunStore` in PostgreSQL. Every method is one statement, but for `takeOver`, which reads what it has taken; `begin`
// repeats its own when somebody else makes the same session at the same moment. Runs that begin or end while such a
// statement is under way share the next one.
import { Json, Run } from "@svc/domain"
import {
  type Beginning,
  type Ending,
  type Forking,
  type Happened,
  type Recall,
  type Recorded,
  RunExists,
  RunStore,
  SessionBusy,
  SessionNotFound,
  StorageUnavailable
} from "@svc/runtime"
import { Effect, Layer, Predicate, Schema } from "effect"
import { SqlClient, type SqlError, SqlSchema } from "effect/sql"
import * as Batched from "./internal/batched.ts"
import { fork } from "./internal/forkStatement.ts"
import { orUnavailable, readOrUnavailable } from "./internal/orUnavailable.ts"
import { typed } from "./internal/rows.ts"
import * as Hands from "./internal/runHands.ts"
import * as Reading from "./internal/runReading.ts"
import * as Rows from "./internal/runRows.ts"
import * as Statements from "./internal/runStatements.ts"
import { ShortStatements } from "./ShortStatements.ts"

const BegunRow = Schema.Struct({
  outcome: Schema.Literals(["accepted", "refused", "busy", "raced"]),
  is_waiting: Schema.Boolean,
  session_state: Json.Object,
  history: Rows.Messages
})

const isMissingReference = ({ cause }: SqlError.ConstraintError) =>
  Predicate.hasProperty(cause, "code") && cause.code === "23503"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const short = (yield* ShortStatements) ?? sql

  const begin = Batched.make({
    all: SqlSchema.findAll({
      Request: typed<ReadonlyArray<Beginning>>(),
      Result: BegunRow,
      execute: (beginnings) => short.unsafe(Statements.begin, Statements.beginParameters(beginnings))
    }),
    most: maxTogether
  })

  const finish = Batched.make({
    all: SqlSchema.findAll({
      Request: typed<ReadonlyArray<Ending>>(),
      Result: Schema.Struct({ held: Schema.Boolean }),
      execute: (endings) => short.unsafe(Statements.finish, Statements.finishParameters(endings))
    }),
    most: maxTogether
  })

  const record = Batched.make({
    all: SqlSchema.findAll({
      Request: typed<ReadonlyArray<Recorded>>(),
      Result: Schema.Struct({ recorded: Schema.Boolean }),
      execute: (recorded) => short.unsafe(Statements.record, Statements.recordParameters(recorded))
    }),
    most: maxTogether
  })

  const appendEvents = SqlSchema.findAll({
    Request: typed<ReadonlyArray<Happened>>(),
    Result: Schema.Struct({ run_id: Run.Id, attempt: Schema.Natural }),
    execute: (happened) => short.unsafe(Statements.appendEvents, Statements.appendEventsParameters(happened))
  })

  const recall = SqlSchema.findAll({
    Request: typed<Recall>(),
    Result: Schema.Struct({ history: Rows.Messages }),
    execute: (asked) => sql.unsafe(Statements.recall, Statements.recallParameters(asked))
  })

  const findForked = SqlSchema.findAll({
    Request: typed<Forking>(),
    Result: Schema.Struct({ copies: Schema.Natural }),
    execute: (forking) => fork(sql, forking)
  })

  const accept = (beginning: Beginning) =>
    begin(beginning).pipe(
      Effect.catchReasons("SqlError", {
        UniqueViolation: () => Effect.fail(new RunExists({ run_id: beginning.run_id })),
        ConstraintError: (reason, error) =>
          // the session was deleted between the statement's two looks at it
          isMissingReference(reason)
            ? Effect.succeed({ outcome: "raced" as const, is_waiting: false, session_state: {}, history: [] })
            : Effect.fail(error)
      })
    )

  return RunStore.of({
    ...Reading.make(sql),
    ...Hands.make(sql),
    begin: Effect.fnUntraced(function*(beginning) {
      for (let attempt = 0; attempt < maxAttempts; attempt++) {
        const { is_waiting, outcome, ...begun } = yield* accept(beginning)
        if (outcome === "accepted") return { ...begun, isWaiting: is_waiting }
        if (outcome === "busy") return yield* new SessionBusy({ session_id: beginning.session_id })
        if (outcome === "refused") return yield* new SessionNotFound({ session_id: beginning.session_id })
      }
      return yield* new StorageUnavailable({ cause: `Session '${beginning.session_id}' does not stand still` })
    }, orUnavailable),
    finish: (ending) => Effect.map(orUnavailable(finish(ending), ending), ({ held }) => held),
    fork: Effect.fn("SqlRunStore.fork")(function*(forking) {
      const [row] = yield* findForked(forking)
      return (row?.copies ?? 0) > 0
    }, orUnavailable),
    recall: Effect.fn("SqlRunStore.recall")(function*(asked) {
      return (yield* recall(asked)).flatMap(({ history }) => history)
    }, readOrUnavailable),
    recordInner: (outer, inner) =>
      Effect.asVoid(
        orUnavailable(short.unsafe(Statements.recordInner, Statements.recordInnerParameters(outer, inner)), outer)
      ),
    record: (recorded) => Effect.map(orUnavailable(record(recorded), recorded), (stored) => stored.recorded),
    appendEvents: (happened) => orUnavailable(appendEvents(happened), happened)
  })
})

// Each attempt sees what the one before it lost to, so a second one is enough unless sessions come and go all the time.
const maxAttempts = 5

// More would not be faster, and the parameters of one statement have to fit into memory.
const maxTogether = 64

export const layer: Layer.Layer<RunStore, never, SqlClient.SqlClient> = Layer.effect(RunStore, make)
