// Decisions about everything that a paused run waits for.
import type { Json, RunOutput, StepRequirement, TeamRunOutput, WorkflowRunOutput } from "./generated/types.ts"
import type { ContinueInput, JsonObject, WorkflowContinueInput } from "./RunInput.ts"

type Paused = Pick<RunOutput | TeamRunOutput, "requirements" | "tools">
type PausedWorkflow = Pick<WorkflowRunOutput, "step_requirements" | "error_requirements">

interface Confirmation {
  readonly confirmed: boolean
  readonly note?: string | undefined
}

interface Call {
  readonly approval_status?: unknown
  readonly confirmation?: unknown
  readonly external_execution_result?: unknown
  readonly user_input_schema?: unknown
  readonly tool_execution?: { readonly external_execution_required?: unknown; readonly user_input_schema?: unknown }
}

/** About everything that a run can wait for. */
interface Decision {
  readonly ofCall: (requirement: Call) => object
  readonly ofStep: object
  readonly ofError: "retry" | "skip"
}

/** What a run can wait for beside the values of fields. */
interface Given {
  /** Of calls that are executed elsewhere, and of events. What is no text is sent as JSON. */
  readonly result?: Json | undefined
  /** The steps that a router of a workflow chooses. */
  readonly choices?: ReadonlyArray<string> | undefined
}

const decision = ({ confirmed, note }: Confirmation): Decision => ({
  ofCall: (requirement) => ({
    ...requirement,
    confirmation: confirmed,
    ...(note === undefined ? {} : { confirmation_note: note })
  }),
  ofStep: { confirmed, ...(note === undefined ? {} : { rejection_feedback: note }) },
  ofError: confirmed ? "retry" : "skip"
})

interface SentField {
  readonly name: string
}

const textOf = (result: Json): string => typeof result === "string" ? result : JSON.stringify(result)

const given = (values: JsonObject | undefined, { choices, result }: Given): Decision => ({
  ofCall: (requirement) => {
    const { external_execution_required: isExternal, user_input_schema: fields } = requirement.tool_execution ?? {}
    if (isExternal === true) {
      return result === undefined ? requirement : { ...requirement, external_execution_result: textOf(result) }
    }
    const confirmed = { ...requirement, confirmation: true }
    if (!Array.isArray(fields)) return confirmed
    const filled = (fields as ReadonlyArray<SentField>).map((field) =>
      values !== undefined && Object.hasOwn(values, field.name) ? { ...field, value: values[field.name] } : field
    )
    return { ...confirmed, user_input_schema: filled }
  },
  ofStep: {
    confirmed: true,
    ...(values === undefined ? {} : { user_input: values }),
    ...(choices === undefined ? {} : { selected_choices: choices })
  },
  ofError: "retry"
})

/** A person, or an approval, has decided on the others, and the run follows it. */
const isOpen = (
  { approval_status, confirmation, external_execution_result: result, user_input_schema: fields }: Call
): boolean => (approval_status ?? confirmation ?? result ?? fields ?? null) === null

const ofCalls = (requirements: ReadonlyArray<unknown> = [], { ofCall }: Decision) =>
  (requirements as ReadonlyArray<Call>).filter(isOpen).map(ofCall)

/** A step waits for a decision of its own, or for those about the calls of its agent or team. */
const decided = (requirement: StepRequirement, decision: Decision) => {
  const { executor_requirements: calls, requires_executor_input: isForCalls } = requirement
  return isForCalls === true
    ? { ...requirement, executor_requirements: ofCalls(calls, decision) }
    : { ...requirement, ...decision.ofStep }
}

/** Runs of a list have the calls that wait, and not the requirements. */
const checkWhole = (run: object): void => {
  if (typeof run !== "object" || run === null) {
    throw new Error("A decision is about a run, not its id. Read it with get(run)")
  }
  if ("then" in run) throw new Error("The run is a promise. Write await before it")
  const { error_requirements, requirements, status, step_requirements }: {
    readonly [key in "error_requirements" | "requirements" | "status" | "step_requirements"]?: unknown
  } = run
  if (status !== "PAUSED" || (error_requirements ?? requirements ?? step_requirements ?? null) !== null) return
  throw new Error("This paused run has no requirements, as one of a list or a history. Read it with get(run) first")
}

const ofRun = (run: Paused | PausedWorkflow, decision: Decision): ContinueInput | WorkflowContinueInput => {
  checkWhole(run)
  if (!isWorkflow(run)) return { requirements: ofCalls(run.requirements, decision) }
  const { error_requirements = [], step_requirements = [] } = run
  const last = step_requirements.length - 1
  return {
    ...(step_requirements.length === 0 ? {} : {
      step_requirements: step_requirements.map((each, index) => index === last ? decided(each, decision) : each)
    }),
    ...(error_requirements.length === 0 ? {} : {
      error_requirements: error_requirements.map((each) => ({ ...each, decision: decision.ofError }))
    })
  }
}

interface Waiting {
  readonly tool_execution?: { readonly asked?: { readonly event?: string } | null } | null
}

const waitsOf = (requirements: ReadonlyArray<unknown>): ReadonlyArray<Waiting> => requirements as ReadonlyArray<Waiting>

const eventOf = ({ tool_execution: tool }: Waiting): string | undefined => tool?.asked?.event

const isWorkflow = (run: object): run is PausedWorkflow => "step_requirements" in run || "error_requirements" in run

