// A step with a function, an agent, a team, or another workflow.
import type * as Json from "@svc-runtime/domain/Json"
import { allEffects, type Effects } from "@svc-runtime/engine/userCode/Effects"
import { mismatch, Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"
import type { Returned } from "@svc-runtime/engine/userCode/UserCode"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { type Duration, Predicate } from "effect"
import { type Agent, isAgent } from "../../agent/define/Agent.ts"
import { isTeam, type Team } from "../../team/Team.ts"
import * as Pause from "../pause/Pause.ts"
import * as UserInput from "../pause/UserInput.ts"
import { isWorkflow } from "../Workflow.ts"
import type { ContentOf } from "./Chain.ts"
import type { Executor, OnError, StepNode, Workflow } from "./Node.ts"
import type { StepInput, Typed } from "./StepInput.ts"
import { checkedName } from "./toNodes.ts"

export type Step<Input, WorkflowInput, Output, Name extends string = string> =
  & StepNode
  & Typed<Input, WorkflowInput, Output>
  & { readonly name: Name }

export interface Settings<
  Name extends string,
  Policy extends OnError,
  S extends UserInput.InputSchema | undefined = UserInput.InputSchema | undefined
> {
  /** The name of the step in events and outputs, unique in its workflow. */
  readonly name: Name
  /** What the step does. Default: none. */
  readonly description?: string | undefined
  /** The number of retries. Default: 0. */
  readonly retries?: number | undefined
  /** The delay before a retry. Default: one second. */
  readonly delayBetweenRetries?: Duration.Input | undefined
  /** Each delay is twice as long as the one before. Default: false. */
  readonly exponentialBackoff?: boolean | undefined
  /** The timeout of one attempt. Default: none. */
  readonly timeout?: Duration.Input | undefined
  /**
   * After the last failed attempt: `fail` (the default) ends the workflow, `skip` continues with a text, `pause` asks a
   * person.
   */
  readonly onError?: Policy | undefined
  /**
   * If the outcome of a `once` function is unknown: `pause` (the default) asks a person to retry or skip it, `fail`
   * ends the workflow.
   */
  readonly onUnknownOutcome?: "pause" | "fail" | undefined
  /** A confirmation before it runs. True means the defaults. Default: none. */
  readonly confirmation?: Pause.Options | true | undefined
  /** Values that a person enters before it runs. A function gets them as `userInput`, an agent with its message. */
  readonly userInput?: UserInput.Options<Extract<S, UserInput.InputSchema>> | undefined
  /** A review of its output, which the person can edit. */
  readonly outputReview?: Pause.Options | true | undefined
}

/** A failure that does not end the workflow has a text as content. */
type Settled<Output, Policy extends OnError> = Policy extends "fail" ? Output : Output | string

interface Executing {
  // oxlint-disable-next-line typescript/no-explicit-any -- what it takes is checked by the overloads
  readonly run?: ((input: StepInput<any, any, any>) => Returned<unknown>) | undefined
  readonly effects?: Effects | undefined
  readonly agent?: Agent | string | undefined
  readonly team?: Team | string | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  readonly workflow?: Workflow<any, any> | string | undefined
}

const policies: ReadonlyArray<OnError> = ["fail", "skip", "pause"]
const outcomes: ReadonlyArray<StepNode["onUnknownOutcome"]> = ["pause", "fail"]

const kinds: AuthorOptions.Kinds<keyof Executing | keyof Settings<string, OnError>> = {
  name: "text",
  description: "text",
  retries: "any",
  delayBetweenRetries: "any",
  exponentialBackoff: "flag",
  timeout: "any",
  onError: { oneOf: policies },
  onUnknownOutcome: { oneOf: outcomes },
  confirmation: "any",
  userInput: "object",
  outputReview: "any",
  run: "function",
  effects: { oneOf: allEffects },
  agent: "any",
  team: "any",
  workflow: "any"
}

const components = { agent: isAgent, team: isTeam, workflow: isWorkflow }

/** A component, or its id. */
const checkComponent = (owner: string, kind: keyof typeof components, given: unknown): void => {
  if (given === undefined || Predicate.isString(given) || components[kind](given)) return
  const article = kind === "agent" ? "an" : "a"
  throw mismatch(`${owner}: ${kind}`, `${article} ${kind} or its id`, given)
}

const executorOf = (
  owner: string,
  { agent, effects = "once", run, team, workflow }: Executing,
  name: string
): Executor => {
  checkComponent(owner, "agent", agent)
  checkComponent(owner, "team", team)
  checkComponent(owner, "workflow", workflow)
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
  throw new Mistake(`${owner} needs one of run, agent, team and workflow, and has ${given.length}`)
}

/** One of these, so that the compiler names the others as too many. */
type Body<Input, WorkflowInput, Output, S> =
  | {
    /** The function gets the input; its value, promise or Effect is the input of the next step. */
    readonly run: (input: StepInput<Input, WorkflowInput, UserInput.ValuesOf<S>>) => Returned<Output>
    /**
     * What a repetition after a crash does: `read` has no effects, `idempotent` recognises its `effectId`, `once` (the
     * default) has the effect again. A `once` function is not repeated: a person decides to retry or skip it.
     */
    readonly effects?: Effects | undefined
    readonly agent?: undefined
    readonly team?: undefined
    readonly workflow?: undefined
  }
  | {
    /**
     * An agent or its id. Its message is the result of the previous step, or the input of the workflow for the first
     * step.
     */
    readonly agent: Agent | string
    readonly run?: undefined
    readonly team?: undefined
    readonly workflow?: undefined
  }
  | {
    /** A team or its id. Its message is that of an agent. */
    readonly team: Team | string
    readonly run?: undefined
    readonly agent?: undefined
    readonly workflow?: undefined
  }
  | {
    /** A workflow or its id. Its input is the result of the previous step. */
    readonly workflow: Workflow<Input, Output> | string
    readonly run?: undefined
    readonly agent?: undefined
    readonly team?: undefined
  }

/**
 * A step of a workflow. It has one of `run`, `agent`, `team` and `workflow`. Its output is the input of the next step.
 *
 * ```ts
 * import { Agent, Step } from "@svc-runtime/server"
 *
 * const writer = Agent.make({ id: "writer", instructions: "Write a short report." })
 *
 * export const facts = Step.make({
 *   name: "facts",
 *   effects: "read",
 *   run: ({ input }) => `Facts about ${String(input)}`
 * })
 *
 * export const write = Step.make({ name: "write", agent: writer, retries: 2, timeout: "2 minutes", onError: "pause" })
 * ```
 */
export function make<
  const Name extends string,
  Output = Json.Value,
  Input = Json.Value,
  WorkflowInput = Json.Value,
  const Policy extends OnError = "fail",
  S extends UserInput.InputSchema | undefined = undefined
>(
  options: Settings<Name, Policy, S> & Body<Input, WorkflowInput, Output, S>
): Step<
  NoInfer<Input>,
  NoInfer<WorkflowInput>,
  Settled<Json.Value extends Output ? Json.Value : ContentOf<Output>, Policy>,
  Name
>
export function make(options: Settings<string, OnError> & Executing): unknown {
  AuthorOptions.check(AuthorOptions.ownerOf("Step", options, "name"), options, kinds)
  const name = checkedName("step", options.name)
  const owner = `Step '${name}'`
  const node: StepNode = {
    type: "Step",
    name,
    description: options.description,
    executor: executorOf(owner, options, name),
    confirmation: Pause.make(owner, options.confirmation),
    outputReview: Pause.make(owner, options.outputReview, "outputReview"),
    userInput: UserInput.make(owner, options.userInput),
    retries: Validate.wholeNumber(owner, "retries", 0, options.retries ?? 0),
    delayBetweenRetries: Validate.duration(owner, "delayBetweenRetries", options.delayBetweenRetries ?? "1 second"),
    exponentialBackoff: options.exponentialBackoff ?? false,
    timeout: options.timeout === undefined ? undefined : Validate.duration(owner, "timeout", options.timeout),
    onError: options.onError ?? "fail",
    onUnknownOutcome: options.onUnknownOutcome ?? "pause"
  }
  return node
}
