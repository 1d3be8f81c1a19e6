// What features add to the runs of agents: sections of the context, work before the end of a run, and jobs after it.
import type { References } from "@svc-runtime/domain/Reference"
import type * as JobsAfterRun from "@svc-runtime/engine/jobs/JobsAfterRun"
import type { RunContext } from "@svc-runtime/engine/tool/RunContext"
import type { Model } from "@svc-runtime/models/Model"
import type { ModelRef } from "@svc-runtime/models/ModelCatalog"
import { Context, Effect, Layer, Schema } from "effect"
import type { Prompt } from "effect/ai"
import type { Agent } from "../define/Agent.ts"
import type { IncludedText } from "../define/AgentPart.ts"
import type { AgentCommand } from "./AgentCommand.ts"
import type { ContextSource } from "./context/ContextSource.ts"
import type { RunRecorder } from "./RunRecorder.ts"

/** The texts that instructions name cannot be put into them. */
export class InstructionsUnusable extends Schema.TaggedError<InstructionsUnusable>()("InstructionsUnusable", {
  message: Schema.String
}) {}

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
  /** The text of instructions that name others. */
  readonly instructions?:
    | ((text: IncludedText["text"]) => Effect.Effect<IncludedText["text"], InstructionsUnusable>)
    | undefined
  /** A message that replaces what requests leave out of the history. */
  readonly historySummary?: Effect.Effect<Prompt.Message | undefined> | undefined
  /** What is shown with the message of the user, and is stored with it. */
  readonly opening?: ((text: string) => Effect.Effect<Opening | undefined>) | undefined
  /** Executed after the answer, before the end of the run. It cannot fail the run. */
  readonly beforeEnd?: ((recorder: RunRecorder) => Effect.Effect<void>) | undefined
  /** Stored with the end of an answered run. */
  readonly jobs?: Effect.Effect<JobsAfterRun.JobsAfterRun> | undefined
  /** What its tools have shown the model, for the field `references` of the run. */
  readonly references?: ((recorder: Pick<RunRecorder, "messages" | "tools">) => ReadonlyArray<References>) | undefined
  /** What the tools of the part read with `given`. */
  readonly gives: Context.Context<never>
}

/** What a part has given to the executing run. Undefined outside of the runs of agents that use the part. */
export const given = <Id, Value>(key: Context.Service<Id, Value>): Effect.Effect<Value | undefined> =>
  Effect.map(Effect.context<never>(), (context) => Context.getOrUndefined(context, key))

export interface Opening {
  readonly text: string
  readonly references: References
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
  "@svc-runtime/agents/agent/execute/RunPart/AgentParts"
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
