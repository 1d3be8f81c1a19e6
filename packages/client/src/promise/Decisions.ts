// Decisions about everything that a paused run waits for.
import type { RunOutput, StepRequirement, TeamRunOutput, WorkflowRunOutput } from "./generated/types.ts"
import type { ContinueInput, WorkflowContinueInput } from "./RunInput.ts"

type Paused = Pick<RunOutput | TeamRunOutput, "requirements" | "tools">
type PausedWorkflow = Pick<WorkflowRunOutput, "step_requirements" | "error_requirements">

interface Decision {
  readonly confirmed: boolean
  readonly note?: string | undefined
}

const ofCalls = (requirements: ReadonlyArray<unknown>, { confirmed, note }: Decision) =>
  (requirements as ReadonlyArray<object>).map((requirement) => ({
    ...requirement,
    confirmation: confirmed,
    ...(note === undefined ? {} : { confirmation_note: note })
  }))

const ofTools = ({ requirements = [] }: Paused, decision: Decision): ContinueInput => ({
  requirements: ofCalls(requirements, decision)
})

/** A step waits for a decision of its own, or for those about the calls of its agent or team. */
const decided = (requirement: StepRequirement, decision: Decision) => {
  const { executor_requirements: calls, requires_executor_input: isForCalls } = requirement
  if (isForCalls === true) return { ...requirement, executor_requirements: ofCalls(calls ?? [], decision) }
  const { confirmed, note } = decision
  return { ...requirement, confirmed, ...(note === undefined ? {} : { rejection_feedback: note }) }
}

const ofSteps = (
  { error_requirements = [], step_requirements = [] }: PausedWorkflow,
  decision: Decision
): WorkflowContinueInput => ({
  ...(step_requirements.length === 0 ? {} : {
    step_requirements: step_requirements.map((each, index) =>
      index === step_requirements.length - 1 ? decided(each, decision) : each
    )
  }),
  ...(error_requirements.length === 0 ? {} : {
    error_requirements: error_requirements.map((each) => ({
      ...each,
      decision: decision.confirmed ? "retry" : "skip"
    }))
  })
})

interface Waiting {
  readonly tool_execution?: { readonly asked?: { readonly event?: string } | null } | null
}

const waitsOf = (requirements: ReadonlyArray<unknown>): ReadonlyArray<Waiting> => requirements as ReadonlyArray<Waiting>

const eventOf = ({ tool_execution: tool }: Waiting): string | undefined => tool?.asked?.event

const isWorkflow = (run: object): run is PausedWorkflow => "step_requirements" in run || "error_requirements" in run

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
} = (run: object): object => isWorkflow(run) ? ofSteps(run, { confirmed: true }) : ofTools(run, { confirmed: true })

/** Rejects everything that the run waits for, with a reason for the model. Failed steps are skipped. */
export const reject: {
  (run: Paused, note?: string): ContinueInput
  (run: PausedWorkflow, note?: string): WorkflowContinueInput
} = (run: object, note?: string): object =>
  isWorkflow(run) ? ofSteps(run, { confirmed: false, note }) : ofTools(run, { confirmed: false, note })

/** Sends an event to what waits for it by `waitFor`. Throws an error if nothing does. */
export const sent: {
  (run: Paused, event: string, value?: unknown): ContinueInput
  (run: PausedWorkflow, event: string, value?: unknown): WorkflowContinueInput
  (run: Paused | PausedWorkflow, event: string, value?: unknown): ContinueInput & WorkflowContinueInput
} = (run: object, event: string, value: unknown = null): object => {
  const steps = isWorkflow(run) ? run.step_requirements ?? [] : []
  const last = steps.at(-1)
  const waits = waitsOf(isWorkflow(run) ? last?.executor_requirements ?? [] : (run as Paused).requirements ?? [])
  const names = waits.flatMap((wait) => eventOf(wait) ?? [])
  if (!names.includes(event)) {
    const others = names.length === 0 ? "for no event" : `for ${names.map((name) => `'${name}'`).join(", ")}`
    throw new Error(`The run does not wait for the event '${event}'. It waits ${others}`)
  }
  const result = JSON.stringify(value)
  const decided = waits.map((wait) => eventOf(wait) === event ? { ...wait, external_execution_result: result } : wait)
  return isWorkflow(run)
    ? { step_requirements: [...steps.slice(0, -1), { ...last, executor_requirements: decided }] }
    : { requirements: decided }
}
