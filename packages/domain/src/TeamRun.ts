// A team's run: the fields of an agent's run with the team's id, and the member runs.
import { Schema, Struct } from "effect"
import * as Run from "./Run.ts"
import * as WorkflowRun from "./WorkflowRun.ts"

type Shared<A> = Omit<A, "agent_id" | "agent_name" | "member_responses">

export type Output = Shared<Run.Output> & {
  readonly team_id: string
  readonly team_name?: string
  /** In the order of the calls. */
  readonly member_responses?: ReadonlyArray<InnerResponse>
}
export type MemberResponse = Run.Output | Output
/** A run inside of a run. A workflow can be a tool. */
export type InnerResponse = MemberResponse | WorkflowRun.Output

export type Encoded = Shared<typeof Run.Output.Encoded> & {
  readonly team_id: string
  readonly team_name?: string
  readonly member_responses?: ReadonlyArray<typeof Run.Output.Encoded | Encoded | typeof WorkflowRun.Output.Encoded>
}

/** A member is an agent, or another team. */
export const MemberResponse = Schema.Union([
  Run.Output,
  Schema.suspend((): Schema.Codec<Output, Encoded> => Output)
])

export const InnerResponse = Schema.Union([MemberResponse, WorkflowRun.Output])

export const Output = Schema.Struct({
  ...Struct.omit(Run.Output.fields, ["agent_id", "agent_name", "member_responses"]),
  team_id: Schema.String,
  team_name: Schema.optionalKey(Schema.String),
  member_responses: Schema.optionalKey(Schema.Array(InnerResponse))
}).annotate({ identifier: "TeamRunOutput" })

export const Record = Schema.Struct({
  ...Struct.omit(Run.Record.fields, ["agent_id", "user_id"]),
  team_id: Schema.String
}).annotate({ identifier: "TeamRunRecord" })
export type Record = typeof Record.Type

/** The record with null keys left out, as in lists. The id of its component is always present. */
export const PartialRecord = Schema.Struct({ ...Struct.map(Record.fields, Schema.optionalKey), team_id: Schema.String })
  .annotate({ identifier: "PartialTeamRunRecord" })
export type PartialRecord = typeof PartialRecord.Type

export const toRecord = ({ team_id, ...run }: Output): Record => {
  const { agent_id: _, user_id: __, ...record } = Run.toRecord({ ...run, agent_id: "" })
  return { ...record, team_id }
}

/** An accepted run without output. */
export const running = (run: Parameters<typeof Run.running>[0]): Output => {
  const { agent_id: team_id, member_responses: _, ...output } = Run.running(run)
  return { ...output, team_id }
}
