// Creates runs. Small ones share a statement that does not wait for locks. A heavy one, or one with a locked session,
// gets its own statement on an ordinary connection. A large history or state is read separately.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as RunOption from "@svc-runtime/domain/RunOption"
import { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { ComponentOutdated, LimitReached, RunExists, RunNotFound, SessionBusy } from "@svc-runtime/engine/run/RunErrors"
import type { Accepted, NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionNotFound } from "@svc-runtime/engine/session/SessionStore"
import { Effect, Predicate, Schema } from "effect"
import { type SqlClient, type SqlError, SqlSchema } from "effect/sql"
import * as Batched from "../sql/Batched.ts"
import type { DatabaseClock } from "../sql/DatabaseClock.ts"
import { orUnavailable } from "../sql/orUnavailable.ts"
import { json, jsonOrNull, text, textOrNull, texts, unchecked } from "../sql/rows.ts"
import * as BeginId from "./BeginId.ts"
import * as CreateColumns from "./CreateColumns.ts"
import * as CreateStatement from "./CreateStatement.ts"
import * as History from "./History.ts"
import type { LongStatements } from "./longStatements.ts"
import * as RunColumns from "./RunColumns.ts"
import * as SessionState from "./SessionState.ts"
import * as StartRefusals from "./StartRefusals.ts"

// The session of an evaluation, which does not count in usage metrics. It is stored before its first run is accepted,
// so that the statement that accepts runs needs no mark. An existing session stays as it is.
const createEvaluationSession = (sql: SqlClient.SqlClient, newRun: NewRun) => {
  const { component_data, component_id, component_metadata, created_at, derived_name, kind } = newRun
  return sql`
    insert into svc_sessions ${
    sql.insert({
      session_id: text(newRun.session_id),
      session_type: kind,
      ...ComponentKind.idsOf(kind, text(component_id)),
      user_id: textOrNull(newRun.user_id),
      derived_name: text(derived_name),
      session_state: "{}",
      session_metrics: "{}",
      component_data: json(component_data),
      metadata: jsonOrNull(component_metadata),
      created_at,
      updated_at: created_at,
      is_evaluation: true
    })
  } on conflict (session_id) do nothing`
}

const Row = Schema.Struct({
  outcome: Schema.Literals(["accepted", "refused", "busy", "raced", "locked", "late", "outdated", "full", "missing"]),
  is_waiting: Schema.Boolean,
  session_state: SessionState.Stored,
  history: Schema.NullOr(History.Stored),
  /** Runs of the history that exceed its limit. */
  omitted: Schema.Natural,
  /** When the database received the statement. Undefined where it was not that of this process. */
  received: Schema.optionalKey(Schema.Finite),
  /** The limit that the run would exceed. */
  refusal: Schema.optionalKey(Schema.NullOr(StartRefusals.Refusal))
})
type Row = typeof Row.Type

const FoundRow = Schema.Struct({ begin_id: Schema.String, is_waiting: Schema.Boolean })

const ShownRow = Schema.Struct({ session_state: SessionState.Stored, history: History.Stored })

const outcome = (outcome: Row["outcome"], is_waiting = false): Row => ({
  outcome,
  is_waiting,
  session_state: null,
  history: null,
  omitted: 0
})

/** Of the others the run is accepted, or the statement is repeated. */
const isRefusal = ({ outcome }: Row): boolean => !["accepted", "late", "raced"].includes(outcome)

/** Larger states and histories are not given by the statement that many share. */
const inlineBytes = 64 * 1024

const variantFor = (encoded: ReadonlyArray<CreateColumns.Encoded>) =>
  CreateStatement.variantFor({
    isLimited: encoded.some(({ start }) => start !== null),
    isPlaced: encoded.some(({ branching }) => branching !== null)
  })

// The second attempt sees the session that the first one raced with. More are needed only if sessions are created and
// deleted all the time.
const maxAttempts = 5

const isMissingReference = ({ cause }: SqlError.ConstraintError) =>
  Predicate.hasProperty(cause, "code") && cause.code === "23503"

interface Sent extends CreateColumns.Encoded {
  /** Of all statements for the run. */
  readonly replies: { isAnyLost: boolean }
}

export interface Options {
  readonly sql: SqlClient.SqlClient
  readonly short: SqlClient.SqlClient
  readonly longStatements: LongStatements
  readonly clock: DatabaseClock
  readonly historyLimit: number
  readonly newId: () => string
}

export const make = ({ longStatements, clock, historyLimit, newId, short, sql }: Options) => {
  const { seen } = RunColumns.make(sql, historyLimit)
  const limits = { history: historyLimit, inline: inlineBytes }

  const skipsLocked = SqlSchema.findAll({
    Request: unchecked<ReadonlyArray<CreateColumns.Encoded>>(),
    Result: Row,
    execute: (encoded) => short.unsafe(variantFor(encoded).skipsLocked, CreateColumns.parameters(encoded, limits))
  })

  const waitsForLock = SqlSchema.findOne({
    Request: unchecked<CreateColumns.Encoded>(),
    Result: Row,
    execute: (encoded) => sql.unsafe(variantFor([encoded]).waitsForLock, CreateColumns.parameters([encoded], limits))
  })

  const findBegun = SqlSchema.findAll({
    Request: unchecked<ReadonlyArray<CreateColumns.Encoded>>(),
    Result: FoundRow,
    execute: (encoded) =>
      sql`
        select begin_id, status = 'PENDING' as is_waiting from svc_runs
        where run_id = any(${texts(encoded.map(({ newRun }) => text(newRun.run_id)))})
          and begin_id = any(${texts(encoded.map(({ begin_id }) => begin_id))})`
  })

  const readShown = SqlSchema.findOne({
    Request: Schema.String,
    Result: ShownRow,
    execute: (run) =>
      sql`
        select ${seen} from svc_runs r join svc_sessions s on s.session_id = r.session_id
        where r.run_id = ${text(run)}`
  })

  const found = Effect.fnUntraced(function*(encoded: ReadonlyArray<CreateColumns.Encoded>) {
    const rows = new Map((yield* findBegun(encoded)).map((row) => [row.begin_id, row]))
    return encoded.map(({ begin_id }) => {
      const row = rows.get(begin_id)
      return row === undefined ? undefined : outcome("accepted", row.is_waiting)
    })
  })

  const alone = (encoded: CreateColumns.Encoded) => longStatements(encoded.newRun.session_id)(waitsForLock(encoded))

  const together = Batched.make({
    together: skipsLocked,
    alone,
    found: (sent: ReadonlyArray<Sent>) => {
      for (const { replies } of sent) replies.isAnyLost = true
      return found(sent)
    },
    bytesOf: ({ bytes }: Sent) => bytes
  })

  /** What a statement makes of the run, even if it fails. */
  const outcomeOf = <E>(accepted: Effect.Effect<Row, E | SqlError.SqlError>) =>
    accepted.pipe(
      Effect.catchReasons("SqlError", {
        UniqueViolation: () => Effect.succeed("exists" as const),
        ConstraintError: (reason, error) =>
          // the session was deleted between two reads of the statement
          isMissingReference(reason) ? Effect.succeed(outcome("raced")) : Effect.fail(error)
      })
    )

  const accept = Effect.fnUntraced(function*(sent: Sent) {
    const first = yield* outcomeOf(together(sent))
    const row = first !== "exists" && first.outcome === "locked" ? yield* outcomeOf(alone(sent)) : first
    if (row !== "exists" && !isRefusal(row)) return row
    // What stands in its way may be the run itself: a statement whose reply was lost was still in progress when the
    // next one was sent.
    const [stored] = yield* found([sent])
    if (stored !== undefined) return stored
    if (row === "exists") return yield* new RunExists({ run_id: sent.newRun.run_id })
    if (!sent.replies.isAnyLost) return row
    // that statement may still be in progress, and store the run
    return yield* new StorageUnavailable({ cause: `A reply was lost, and the next statement refused: ${row.outcome}` })
  })

  const logOmitted = ({ run_id, session_id }: NewRun, omitted: number) =>
    Effect.logWarning(
      `The history of a run is larger than HISTORY_MAX_BYTES (${historyLimit}): ${omitted} earlier runs are left out`
    ).pipe(Effect.annotateLogs({ run_id, session_id }))

  const shown = Effect.fnUntraced(function*({ newRun }: CreateColumns.Encoded, row: Row) {
    if (row.omitted > 0) yield* logOmitted(newRun, row.omitted)
    const { history, session_state } = row
    // a queued run gets its state and its history when it starts
    if (row.is_waiting) return { session_state: {}, history: [] }
    const read = history === null || session_state === null
      ? yield* longStatements(newRun.session_id)(readShown(newRun.run_id))
      : { session_state, history }
    return {
      session_state: yield* SessionState.decode(read.session_state, newRun),
      history: yield* History.decode(read.history, newRun)
    }
  })

  const create = Effect.fnUntraced(function*(newRun: NewRun, unsent: Sent) {
    if (RunOption.isEvaluation(newRun)) yield* createEvaluationSession(sql, newRun)
    const { isCallerRefused = () => false, session_id } = newRun
    let delays = 0
    for (let attempt = 0; attempt < maxAttempts && !isCallerRefused(); attempt++) {
      const sentAt = performance.now()
      const encoded = { ...unsent, valid_until: clock.validUntil(sentAt, delays) }
      const row = yield* accept(encoded)
      if (row.received !== undefined) clock.replied(sentAt, row.received, row.outcome === "late")
      if (row.outcome === "late") delays++
      if (row.outcome === "accepted") {
        const accepted: Accepted = { ...(yield* shown(encoded, row)), isQueued: row.is_waiting }
        return accepted
      }
      if (row.outcome === "busy") return yield* new SessionBusy({ session_id })
      if (row.outcome === "full" && Predicate.isNotNullish(row.refusal)) return yield* new LimitReached(row.refusal)
      if (row.outcome === "outdated") return yield* new ComponentOutdated({ run_id: newRun.run_id })
      if (row.outcome === "missing") {
        return yield* new RunNotFound({ run_id: newRun.place?.known[0]?.run_id ?? newRun.run_id })
      }
      if (row.outcome === "refused") return yield* new SessionNotFound({ session_id })
    }
    return yield* new StorageUnavailable({
      cause: `Session '${session_id}' is being removed or keeps changing, or its database is slow`
    })
  }, orUnavailable)

  return (newRun: NewRun) =>
    Effect.suspend(() => {
      const encoded = CreateColumns.encode(newRun, BeginId.make(newRun.claim, newRun.begin_id ?? newId()))
      return create(newRun, { ...encoded, replies: { isAnyLost: false } })
    })
}
