// Checkpoints: the places from which a run can be forked, after each marked message and at the end.
import { Schema } from "effect"
import { Role } from "./Message.ts"
import * as Run from "./Run.ts"
import * as TeamRun from "./TeamRun.ts"
import { EpochSeconds } from "./Time.ts"
import { cut } from "./Transcript.ts"

export const Checkpoint = Schema.Struct({
  /** Its number among the checkpoints of the run, from 1. Null if the place is not a checkpoint. */
  checkpoint_id: Schema.NullOr(Schema.String),
  run_id: Run.Id,
  session_id: Schema.String,
  /** The number of messages before it. */
  message_index: Schema.Natural,
  /** The value for `continue_from`. */
  continue_from: Schema.Natural,
  status: Schema.String,
  reason: Schema.Literals(["checkpoint", "end", "snapshot"]),
  created_at: EpochSeconds,
  /** The id of the last message before it; null if there is none. */
  message_id: Schema.NullOr(Schema.String),
  message_role: Schema.NullOr(Role),
  message_preview: Schema.NullOr(Schema.String),
  is_latest: Schema.Boolean
}).annotate({ identifier: "Checkpoint" })
export type Checkpoint = typeof Checkpoint.Type

export const List = Schema.Struct({
  run_id: Run.Id,
  session_id: Schema.String,
  checkpoints: Schema.Array(Checkpoint)
}).annotate({ identifier: "Checkpoints" })
export type List = typeof List.Type

/** A run after one of its messages. */
export const Snapshot = Schema.Struct({ checkpoint: Checkpoint, snapshot: Run.Output })
  .annotate({ identifier: "CheckpointSnapshot" })
export type Snapshot = typeof Snapshot.Type

export const TeamSnapshot = Schema.Struct({ checkpoint: Checkpoint, snapshot: TeamRun.Output })
  .annotate({ identifier: "TeamCheckpointSnapshot" })
export type TeamSnapshot = typeof TeamSnapshot.Type

/** The fields that a fork needs, of any kind of run. */
type Conversed = Pick<
  Run.Output,
  | "run_id"
  | "session_id"
  | "status"
  | "created_at"
  | "messages"
  | "tools"
  | "requirements"
  | "events"
  | "last_checkpoint_at_message_index"
>

const longest = 120

/** Bounds the pattern match, whose time grows with the square of a run of spaces. */
const lookedAt = 1000

const previewOf = (text: string): string => {
  const line = text.slice(0, lookedAt).replaceAll(/\s*\n\s*/g, " ")
  return line.length <= longest && text.length <= lookedAt ? line : `${line.slice(0, longest - 1)}…`
}

/** The checkpoints of a run, in order. */
const boundariesOf = ({ last_checkpoint_at_message_index: last, messages = [] }: Conversed): ReadonlyArray<number> => {
  const marked = messages.flatMap(({ checkpoint_status }, place) => checkpoint_status === undefined ? [] : [place + 1])
  const all = new Set([...marked, ...(last === undefined || last > messages.length ? [] : [last]), messages.length])
  return [...all].toSorted((left, right) => left - right)
}

const checkpointOf = (run: Conversed, message_index: number): Omit<Checkpoint, "checkpoint_id" | "reason"> => {
  const { created_at, messages = [], run_id, session_id, status } = run
  const message = messages[message_index - 1]
  return {
    run_id,
    session_id,
    message_index,
    continue_from: message_index,
    status: message?.checkpoint_status ?? status,
    created_at: message?.checkpoint_created_at ?? message?.created_at ?? created_at,
    message_id: message?.id ?? null,
    message_role: message?.role ?? null,
    message_preview: message === undefined ? null : previewOf(message.content ?? ""),
    is_latest: message_index === messages.length
  }
}

export const list = (run: Conversed): List => ({
  run_id: run.run_id,
  session_id: run.session_id,
  checkpoints: boundariesOf(run).map((message_index, place): Checkpoint => ({
    checkpoint_id: String(place + 1),
    ...checkpointOf(run, message_index),
    reason: message_index === (run.messages ?? []).length ? "end" : "checkpoint"
  }))
})

/** The messages and calls up to an index. The cut moves before a call whose result would be cut off. */
const cutAt = <A extends Conversed>(run: A, index: number) => {
  const { events: _, messages = [], requirements, tools, ...rest } = run
  const kept = cut(messages, index)
  const answered = new Set(kept.flatMap(({ tool_call_id }) => tool_call_id ?? []))
  const isKept = ({ tool_call_id }: { readonly tool_call_id: string }) =>
    kept.length === messages.length || answered.has(tool_call_id)
  return {
    ...rest,
    messages: kept,
    ...(tools === undefined ? {} : { tools: tools.filter(isKept) }),
    ...(requirements === undefined
      ? {}
      : { requirements: requirements.filter(({ tool_execution }) => isKept(tool_execution)) }),
    last_checkpoint_at_message_index: kept.length
  }
}

/** The run after this number of messages. */
const snapshot = <A extends Conversed>(run: A, index: number) => {
  const snapshot = cutAt(run, index)
  const message_index = snapshot.messages.length
  const place = boundariesOf(run).indexOf(message_index)
  const checkpoint: Checkpoint = {
    checkpoint_id: place === -1 ? null : String(place + 1),
    ...checkpointOf(run, message_index),
    reason: "snapshot"
  }
  return { checkpoint, snapshot }
}

/** The runs inside up to the cut, as far as the remaining calls identify them. */
const keptInner = <A extends { readonly run_id?: unknown }>(
  run: Conversed,
  { tools = [] }: Pick<Conversed, "tools">,
  responses: ReadonlyArray<A> = []
): { readonly member_responses?: ReadonlyArray<A> } => {
  const kept = new Set(tools.map(({ tool_call_id }) => tool_call_id))
  const later = new Set<unknown>(
    (run.tools ?? []).flatMap((tool) => kept.has(tool.tool_call_id) ? [] : [tool.child_run_id])
  )
  const inner = kept.size === 0 ? [] : responses.filter(({ run_id }) => !later.has(run_id))
  return inner.length === 0 ? {} : { member_responses: inner }
}

export const agentSnapshot = (run: Run.Output, index: number): Snapshot => {
  const { checkpoint, snapshot: { member_responses, ...agent } } = snapshot(run, index)
  return { checkpoint, snapshot: { ...agent, ...keptInner(run, agent, member_responses) } }
}

export const teamSnapshot = (run: TeamRun.Output, index: number): TeamSnapshot => {
  const { checkpoint, snapshot: { member_responses, ...team } } = snapshot(run, index)
  return { checkpoint, snapshot: { ...team, ...keptInner(run, team, member_responses) } }
}
