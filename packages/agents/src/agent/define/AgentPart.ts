// What features add to agents. A part reads its options where an agent is defined. What it adds to a run is in
// `execute/RunPart.ts`. Agents know the parts by these interfaces only.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type * as JobsAfterRun from "@svc-runtime/engine/jobs/JobsAfterRun"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"
import type { Effect } from "effect"
import type { DetailContext } from "../../component/Discovery.ts"
import type { Agent } from "./Agent.ts"

/** The options of agents and teams that features read. Each feature declares its own by declaration merging. */
export interface FeatureOptions {}

/** What features make of these options. */
export interface FeatureSettings {}

export interface Defined {
  /** Without a value for what the agent does not use. */
  readonly settings: Partial<FeatureSettings>
  /** Tools that the model gets beside those of the author. */
  readonly tools: ReadonlyArray<Tool>
}

export interface Owner {
  /** For messages, such as `Agent 'support'`. */
  readonly name: string
  /** The agent leads a team. */
  readonly isLeader: boolean
  readonly numHistoryRuns: number
}

/** A root run that has completed. */
export interface EndedRun {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly user_id: Ids.UserId | undefined
  readonly agent: Agent
  /** The agent leads a team of the same id. */
  readonly isLeader: boolean
}

export interface AgentPart {
  readonly name: string
  /** Throws an `Error` that names the owner and the option if an option is invalid. */
  readonly define: (options: FeatureOptions, owner: Owner) => Defined
  /** Whether runs of the agent need the part. */
  readonly isUsed: (agent: Agent) => boolean
  /** Fields of `GET /agents/{id}`. Undefined ones are left out. */
  readonly detail?: (agent: Agent, context: DetailContext) => Detail
  /** The model of a background job, and the option that the job is for. */
  readonly backgroundModel?: (agent: Agent) => { readonly name: string; readonly own: ModelRef | undefined } | undefined
  /** The job after a run of a workflow, for the first agent that answered and that `applies` accepts. */
  readonly afterWorkflow?: {
    readonly applies: (agent: Agent) => boolean
    readonly jobs: (run: EndedRun) => Effect.Effect<JobsAfterRun.JobsAfterRun>
  }
}

export type Detail = {
  readonly [K in "default_tools" | "knowledge" | "memory" | "sessions"]?: AgentSchema.Detail[K] | undefined
}
