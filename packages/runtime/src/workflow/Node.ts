// The tree that a workflow is: steps that do something, and steps that say in which order others are done. Beside what
// is there when it runs, a step has three types: of the workflow's input, of what comes before it, and of what it gives.
import type { Json, StepOutput, StepRequirement } from "@svc/domain"
import type { Duration } from "effect"
import type { Agent } from "../agent/Agent.ts"
import type { Team } from "../team/Team.ts"
import type { Effects } from "../tool/Tool.ts"
import type { Returned } from "../usercode/UserCode.ts"
import type * as Pause from "./Pause.ts"
import type { StepInput } from "./StepInput.ts"
import type { Workflow } from "./Workflow.ts"

declare const types: unique symbol

/** Nothing of it exists when the program runs. */
export interface Typed<in Input, in Previous, out Output> {
  readonly [types]: {
    readonly input: (input: Input) => void
    readonly previous: (previous: Previous) => void
    readonly output: () => Output
  }
}

// oxlint-disable-next-line typescript/no-explicit-any -- a function of any step fits here; what it takes is checked where it is written
export type AnyInput = StepInput<any, any>

export type Executor =
  | {
    readonly type: "function"
    readonly name: string
    readonly run: (input: AnyInput) => Returned<unknown>
    readonly effects: Effects
  }
  /** By its id, until the workflow is registered beside it. */
  | { readonly type: "agent"; readonly agent: Agent | string }
  | { readonly type: "team"; readonly team: Team | string }
  | { readonly type: "workflow"; readonly workflow: AnyWorkflow | string }

// oxlint-disable-next-line typescript/no-explicit-any -- as above
export type AnyWorkflow = Workflow<any, any>

/** What happens when a step fails for good. */
export type OnError = "skip" | "fail" | "pause"

interface Common {
  readonly name: string
  readonly description: string | undefined
  /** Somebody has to agree before it is run. */
  readonly confirmation: Pause.Pause | undefined
  /** Somebody has to agree to what it gave. */
  readonly outputReview: Pause.Pause | undefined
}

export interface StepNode extends Common {
  readonly type: "Step"
  readonly executor: Executor
  /** Somebody has to say something before it is run. */
  readonly userInput: Pause.UserInput | undefined
  readonly retries: number
  readonly delayBetweenRetries: Duration.Duration
  readonly exponentialBackoff: boolean
  /** Of one attempt. */
  readonly timeout: Duration.Duration | undefined
  readonly onError: OnError
  /** Of a function that must not be run twice. */
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
  /** Whether to stop, after each round. */
  readonly endCondition:
    | ((results: ReadonlyArray<StepOutput.StepOutput>, input: AnyInput) => Returned<boolean>)
    | undefined
  /** Somebody decides after each round whether it was the last. */
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
  /** The names of those that are run, in this order. Undefined where somebody chooses. */
  readonly selector: ((input: AnyInput) => Returned<string | ReadonlyArray<string>>) | undefined
  readonly selection: Pause.Selection | undefined
}

export type Node = StepNode | StepsNode | ParallelNode | LoopNode | ConditionNode | RouterNode

/** What is in it, whatever it is. */
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

/** A function that is a step of its own, under its own name. */
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export type StepFunction = (input: StepInput<any, any>) => Returned<unknown>

/** What may stand in a list of steps. */
export type Element = Node | StepFunction | Agent | Team | AnyWorkflow

/** What people are asked for, in the words of the requirement they answer. */
export type Requirement = StepRequirement.StepRequirement | StepRequirement.ErrorRequirement

export type Content = Json.Value
