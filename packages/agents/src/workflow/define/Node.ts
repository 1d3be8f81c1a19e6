// The tree of a workflow: executing steps, and containers that order them. A step has three types: the workflow's
// input, the previous result, and its own result.
import type * as Json from "@svc-runtime/domain/Json"
import type * as StepOutput from "@svc-runtime/domain/StepOutput"
import type * as StepRequirement from "@svc-runtime/domain/StepRequirement"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import type { Duration } from "effect"
import type { Agent } from "../../agent/define/Agent.ts"
import type { Team } from "../../team/Team.ts"
import type * as Pause from "../pause/Pause.ts"
import type { Workflow } from "../Workflow.ts"
import type { Executor } from "./Executor.ts"
import type { StepInput } from "./StepInput.ts"

declare const types: unique symbol

/** Exists for the compiler only. */
export interface Typed<in Input, in Previous, out Output> {
  readonly [types]: {
    readonly input: (input: Input) => void
    readonly previous: (previous: Previous) => void
    readonly output: () => Output
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- the input of a function is checked where the step is made
export type AnyInput = StepInput<any, any>

// oxlint-disable-next-line typescript/no-explicit-any -- as above
export type AnyWorkflow = Workflow<any, any>

/** What happens after the last failed attempt. */
export type OnError = "skip" | "fail" | "pause"

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
  readonly userInput: Pause.UserInput | undefined
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

export type Node = StepNode | StepsNode | ParallelNode | LoopNode | ConditionNode | RouterNode

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

/** A function as a step, with its own name. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export type StepFunction = (input: StepInput<any, any>) => Returned<unknown>

/** The elements of a list of steps. */
export type Element = Node | StepFunction | Agent | Team | AnyWorkflow

/** What a person is asked for, with the fields of the requirement. */
export type Requirement = StepRequirement.StepRequirement | StepRequirement.ErrorRequirement

export type Content = Json.Value
