// A workflow in discovery: short in lists, with its steps in the detail. Null and empty fields are left out.
import { Schema } from "effect"
import * as Agent from "./Agent.ts"
import { exact } from "./Ids.ts"
import * as Json from "./Json.ts"
import { StepType } from "./StepOutput.ts"
import * as Team from "./Team.ts"

export const Id = Schema.String.check(exact).pipe(Schema.brand("WorkflowId"))
export type Id = typeof Id.Type

const text = Schema.optionalKey(Schema.String)

const summary = {
  id: Id,
  name: text,
  description: text,
  db_id: text,
  is_factory: Schema.Boolean,
  is_component: Schema.Boolean,
  factory_input_schema: Schema.optionalKey(Json.Object),
  current_version: Schema.optionalKey(Schema.Int),
  stage: Schema.optionalKey(Schema.Literals(["draft", "published"]))
}

export const Summary = Schema.Struct(summary).annotate({ identifier: "WorkflowSummaryResponse" })
export type Summary = typeof Summary.Type

export interface StepOf<Agent, Team> {
  readonly name?: string
  readonly description?: string
  readonly type: StepType
  readonly agent?: Agent
  readonly team?: Team
  /** The id of a nested workflow. */
  readonly workflow_id?: string
  /** The nested steps, or the choices of a router. */
  readonly steps?: ReadonlyArray<StepOf<Agent, Team>>
  readonly else_steps?: ReadonlyArray<StepOf<Agent, Team>>
}

export type Step = StepOf<Agent.Detail, Team.Detail>
export type EncodedStep = StepOf<typeof Agent.Detail.Encoded, Team.Encoded>

const steps = Schema.optionalKey(Schema.Array(Schema.suspend((): Schema.Codec<Step, EncodedStep> => Step)))

export const Step: Schema.Codec<Step, EncodedStep> = Schema.Struct({
  name: text,
  description: text,
  type: StepType,
  agent: Schema.optionalKey(Agent.Detail),
  team: Schema.optionalKey(Team.Detail),
  workflow_id: text,
  steps,
  else_steps: steps
}).annotate({ identifier: "WorkflowStep" })

export const Detail = Schema.Struct({
  ...summary,
  input_schema: Schema.optionalKey(Json.Object),
  /** Left out for a factory, which builds the steps per request. */
  steps: Schema.optionalKey(Schema.Array(Step)),
  metadata: Schema.optionalKey(Json.Object),
  /** Whether an agent selects the steps to execute. */
  workflow_agent: Schema.Boolean
}).annotate({ identifier: "WorkflowResponse" })
export type Detail = typeof Detail.Type
