// A step that does something itself: a function, an agent, a team, or another workflow.
import type { Json } from "@svc/domain"
import type { Duration } from "effect"
import type { Agent } from "../agent/Agent.ts"
import type { Team } from "../team/Team.ts"
import type { Effects } from "../tool/Tool.ts"
import type { Returned } from "../usercode/UserCode.ts"
import * as Validate from "../usercode/Validate.ts"
import type { ContentOf } from "./Chain.ts"
import type { Executor, OnError, StepNode, Typed } from "./Node.ts"
import * as Pause from "./Pause.ts"
import type { StepInput } from "./StepInput.ts"
import { checkedName } from "./toNodes.ts"
import type { Workflow } from "./Workflow.ts"

export type Step<Input, Previous, Output, Name extends string = string> =
  & StepNode
  & Typed<Input, Previous, Output>
  & { readonly name: Name }

export interface Settings<Name extends string, Policy extends OnError> {
  readonly name: Name
  readonly description?: string | undefined
  /** How often it is tried again after a failure. Never, when left out. */
  readonly retries?: number | undefined
  /** One second when left out. */
  readonly delayBetweenRetries?: Duration.Input | undefined
  readonly exponentialBackoff?: boolean | undefined
  /** How long one attempt may take. */
  readonly timeout?: Duration.Input | undefined
  /**
   * What happens when it has failed for good: `fail` (the default) ends the workflow, `skip` goes on with a text that says
   * so, `pause` asks a person.
   */
  readonly onError?: Policy | undefined
  /**
   * What happens when the service has stopped in the middle of a function with `effects: "once"`: `pause` (the default) asks
   * a person whether it is tried again or left out, `fail` ends the workflow.
   */
  readonly onUnknownOutcome?: "pause" | "fail" | undefined
  /** Somebody has to agree before it is run. */
  readonly confirmation?: Pause.Options | true | undefined
  /** Somebody has to say something before it is run: `input.additionalData.user_input`. */
  readonly userInput?: Pause.UserInputOptions | undefined
  /** Somebody has to agree to what it gave, and may change it. */
  readonly outputReview?: Pause.Options | true | undefined
}

/** A failure that does not end the workflow leaves a text where the content would be. */
type Settled<Output, Policy extends OnError> = Policy extends "fail" ? Output : Output | string

interface Executing {
  // oxlint-disable-next-line typescript/no-explicit-any -- what it takes is checked by the overloads
  readonly run?: (input: StepInput<any, any>) => Returned<unknown>
  readonly effects?: Effects | undefined
  readonly agent?: Agent | string
  readonly team?: Team | string
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly workflow?: Workflow<any, any> | string
}

const executorOf = (
  owner: string,
  { agent, effects = "once", run, team, workflow }: Executing,
  name: string
): Executor => {
  const given: ReadonlyArray<Executor> = [
    ...(run === undefined
      ? []
      : [{ type: "function", name: run.name === "" || run.name === "run" ? name : run.name, run, effects } as const]),
    ...(agent === undefined ? [] : [{ type: "agent", agent } as const]),
    ...(team === undefined ? [] : [{ type: "team", team } as const]),
    ...(workflow === undefined ? [] : [{ type: "workflow", workflow } as const])
  ]
  const [only] = given
  if (only !== undefined && given.length === 1) return only
  throw new Error(`${owner} needs one of run, agent, team and workflow, and has ${given.length}`)
}

/** The function is told its input; what it returns, promises or gives as an Effect is what the next step gets. */
export function make<
  Output,
  const Name extends string,
  Input = Json.Value,
  Previous = Json.Value | undefined,
  const Policy extends OnError = "fail"
>(
  options: Settings<Name, Policy> & {
    readonly run: (input: StepInput<Input, Previous>) => Returned<Output>
    /**
     * What it does to the world to run it once more when the service has stopped in the middle: nothing (`read`), nothing
     * because it goes by `effectId` (`idempotent`), or the thing itself again (`once`, the default). Then it is not run
     * again: a person says whether it is tried again or left out.
     */
    readonly effects?: Effects | undefined
  }
): Step<NoInfer<Input>, NoInfer<Previous>, Settled<ContentOf<Output>, Policy>, Name>
/** The agent is asked what the step before gave; the first step of all is asked what the workflow was. */
export function make<const Name extends string, const Policy extends OnError = "fail">(
  options: Settings<Name, Policy> & { readonly agent: Agent | string }
): Step<unknown, unknown, Json.Value, Name>
/** The team is asked as an agent is. */
export function make<const Name extends string, const Policy extends OnError = "fail">(
  options: Settings<Name, Policy> & { readonly team: Team | string }
): Step<unknown, unknown, Json.Value, Name>
export function make<
  WorkflowInput,
  Output,
  const Name extends string,
  const Policy extends OnError = "fail"
>(
  options: Settings<Name, Policy> & { readonly workflow: Workflow<WorkflowInput, Output> }
): Step<unknown, NoInfer<WorkflowInput> | undefined, Settled<Output, Policy>, Name>
export function make<const Name extends string, const Policy extends OnError = "fail">(
  options: Settings<Name, Policy> & { readonly workflow: string }
): Step<unknown, unknown, Json.Value, Name>
export function make(options: Settings<string, OnError> & Executing): unknown {
  const name = checkedName("step", options.name)
  const owner = `Step '${name}'`
  const node: StepNode = {
    type: "Step",
    name,
    description: options.description,
    executor: executorOf(owner, options, name),
    confirmation: Pause.make(owner, options.confirmation),
    outputReview: Pause.make(owner, options.outputReview),
    userInput: Pause.userInput(owner, options.userInput),
    retries: Validate.wholeNumber(owner, "retries", 0, options.retries ?? 0),
    delayBetweenRetries: Validate.duration(owner, "delayBetweenRetries", options.delayBetweenRetries ?? "1 second"),
    exponentialBackoff: options.exponentialBackoff ?? false,
    timeout: options.timeout === undefined ? undefined : Validate.duration(owner, "timeout", options.timeout),
    onError: options.onError ?? "fail",
    onUnknownOutcome: options.onUnknownOutcome ?? "pause"
  }
  return node
}
