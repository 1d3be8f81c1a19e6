// The start of the run of an executor, as the journal has it.
import * as Run from "@svc-runtime/domain/Run"
import * as Time from "@svc-runtime/domain/Time"
import { Schema } from "effect"

const Started = Schema.Struct({
  run_id: Run.Id,
  created_at: Time.EpochSeconds,
  /** Of the executor. Stored journals have none. */
  agent_id: Schema.optionalKey(Schema.String),
  team_id: Schema.optionalKey(Schema.String),
  /** Of the step. Stored journals have none. */
  parent_run_id: Schema.optionalKey(Run.Id),
  workflow_step_id: Schema.optionalKey(Schema.String)
})
export type StartedRun = typeof Started.Type

export const decode = Schema.decodeUnknownOption(Started)
