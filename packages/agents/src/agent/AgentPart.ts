// What features add to agents. A part reads its options where an agent is defined. Where a run is executed, it adds
// sections of the context, work before the end of the run, and jobs after it. Agents know the parts by this interface
// only.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import type * as Json from "@svc-runtime/domain/Json"
import type * as JobsAfterRun from "@svc-runtime/engine/jobs/JobsAfterRun"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import type { Model } from "@svc-runtime/models/Model"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"
import { Context, Effect, Layer } from "effect"
import type { Prompt } from "effect/ai"
import type { DetailContext } from "../component/Discovery.ts"
import type { Agent } from "./Agent.ts"
import type { AgentCommand } from "./AgentCommand.ts"
import type { ContextSource } from "./context/ContextSource.ts"
import type * as RunReader from "./RunReader.ts"
import type { RunRecorder } from "./RunRecorder.ts"

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
    readonly jobs: (run: RunReader.EndedRun) => Effect.Effect<JobsAfterRun.JobsAfterRun>
  }
}

export type Detail = {
  readonly [K in "default_tools" | "knowledge" | "memory" | "sessions"]?: AgentSchema.Detail[K] | undefined
}

export interface PartRun {
  readonly command: AgentCommand
  readonly isLeader: boolean
  readonly context: RunContext
}

/** A part in one run of an agent. */
export interface RunPart {
  /** The place of its sections in the system message: lower ones are first. */
  readonly order: number
  readonly sources?: ReadonlyArray<ContextSource> | undefined
  /** A message that replaces what requests leave out of the history. */
  readonly historySummary?: Effect.Effect<Prompt.Message | undefined> | undefined
  /** What is shown with the message of the user, and is stored with it. */
  readonly opening?: ((text: string) => Effect.Effect<Opening | undefined>) | undefined
  /** Executed after the answer, before the end of the run. It cannot fail the run. */
  readonly beforeEnd?: ((recorder: RunRecorder) => Effect.Effect<void>) | undefined
  /** Stored with the end of an answered run. */
  readonly jobs?: Effect.Effect<JobsAfterRun.JobsAfterRun> | undefined
  /** What its tools have shown the model, for the field `references` of the run. */
  readonly references?: ((recorder: Pick<RunRecorder, "messages" | "tools">) => ReadonlyArray<Json.Value>) | undefined
  /** Gives the tools of the part what they use. */
  readonly provide: <A, E, R>(executing: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

export interface Opening {
  readonly text: string
  readonly references: Json.Value
}

/** The models that read runs of an agent: the given one or that of the agent, and the fallbacks of the agent. */
export type Readers = (own: ModelRef | undefined) => Effect.Effect<readonly [Model, ...ReadonlyArray<Model>]>

/** A part with the stores of one database. */
export interface ServedPart {
  readonly name: string
  readonly forAgent: (agent: Agent, readers: Readers) => Effect.Effect<(run: PartRun) => RunPart>
}

/** The parts that the features of a service have given to the agents of one database. */
export class AgentParts extends Context.Service<AgentParts, ReadonlyArray<ServedPart>>()(
  "@svc-runtime/agents/agent/AgentPart/AgentParts"
) {
  /** Agents whose options need a part fail: their runs end with an error that names the part. */
  static readonly layerNone: Layer.Layer<AgentParts> = Layer.succeed(AgentParts, [])
}

/** The parts of an agent in its runs. */
export const ofAgent = (served: ReadonlyArray<ServedPart>, agent: Agent, readers: Readers) =>
  Effect.forEach(agent.parts.filter((part) => part.isUsed(agent)), ({ name }) => {
    const found = served.find((part) => part.name === name)
    return found === undefined
      ? Effect.die(new Error(`'${agent.id}' uses ${name}, which is not a feature of this service`))
      : found.forAgent(agent, readers)
  })