/** The calls that the run waits for, or a step of its own. */
const openOf = (run: Paused | PausedWorkflow) => {
  const step = isWorkflow(run) ? run.step_requirements?.at(-1) : undefined
  const calls = isWorkflow(run) ? step?.executor_requirements : run.requirements
  return {
    calls: ((calls ?? []) as ReadonlyArray<Call>).filter(isOpen),
    step: step?.requires_executor_input === true ? undefined : step
  }
}

const namesOf = (fields: unknown): ReadonlyArray<string> =>
  Array.isArray(fields) ? (fields as ReadonlyArray<SentField>).map(({ name }) => name) : []

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => `'${name}'`).join(", ")

/** What no field, call or router takes would be lost, and the call be executed without it. */
const check = (run: Paused | PausedWorkflow, values: JsonObject | undefined, { choices, result }: Given): void => {
  const { calls, step } = openOf(run)
  const names = step === undefined
    ? calls.flatMap(({ tool_execution: tool }) => namesOf(tool?.user_input_schema))
    : namesOf(step.user_input_schema)
  const unknown = Object.keys(values ?? {}).find((name) => !names.includes(name))
  const taken = names.length === 0 ? "no values" : quoted(names)
  if (unknown !== undefined) throw new Error(`The run asks for no '${unknown}'. It asks for ${taken}`)
  const takesResult = calls.some(({ tool_execution: tool }) => tool?.external_execution_required === true)
  if (result !== undefined && !takesResult) throw new Error("The run asks for no result of a call or an event")
  if (choices !== undefined && step?.requires_route_selection !== true) throw new Error("The run asks for no choices")
}

/**
 * Confirms everything that the run waits for. Failed steps are repeated.
 *
 * @example
 * const paused = await agent.run("Refund order 17")
 * if (paused.status === "PAUSED") await agent.continue(paused, approve(paused))
 */
export const approve: {
  (run: Paused): ContinueInput
  (run: PausedWorkflow): WorkflowContinueInput
} = (run: Paused | PausedWorkflow): object => ofRun(run, decision({ confirmed: true }))

/** Rejects everything that the run waits for, with a reason for the model. Failed steps are skipped. */
export const reject: {
  (run: Paused, note?: string): ContinueInput
  (run: PausedWorkflow, note?: string): WorkflowContinueInput
} = (run: Paused | PausedWorkflow, note?: string): object => ofRun(run, decision({ confirmed: false, note }))

/**
 * Gives what the run waits for: the values of fields by their names, the result of calls that are executed elsewhere,
 * or the choices of a router. What also needs a confirmation is confirmed, and failed steps are repeated. Throws an
 * error for what the run does not ask for.
 *
 * @example
 * const paused = await agent.run("Order tea")
 * if (paused.status === "PAUSED") await agent.continue(paused, answer(paused, { address: "Main Street 1" }))
 */
export const answer: {
  (run: Paused, values?: JsonObject, more?: Pick<Given, "result">): ContinueInput
  (run: PausedWorkflow, values?: JsonObject, more?: Given): WorkflowContinueInput
} = (run: Paused | PausedWorkflow, values?: JsonObject, more: Given = {}): object => {
  checkWhole(run)
  check(run, values, more)
  return ofRun(run, given(values, more))
}

const namesIn = (waits: ReadonlyArray<Waiting>): ReadonlyArray<string> => waits.flatMap((wait) => eventOf(wait) ?? [])

const stepsOf = (run: object) => isWorkflow(run) ? run.step_requirements ?? [] : []

const callsOf = (step: StepRequirement | undefined) => waitsOf(step?.executor_requirements ?? [])

/** What waits for the event. Several steps of a workflow can wait at the same time, and the last one is shown. */
const waitsIn = (run: object, event: string) => {
  if (!isWorkflow(run)) return { steps: [], step: undefined, waits: waitsOf((run as Paused).requirements ?? []) }
  const steps = stepsOf(run)
  const isFor = (step: StepRequirement) => namesIn(callsOf(step)).includes(event)
  const step = steps.findLast(isFor) ?? steps.at(-1)
  return { steps: steps.filter((each) => each !== step), step, waits: callsOf(step) }
}

/** Whether a run, as it was read, waits for the event. */
export const awaits = (run: object, event: string): run is Paused | PausedWorkflow =>
  namesIn(waitsIn(run, event).waits).includes(event)

/** Sends an event to what waits for it by `waitFor`. Throws an error if nothing does. */
export const sent: {
  (run: Paused, event: string, value?: unknown): ContinueInput
  (run: PausedWorkflow, event: string, value?: unknown): WorkflowContinueInput
  (run: Paused | PausedWorkflow, event: string, value?: unknown): ContinueInput & WorkflowContinueInput
} = (run: object, event: string, value: unknown = null): object => {
  checkWhole(run)
  const { step, steps, waits } = waitsIn(run, event)
  const names = namesIn(waits)
  if (!names.includes(event)) {
    const others = names.length === 0 ? "for no event" : `for ${quoted(names)}`
    throw new Error(`The run does not wait for the event '${event}'. It waits ${others}`)
  }
  const result = JSON.stringify(value)
  const decided = waits.map((wait) => eventOf(wait) === event ? { ...wait, external_execution_result: result } : wait)
  return isWorkflow(run)
    ? { step_requirements: [...steps, { ...step, executor_requirements: decided }] }
    : { requirements: decided }
}
