// A run in the list of all runs: what it is and how it is, without its content.
import { Schema } from "effect"
import { ComponentKind, idsOf } from "./ComponentKind.ts"
import { UserId } from "./Ids.ts"
import * as Run from "./Run.ts"
import * as Session from "./Session.ts"
import { DateTime, EpochSeconds, toDateTime } from "./Time.ts"
import * as Usage from "./Usage.ts"

const shared = {
  run_id: Run.Id,
  session_id: Session.Id,
  /** The user of the session. */
  user_id: Schema.NullOr(UserId),
  status: Run.Status,
  model: Schema.NullOr(Schema.String),
  model_provider: Schema.NullOr(Schema.String),
  /** Of a stored component. Null: it is registered in code. */
  version: Schema.NullOr(Schema.Int)
}

/** In a database. */
export const Stored = Schema.Struct({
  ...shared,
  kind: ComponentKind,
  component_id: Schema.String,
  /** Null for the name of the first run. */
  session_name: Schema.NullOr(Schema.String),
  derived_name: Schema.NullOr(Schema.String),
  /** With the runs inside of it, since its end. */
  usage: Schema.NullOr(Usage.SessionMetrics),
  /** Milliseconds. */
  duration: Schema.NullOr(Schema.Finite),
  created_at: EpochSeconds,
  updated_at: EpochSeconds
})
export type Stored = typeof Stored.Type

const text = Schema.NullOr(Schema.String)

export const RunItem = Schema.Struct({
  ...shared,
  agent_id: text,
  team_id: text,
  workflow_id: text,
  session_name: text,
  /** With the runs inside of it. Null until the run has ended. */
  total_metrics: Schema.NullOr(Usage.RunMetrics),
  created_at: DateTime,
  updated_at: DateTime
}).annotate({ identifier: "RunItem" })
export type RunItem = typeof RunItem.Type

export const toItem = (stored: Stored): RunItem => {
  const { component_id, created_at, derived_name, duration, kind, session_name, updated_at, usage, ...run } = stored
  return {
    ...run,
    ...idsOf(kind, component_id),
    session_name: session_name ?? derived_name,
    total_metrics: usage === null ? null : { ...usage, ...(duration === null ? {} : { duration: duration / 1000 }) },
    created_at: toDateTime(created_at),
    updated_at: toDateTime(updated_at)
  }
}
