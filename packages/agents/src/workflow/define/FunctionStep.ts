// A step with a function of the author, and the author's other functions.
import type * as Json from "@svc-runtime/domain/Json"
import * as Misspelling from "@svc-runtime/domain/Misspelling"
import * as NameList from "@svc-runtime/domain/NameList"
import type * as WorkflowEvent from "@svc-runtime/domain/WorkflowEvent"
import type { Durable } from "@svc-runtime/engine/durable/Durable"
import * as DurableCode from "@svc-runtime/engine/durable/DurableCode"
import { type Host, Suspension } from "@svc-runtime/engine/durable/DurableHost"
import { checkOutput, checkState, type ValueTooLarge } from "@svc-runtime/engine/limits/ByteLimits"
import * as StateChange from "@svc-runtime/engine/session/StateChange"
import * as CustomEvents from "@svc-runtime/engine/tool/CustomEvents"
import * as ForeignContext from "@svc-runtime/engine/userCode/ForeignContext"
import * as JsonResult from "@svc-runtime/engine/userCode/JsonResult"
import * as UserCode from "@svc-runtime/engine/userCode/UserCode"
import { Effect, Predicate } from "effect"
import * as StateDraft from "../execute/StateDraft.ts"
import { fromThrown, StepFailure } from "../execute/StepFailure.ts"
import * as StepOutputs from "../execute/StepOutputs.ts"
import { StepResult } from "../execute/StepResult.ts"
import {
  about,
  emitWorkflowEvent,
  type FunctionState,
  type StepCall,
  type StepCompletion,
  type StepContext,
  type WorkflowExecution
} from "../execute/WorkflowExecution.ts"
import { Failed, type Interruption, Paused } from "../pause/Interruption.ts"
import * as WakeTime from "../pause/WakeTime.ts"
import { childrenOf, type Node } from "./Node.ts"
import type { AnyInput } from "./StepInput.ts"

// The names that a function can ask for with `outputOf`. The compiler cannot check them: a function does not know the
// workflows whose step it is.

interface Named {
  readonly id: string
  readonly steps: ReadonlyArray<Node>
}

/** Names that an error lists. */
const maxListed = 50

const add = (names: Set<string>, nodes: ReadonlyArray<Node>, seen: Set<Node>): void => {
  for (const node of nodes) {
    if (seen.has(node)) continue
    seen.add(node)
    names.add(node.name)
    add(names, childrenOf(node), seen)
  }
}

/** Throws if no step of the workflow has this name. */
const check = ({ id, steps }: Named, name: string): void => {
  const names = new Set<string>()
  add(names, steps, new Set())
  if (names.has(name)) return
  const meant = Misspelling.meant(name, names)
  throw new ReferenceError(
    `outputOf: no step is called '${name}'. ${meant === undefined ? "" : `Is '${meant}' meant? `}` +
      (names.size === 0
        ? `The workflow '${id}' has no steps`
        : `The steps of the workflow '${id}' are ${NameList.first([...names], maxListed)}`)
  )
}

const nameOf = (step: string | { readonly name: string }) => typeof step === "string" ? step : step.name

/** Steps share nothing: after a pause or a crash they could not. */
const copyOf = <A>(value: A): A => typeof value === "object" ? structuredClone(value) : value

/** Without what a JSON value can be wrapped in, such as a Proxy, which cannot be copied otherwise. */
const unwrapped = (value: Json.Value): Json.Value =>
  typeof value === "object" ? JSON.parse(JSON.stringify(value)) : value

/** Created on demand: most steps need little of what they can get. */
const onDemand = <A>(create: () => A): () => A => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: create() }).value
}

const inputOf = (
  { request, workflow }: WorkflowExecution,
  stepName: string,
  place: string,
  { additional, item, iteration, outputs, previous, userInput }: StepContext,
  draft: Record<string, Json.Value>,
  emit: CustomEvents.Emit,
  signal: AbortSignal
): Omit<AnyInput, keyof Durable> => {
  const input = onDemand(() => copyOf(previous === undefined ? request.input : previous.value))
  const workflowInput = onDemand(() => copyOf(request.input))
  const ownItem = onDemand(() => copyOf(item))
  const previousStepOutputs = onDemand(() => copyOf(outputs.byName()))
  return {
    get input() {
      return input()
    },
    get workflowInput() {
      return workflowInput()
    },
    outputOf: (step: string | { readonly name: string }) => {
      const content = outputs.contentOf(nameOf(step))
      if (content === undefined) check(workflow, nameOf(step))
      return copyOf(content) as never
    },
    get previousStepOutputs() {
      return previousStepOutputs()
    },
    userInput,
    rejectionFeedback: additional.rejection_feedback,
    media: request.media,
    sessionState: draft,
    ...request.given,
    workflowId: workflow.id,
    stepName,
    runId: request.run_id,
    sessionId: request.session_id,
    userId: request.user_id,
    iteration,
    get item() {
      return ownItem()
    },
    effectId: `${request.run_id}/${place}`,
    emit,
    signal
  }
}

const tooLarge = ({ _tag, message }: ValueTooLarge) => new StepFailure({ message, error_type: _tag })

