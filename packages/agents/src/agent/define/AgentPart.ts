// What features add to agents. A part reads its options where an agent is defined. What it adds to a run is in
// `execute/RunPart.ts`. Agents know the parts by these interfaces only. An agent has its parts, and a part reads its
// agent, so the type of an agent is here too.
import type * as AgentSchema from "@svc-runtime/domain/Agent"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import type * as JobsAfterRun from "@svc-runtime/engine/jobs/JobsAfterRun"
import type * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import type { Shape } from "@svc-runtime/engine/schema/AnySchema"
import type { ProviderTool } from "@svc-runtime/engine/tool/ProviderTool"
import type * as RunSchemas from "@svc-runtime/engine/tool/RunSchemas"
import type { Tool } from "@svc-runtime/engine/tool/Tool"
import type { Offered, ToolSource } from "@svc-runtime/engine/tool/ToolSource"
import type * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"
import type { Duration, Effect } from "effect"
import type { AgentMethods } from "../../component/ComponentMethods.ts"
import type { DetailContext } from "../../component/Discovery.ts"
import type { Deferred } from "../execute/search/ToolRanking.ts"
import type * as ContextLimits from "./ContextLimits.ts"
import type * as Hook from "./Hook.ts"
import type * as ModelOptions from "./ModelOptions.ts"
import type * as OnlineScoring from "./OnlineScoring.ts"
import type * as PromptCaching from "./PromptCaching.ts"
import type { ToolSearchSettings } from "./ToolSearchOption.ts"

/** The options of agents and teams that features read. Each feature declares its own by declaration merging. */
export interface FeatureOptions {}

/** What features make of these options. */
export interface FeatureSettings {}

export interface Defined {
  /** Without a value for what the agent does not use. */
  readonly settings: Partial<FeatureSettings>
  /** It shows the model what a limited history lacks. */
  readonly limitsHistory?: boolean | undefined
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

type Text = string | ReadonlyArray<string>

/** Instructions that name texts which a feature keeps. It makes the text of them when a run begins. */
export interface IncludedText {
  readonly _tag: "IncludedText"
  readonly text: Text
}

export type Instructions<R extends RunSchemas.RunSchemas = NonNullable<unknown>> =
  | Text
  | IncludedText
  | ((context: RunSchemas.ContextOf<R>) => Returned<Text>)

/** An agent as `Agent.ts` makes it. */
export interface Agent
  extends
    AgentMethods,
    ContextLimits.Settings,
    Partial<FeatureSettings>,
    ModelOptions.ModelOptions,
    PromptCaching.Settings,
    StartLimits.ComponentOptions
{
  readonly _tag: "Agent"
  readonly id: AgentSchema.Id
  readonly name: string
  readonly model: ModelRef | undefined
  readonly description: string | undefined
  readonly db: DatabaseHandle.DatabaseHandle | undefined
  readonly role: string | undefined
  readonly introduction: string | undefined
  readonly instructions: Instructions | undefined
  readonly tools: ReadonlyMap<string, Tool>
  /** The names of the tools that features add for other options: the author has not given them. */
  readonly featureTools: ReadonlySet<string>
  /** The provider of the model executes their calls. */
  readonly providerTools: ReadonlyMap<string, ProviderTool>
  /** When its model looks tools up. Undefined: it gets all. */
  readonly toolSearch: ToolSearchSettings | undefined
  /** Of a run with many tools: the ones that the model gets only when it has found them. */
  readonly deferred?: Deferred | undefined
  /** Of a run whose client or tool sources offer tools. */
  readonly offered?: Offered | undefined
  /** Asked for further tools when a run begins. */
  readonly toolSources: ReadonlyArray<ToolSource>
  /** What features read of its options. */
  readonly parts: ReadonlyArray<AgentPart>
  readonly toolCallLimit: number | undefined
  readonly toolChoice: AgentSchema.ToolChoice | undefined
  readonly runTimeout: Duration.Duration | undefined
  readonly tokenLimit: number | undefined
  readonly addHistoryToContext: boolean
  readonly numHistoryRuns: number
  /** The author has set the number of runs, or a feature shows what is before them. */
  readonly limitsHistory: boolean
  readonly inputSchema: Shape<unknown> | undefined
  readonly runSchemas: RunSchemas.RunShapes | undefined
  readonly outputSchema: Shape<unknown> | undefined
  readonly useJsonMode: boolean
  readonly repairOutput: boolean
  readonly systemMessage: string | undefined
  readonly systemMessageRole: "system" | "developer"
  readonly buildContext: boolean
  readonly expectedOutput: string | undefined
  readonly additionalContext: string | undefined
  readonly markdown: boolean
  readonly addNameToContext: boolean
  readonly addDatetimeToContext: boolean
  readonly timezone: string
  readonly reasoning: boolean
  readonly reasoningModel: ModelRef | undefined
  readonly reasoningMinSteps: number
  readonly reasoningMaxSteps: number
  readonly preHooks: ReadonlyArray<Hook.Hook>
  readonly postHooks: ReadonlyArray<Hook.Hook>
  readonly hooks: ReadonlyArray<Hook.RunHook>
  readonly onlineScoring: OnlineScoring.ScoringSettings | undefined
  readonly retries: number
  readonly delayBetweenRetries: Duration.Duration
  readonly exponentialBackoff: boolean
  readonly onUnknownOutcome: "pause" | "fail"
  readonly metadata: Json.Object | undefined
  readonly storeEvents: boolean
  readonly checkpoint: "runs" | "tool-batch"
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
  /** The options that it reads. */
  readonly options?: AuthorOptions.Kinds<string> | undefined
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
