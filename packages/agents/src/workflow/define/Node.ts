// The tree of a workflow: executing steps, and containers that order them. A workflow is a part of the tree, because a
// step can execute one.
import type * as Json from "@svc-runtime/domain/Json"
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type * as WorkflowSchema from "@svc-runtime/domain/Workflow"
import type * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import type * as StartLimits from "@svc-runtime/engine/run/StartLimits"
import type { Shape } from "@svc-runtime/engine/schema/AnySchema"
import type { Effects } from "@svc-runtime/engine/userCode/Effects"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import type { Duration } from "effect"
import type { Agent } from "../../agent/define/Agent.ts"
import type * as OnlineScoring from "../../agent/define/OnlineScoring.ts"
import type { WorkflowMethods } from "../../component/ComponentMethods.ts"
import type { Team } from "../../team/Team.ts"
import type * as Pause from "../pause/Pause.ts"
import type * as UserInput from "../pause/UserInput.ts"
import type { AnyInput, StepFunction, Typed } from "./StepInput.ts"

/** What happens after the last failed attempt. */
export type OnError = "skip" | "fail" | "pause"

export interface FunctionExecutor {
  readonly type: "function"
  readonly name: string
  readonly run: (input: AnyInput) => Returned<unknown>
  readonly effects: Effects
}

export type Executor =
  | FunctionExecutor
  /** By its id, until the workflow is registered. */
  | { readonly type: "agent"; readonly agent: Agent | string }
  | { readonly type: "team"; readonly team: Team | string }
  | { readonly type: "workflow"; readonly workflow: AnyWorkflow | string }

interface Common {
  readonly name: string
  readonly description: string | undefined
  /** A confirmation before it runs. */
  readonly confirmation: Pause.Pause | undefined
  /** A review of its output. */
  readonly outputReview: Pause.Pause | undefined
}

export interface StepNode extends Common {
  readonly type: "Step"
  readonly executor: Executor
  /** User input before it runs. */
  readonly userInput: UserInput.UserInput | undefined
  readonly retries: number
  readonly delayBetweenRetries: Duration.Duration
  readonly exponentialBackoff: boolean
  /** The timeout of one attempt. */
  readonly timeout: Duration.Duration | undefined
  readonly onError: OnError
  /** For a `once` function. */
  readonly onUnknownOutcome: "pause" | "fail"
}

export interface StepsNode extends Common {
  readonly type: "Steps"
  readonly steps: ReadonlyArray<Node>
}

export interface ParallelNode extends Common {
  readonly type: "Parallel"
  readonly steps: ReadonlyArray<Node>
}

export interface LoopNode extends Common {
  readonly type: "Loop"
  readonly steps: ReadonlyArray<Node>
  readonly maxIterations: number
  /** The end condition, after each iteration. */
  readonly endCondition:
    | ((results: ReadonlyArray<StepOutput.StepOutput>, input: AnyInput) => Returned<boolean>)
    | undefined
  /** A person decides after each iteration. */
  readonly iterationReview: Pause.Pause | undefined
}

export interface ForEachNode extends Common {
  readonly type: "ForEach"
  readonly steps: ReadonlyArray<Node>
  /** Left out: the items are the input. */
  readonly items: ((input: AnyInput) => Returned<ReadonlyArray<unknown>>) | undefined
  readonly concurrency: number
  readonly maxItems: number
  readonly onError: "fail" | "skip"
}

export interface ConditionNode extends Common {
  readonly type: "Condition"
  readonly evaluate: (input: AnyInput) => Returned<boolean>
  readonly steps: ReadonlyArray<Node>
  readonly elseSteps: ReadonlyArray<Node>
}

export interface RouterNode extends Common {
  readonly type: "Router"
  readonly choices: ReadonlyArray<Node>
  /** The names of the selected choices, in order. Undefined if a person selects. */
  readonly selector: ((input: AnyInput) => Returned<string | ReadonlyArray<string>>) | undefined
  readonly selection: Pause.Selection | undefined
}

export type Node = StepNode | StepsNode | ParallelNode | LoopNode | ForEachNode | ConditionNode | RouterNode

export interface Workflow<in Input, out Output> extends Typed<Input, unknown, Output>, WorkflowMethods {
  readonly type: "Workflow"
  readonly id: WorkflowSchema.Id
  readonly name: string
  readonly description: string | undefined
  readonly db: DatabaseHandle.DatabaseHandle | undefined
  readonly limits: StartLimits.Limits | undefined
  readonly inputSchema: Shape<unknown> | undefined
  readonly streamExecutorEvents: boolean
  readonly onlineScoring: OnlineScoring.ScoringSettings | undefined
  readonly metadata: Json.Object | undefined
  readonly storeEvents: boolean
  /** Empty for a workflow with one function. */
  readonly steps: ReadonlyArray<Node>
  /** The one function. */
  readonly body: ((input: AnyInput) => Returned<unknown>) | undefined
}

// oxlint-disable-next-line typescript/no-explicit-any -- the types are checked where the workflow is made
export type AnyWorkflow = Workflow<any, any>

/** Its nested steps, of any kind. */
export const childrenOf = (node: Node): ReadonlyArray<Node> => {
  switch (node.type) {
    case "Step":
      return []
    case "Condition":
      return [...node.steps, ...node.elseSteps]
    case "Router":
      return node.choices
    default:
      return node.steps
  }
}

/** The elements of a list of steps. */
export type Element = Node | StepFunction | Agent | Team | AnyWorkflow

/** What a person is asked for, with the fields of the requirement. */
export type Requirement = StepRequirement.StepRequirement | StepRequirement.ErrorRequirement

export type Content = Json.Value
