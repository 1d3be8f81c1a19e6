// Decodes rows of runs into the values of the port. A run of a copied session gets its ids of that session.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as Ids from "@svc-runtime/domain/Ids"
import * as Json from "@svc-runtime/domain/Json"
import * as Message from "@svc-runtime/domain/Message"
import * as Run from "@svc-runtime/domain/Run"
import * as RunCopy from "@svc-runtime/domain/RunCopy"
import * as Session from "@svc-runtime/domain/Session"
import * as JournalLoss from "@svc-runtime/engine/run/journal/JournalLoss"
import type { RunSnapshot } from "@svc-runtime/engine/run/store/RunReads"
import { Effect, Option, Schema } from "effect"
import { logLost } from "../sql/rejectedStatements.ts"
import * as History from "./History.ts"
import * as SessionState from "./SessionState.ts"

const Messages = Schema.fromJsonString(Schema.Array(Message.Message))

/** Decoded one by one, to leave out damaged values. */
const Unchecked = Schema.fromJsonString(Schema.Array(Schema.Unknown))

const decodeMessages = Schema.decodeUnknownOption(Schema.Array(Message.Message))
const decodeMessage = Schema.decodeUnknownOption(Message.Message)
const decodeEvent = Schema.decodeUnknownOption(Json.Object)

/** The ids of a run in a copied session; null for all others. */
const Copy = Schema.NullOr(Schema.Struct({
  run_id: Run.Id,
  session_id: Session.Id,
  parent_run_id: Schema.optionalKey(Run.Id),
  forked_from_session_id: Session.Id,
  /** The ids of the run, of the runs around it and of those inside it. */
  runs: Schema.optionalKey(Schema.Record(Schema.String, Run.Id))
}))

export const RunRow = Schema.Struct({
  copy: Copy,
  status: Run.Status,
  output: AnyRun.Output,
  messages: Schema.NullOr(Unchecked),
  events: Unchecked
})

/** A page of a run's events, as `ReadStatements.ts` reads it. */
const page = {
  copy: Copy,
  status: Run.Status,
  count: Schema.Natural,
  after: Schema.Int,
  events: Schema.fromJsonString(Schema.Array(Json.Object)),
  bound: Schema.NullOr(Schema.Int)
}

export const EventsRow = Schema.Struct(page)

export const PolledRow = Schema.Struct({ ...page, run_id: Run.Id })

/** The columns of a run that name it, its component, its lease and its status. */
export const identity = {
  run_id: Run.Id,
  attempt: Schema.Natural,
  session_id: Session.Id,
  kind: ComponentKind.ComponentKind,
  component_id: Schema.String,
  user_id: Schema.NullOr(Ids.UserId),
  status: Run.Status
}

export const SnapshotRow = Schema.Struct({
  copy: Copy,
  ...identity,
  node: Schema.String,
  cancel_requested: Schema.Boolean,
  command: Schema.NullOr(Json.Object),
  output: AnyRun.Output,
  messages: Schema.NullOr(Messages),
  entries: Schema.fromJsonString(Schema.Array(Json.Object)),
  resumed_at: Schema.NullOr(Schema.Natural),
  component_version: Schema.NullOr(Schema.Int),
  resume_claims: Schema.Array(Schema.String),
  event_count: Schema.Natural,
  is_complete: Schema.optionalKey(Schema.Boolean),
  session_state: SessionState.Stored,
  history: History.Stored
})

export const TurnRow = Schema.Struct({
  run_id: Run.Id,
  session_state: SessionState.Stored,
  history: History.Stored
})

/** The stored value with the ids of the copy. */
const renamed = <A extends object>(written: A, copy: typeof Copy.Type): A =>
  copy?.runs === undefined
    ? written
    : RunCopy.renamed(written, { runs: copy.runs, session: { from: copy.forked_from_session_id, to: copy.session_id } })

const named = (output: AnyRun.Output, copy: typeof Copy.Type): AnyRun.Output => {
  if (copy === null) return output
  const { runs: _, ...ids } = copy
  return AnyRun.asCopy(renamed(output, copy), ids)
}

export const eventOf = (copy: typeof Copy.Type) => (event: Json.Object): Json.Object =>
  copy === null || copy.runs !== undefined
    ? renamed(event, copy)
    : { ...event, run_id: copy.run_id, session_id: copy.session_id }

/** A run without the messages and events that cannot be read, which the log counts. */
export const toOutput = (row: typeof RunRow.Type): Effect.Effect<AnyRun.Output> => {
  const { copy, output, status } = row
  const stored = row.messages ?? []
  const messages = Option.getOrElse(
    decodeMessages(stored),
    () => stored.flatMap((one) => Option.toArray(decodeMessage(one)))
  )
  const events = row.events.flatMap((event) => Option.toArray(decodeEvent(event)))
  // a continued run
  const run = AnyRun.withLog({ ...named(output, copy), status }, { messages, events: events.map(eventOf(copy)) })
  const lost = { messages: stored.length - messages.length, events: row.events.length - events.length }
  return lost.messages + lost.events === 0 ? Effect.succeed(run) : Effect.as(logLost(output, lost), run)
}

/** The session state and the history of the run. */
export const shown = (
  row: {
    readonly run_id: string
    readonly session_id?: string
    readonly session_state: unknown
    readonly history: typeof History.Stored.Type
  }
) =>
  Effect.all({ session_state: SessionState.decode(row.session_state, row), history: History.decode(row.history, row) })

export const toSnapshot = (row: typeof SnapshotRow.Type): Effect.Effect<RunSnapshot> => {
  const { cancel_requested, copy, entries, event_count, is_complete, messages, output, ...rest } = row
  const { component_version, resume_claims, resumed_at, ...stored } = rest
  // the journal of a run that has ended otherwise is removed
  const isDamaged = is_complete === false && Run.isContinuable(row.status)
  return Effect.map(shown(stored), (shown) => ({
    ...stored,
    ...shown,
    damage: isDamaged ? JournalLoss.journalIncomplete : undefined,
    isCancelRequested: cancel_requested,
    eventCount: event_count,
    resumedAt: resumed_at ?? undefined,
    component_version: component_version ?? undefined,
    resumeClaims: resume_claims,
    entries: entries.map((entry) => renamed(entry, copy)),
    output: AnyRun.withLog(named(output, copy), { messages: messages ?? [] })
  }))
}

/** In the order in which a session shows them. */
export const toOutputs = (rows: ReadonlyArray<typeof RunRow.Type>) =>
  Effect.map(Effect.forEach(rows, toOutput), AnyRun.innerFirst)