/** Of a function whose durable calls wait. A requirement of its step that is open already comes first. */
const pausedBy = Effect.fnUntraced(function*(
  { journal }: WorkflowExecution,
  waits: ReadonlyArray<Interruption>
): Effect.fn.Return<never, Interruption> {
  const [wait] = waits
  if (wait?._tag !== "Paused") {
    return yield* wait ?? new Failed({ message: "It waits for nothing", error_type: "Error" })
  }
  const pauses = waits.filter((each) => each._tag === "Paused")
  const open = journal.openOf(wait.requirement.step_id)
  const known = open === undefined ? undefined : journal.requirementOf(open)
  const { kind, step_index, step_name } = wait
  const first = pauses.find(({ requirement }) => requirement === known) ??
    (known && new Paused({ requirement: known, kind, step_index, step_name }))
  const shown = WakeTime.shownOf(first === undefined ? pauses : [first, ...pauses]) ?? wait
  const paused = shown.ask === undefined ? shown : yield* Effect.flip(shown.ask)
  return yield* paused._tag === "Paused" ? WakeTime.earliest(paused, pauses) : paused
})

interface Called {
  readonly run: (input: AnyInput) => UserCode.Returned<unknown>
  /** Undefined: it can make no durable calls. */
  readonly durable?: Host<Interruption> | undefined
  readonly state: FunctionState
}

/** Calls a function of the author. Its changes of the session state are returned and not applied. */
const call = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall<Pick<Node, "name">>,
  { durable: host, run, state: { draft } }: Called
) {
  const called = CustomEvents.scoped(
    (fields) =>
      emitWorkflowEvent(execution, { ...fields, ...about({ execution, node, place }) } as WorkflowEvent.Payload),
    (emit) =>
      DurableCode.execute(
        host,
        (durable) =>
          ForeignContext.call({
            what: `The context of step '${node.name}'`,
            code: run,
            contextOf: (signal) =>
              Object.assign(inputOf(execution, node.name, place.key, before, draft, emit, signal), durable),
            run
          })
      )
  )
  const logged = Effect.tapError(
    called,
    (thrown) => UserCode.logThrown("The code of a step threw", thrown, { step: node.name })
  )
  return yield* Effect.mapError(logged, fromThrown)
})

const stateOf = ({ state }: WorkflowExecution): FunctionState => ({
  base: state.current,
  draft: StateDraft.copyOf(state)
})

/** A decision of the author: a condition, a loop end or a selection. It changes no state. */
export const decide = <A>(
  { before, execution, node, place }: StepCall<Pick<Node, "name">>,
  run: (input: AnyInput) => UserCode.Returned<A>
): Effect.Effect<A, StepFailure> =>
  Effect.map(
    call({ before, execution, node, place }, { run, state: stateOf(execution) }),
    (value) => value as A
  )

const given = (value: unknown): string => value === undefined ? "nothing" : "a text"

/** The same for a condition. A text is refused: "no" would count as true. So is nothing: a `return` is missing. */
export const decideWhether = (
  call: StepCall<Pick<Node, "name">>,
  run: (input: AnyInput) => UserCode.Returned<boolean>
) =>
  Effect.flatMap(decide<unknown>(call, run), (value) =>
    typeof value === "string" || value === undefined
      ? Effect.fail(
        new StepFailure({
          message: `The function of '${call.node.name}' gave ${given(value)}, and has to give true or false` +
            (value === undefined ? ". Is a return missing? A value that may be undefined is written Boolean(…)" : ""),
          error_type: "TypeError"
        })
      )
      : Effect.succeed(Boolean(value)))

/** The same for a decision that is JSON. */
export const decideJson = (call: StepCall<Pick<Node, "name">>, run: (input: AnyInput) => UserCode.Returned<unknown>) =>
  Effect.flatMap(decide(call, run), (value) => jsonOf(value, `the function of '${call.node.name}'`))

const textOf = (value: Json.Value): string => typeof value === "string" ? value : JSON.stringify(value)

const jsonOf = (value: unknown, owner: string): Effect.Effect<Json.Value, StepFailure> =>
  Effect.tap(
    Effect.map(asJson(value, owner), unwrapped),
    (content) => Effect.mapError(checkOutput("The output of the step", textOf(content)), tooLarge)
  )

const asJson = (value: unknown, owner: string): Effect.Effect<Json.Value, StepFailure> =>
  Effect.mapError(Effect.fromResult(JsonResult.of(value ?? null)), (odd) =>
    new StepFailure({
      message:
        `What ${owner} gave is no JSON: ${odd}. Only texts, numbers, booleans, null, and lists and objects of these are`,
      error_type: "TypeError"
    }))

const listed = <A>(items: ReadonlyArray<A> | undefined) => items === undefined || items.length === 0 ? null : items

interface Function {
  readonly name: string
  readonly run: (input: AnyInput) => UserCode.Returned<unknown>
}

/** One attempt. */
export const perform = Effect.fnUntraced(function*(
  { before, execution, node, place }: StepCall,
  { name, run }: Function
) {
  const functionState = stateOf(execution)
  const durable = execution.durable({ before, execution, node, place }, functionState)
  const value = yield* call({ before, execution, node, place }, { run, durable, state: functionState })
  if (value instanceof Suspension) {
    return yield* pausedBy(execution, (value as Suspension<Interruption>).waits)
  }
  const { base, draft } = functionState
  const state = yield* StateChange.made(base, draft)
  if (state !== undefined) yield* Effect.mapError(checkState(base, StateChange.apply(base, state)), tooLarge)
  const result = value instanceof StepResult ? value : undefined
  const performed: StepCompletion = {
    output: StepOutputs.done({ execution, node, place }, {
      content: yield* jsonOf(result === undefined ? value : result.content, `step '${node.name}'`),
      executor_type: "function",
      executor_name: name,
      ...(result === undefined ? {} : {
        images: listed(result.images),
        videos: listed(result.videos),
        audio: listed(result.audio),
        files: listed(result.files),
        success: result.success ?? true,
        stop: result.stop ?? false
      })
    }),
    state
  }
  return performed
})

export const isNameList = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every(Predicate.isString)
