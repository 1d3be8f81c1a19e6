// Decisions about the steps that a paused workflow waits for: one that asks a person, and all that have failed.
import {
  decideSteps,
  type ErrorRequirement,
  readField,
  type StepRequirement,
  waitingSteps,
  type WorkflowContinueInput
} from "@svc-runtime/client"
import * as StepPlace from "@svc-runtime/domain/StepPlace"
import { useState } from "preact/hooks"
import { Json } from "../parts/Json.tsx"
import {
  CallDecision,
  type Choice,
  decisionOf,
  isConfirmation,
  isPressed,
  isRequirement,
  waitingIn
} from "./CallDecisions.tsx"
import { Fields, Verdict } from "./Fields.tsx"

interface StepChoice {
  readonly confirmed?: boolean
  readonly feedback?: string
  readonly values: Readonly<Record<string, string>>
  readonly routes: ReadonlyArray<string>
  readonly calls: Readonly<Record<string, Choice>>
}

const callsOf = (
  { executor_requirements: calls = [] }: { readonly executor_requirements?: ReadonlyArray<unknown> | undefined }
) => waitingIn(calls.filter(isRequirement))

/** The only call that is decided, if a press on a button can do it. */
const pressedIn = (step: StepRequirement) => {
  const { open: [call, ...others] } = callsOf(step)
  return call !== undefined && others.length === 0 && isPressed(call) ? call : undefined
}

/** It needs no more than a press on a button. */
const isDecidedAtOnce = (step: StepRequirement): boolean => {
  if (step.requires_executor_input !== true) return !step.requires_route_selection && !step.requires_user_input
  const call = pressedIn(step)
  return call !== undefined && isConfirmation(call)
}

/** The decision. Undefined: it is not complete. */
const decided = (step: StepRequirement, choice: StepChoice): object | undefined => {
  if (step.requires_executor_input === true) {
    const { open: calls } = callsOf(step)
    const decisions = calls.map((call) => decisionOf(call, choice.calls[call.id] ?? {}))
    return calls.length > 0 && decisions.every((decision) => decision !== undefined)
      ? { executor_requirements: calls.map((call, index) => ({ ...call, ...decisions[index] })) }
      : undefined
  }
  // what is given confirms it, too
  const confirmed = step.requires_confirmation ? { confirmed: true } : {}
  if (step.requires_route_selection) {
    return choice.routes.length === 0 ? undefined : { ...confirmed, selected_choices: choice.routes }
  }
  if (step.requires_user_input) {
    const fields = step.user_input_schema ?? []
    const values = fields.map((field) => [field.name, readField(field, choice.values[field.name] ?? "").value] as const)
    const isComplete = values.every(([, value]) => value !== undefined && value !== "")
    return isComplete ? { ...confirmed, user_input: Object.fromEntries(values) } : undefined
  }
  if (choice.confirmed === undefined) return undefined
  const feedback = choice.confirmed || choice.feedback === undefined || choice.feedback === ""
    ? {}
    : { rejection_feedback: choice.feedback }
  return { confirmed: choice.confirmed, ...feedback }
}

/** What the step gets from the step before it, such as the item of a list. */
const givenTo = ({ step_input }: StepRequirement): unknown =>
  typeof step_input === "object" && step_input !== null && "previous_step_content" in step_input
    ? step_input["previous_step_content"]
    : undefined

interface Deciding {
  readonly decide: (decisions: WorkflowContinueInput) => void
  /** A decision is on its way. */
  readonly isSending?: boolean | undefined
}

const titleOf = (step: Pick<StepRequirement, "id" | "step_index" | "step_name">): string =>
  StepPlace.title(step.step_name, step)

const FailedStep = ({ decide, failed, isSending }: Deciding & { readonly failed: ErrorRequirement }) => {
  const send = (decision: "retry" | "skip") =>
    decide(decideSteps({ error_requirements: [failed] }, { ofError: () => decision }))
  return (
    <section class="decisions">
      <h2>The step {titleOf(failed)} has failed</h2>
      <p>{failed.error_message}</p>
      <p class="actions">
        <button type="button" class="primary" disabled={isSending} onClick={() => send("retry")}>Try again</button>
        <button type="button" disabled={isSending} onClick={() => send("skip")}>Skip the step</button>
      </p>
    </section>
  )
}

interface AskingProps extends Deciding {
  readonly steps: ReadonlyArray<StepRequirement>
  readonly step: StepRequirement
  /** They wait too, and are shown after it. */
  readonly others: ReadonlyArray<StepRequirement>
}

/** Names of steps that are shown. */
const maxNamed = 5

const othersText = (others: ReadonlyArray<StepRequirement>): string => {
  const names = others.slice(0, maxNamed).map(titleOf).join(", ")
  const rest = others.length > maxNamed ? ` and ${others.length - maxNamed} more` : ""
  return others.length === 1
    ? `Another step waits too: ${names}`
    : `${others.length} other steps wait too: ${names}${rest}`
}

const AskingStep = ({ decide, isSending, others, step, steps }: AskingProps) => {
  const [choice, setChoice] = useState<StepChoice>({ values: {}, routes: [], calls: {} })
  const decision = decided(step, choice)
  const send = (decision: object | undefined) => {
    if (decision === undefined) return
    decide(decideSteps({ step_requirements: steps }, { ofStep: (each) => each === step ? decision : undefined }))
  }
  const about = step.step_output ?? givenTo(step)
  const message = step.output_review_message ?? step.confirmation_message ?? step.user_input_message
  return (
    <form
      class="decisions"
      onSubmit={(event) => {
        event.preventDefault()
        send(decision)
      }}
    >
      <h2>The step {titleOf(step)} waits for you</h2>
      {others.length === 0 ? null : <p class="quiet">{othersText(others)}</p>}
      {message === null ? null : <p>{message}</p>}
      {about === undefined || about === null ? null : <Json value={about} />}
      {step.requires_executor_input === true
        ? callsOf(step).waiting.map((call) => (
          <CallDecision
            key={call.id}
            requirement={call}
            choice={choice.calls[call.id] ?? {}}
            change={(made) => setChoice({ ...choice, calls: { ...choice.calls, [call.id]: made } })}
            isSending={isSending}
            decide={pressedIn(step)?.id === call.id
              ? (made) => send({ executor_requirements: [{ ...call, ...made }] })
              : undefined}
          />
        ))
        : step.requires_route_selection
        ? (
          <fieldset>
            <legend>Continue with</legend>
            {(step.available_choices ?? []).map((name) => (
              <label class="check" key={name}>
                <input
                  type={step.allow_multiple_selections ? "checkbox" : "radio"}
                  name="route"
                  checked={choice.routes.includes(name)}
                  onChange={(event) => {
                    const others = step.allow_multiple_selections ? choice.routes.filter((each) => each !== name) : []
                    setChoice({ ...choice, routes: event.currentTarget.checked ? [...others, name] : others })
                  }}
                />
                {name}
              </label>
            ))}
          </fieldset>
        )
        : step.requires_user_input
        ? (
          <Fields
            fields={step.user_input_schema ?? []}
            values={choice.values}
            change={(name, text) => setChoice({ ...choice, values: { ...choice.values, [name]: text } })}
          />
        )
        : (
          <>
            <label>
              Reason, if you reject it
              <input
                value={choice.feedback ?? ""}
                onInput={(event) => setChoice({ ...choice, feedback: event.currentTarget.value })}
              />
            </label>
            <Verdict
              isSending={isSending}
              change={(confirmed) => send(decided(step, { ...choice, confirmed }))}
            />
          </>
        )}
      {isDecidedAtOnce(step)
        ? null
        : <button class="primary" disabled={isSending === true || decision === undefined}>Continue the run</button>}
      {step.requires_confirmation && !isDecidedAtOnce(step)
        ? (
          <button type="button" disabled={isSending} onClick={() => send({ ...step, confirmed: false })}>
            Reject
          </button>
        )
        : null}
    </form>
  )
}

interface Props extends Deciding {
  readonly steps: ReadonlyArray<StepRequirement>
  readonly errors: ReadonlyArray<ErrorRequirement>
}

export const StepDecisions = ({ errors, steps, ...deciding }: Props) => {
  const waiting = waitingSteps({ step_requirements: steps, error_requirements: errors })
  const step = waiting.at(-1)
  return (
    <>
      {errors.map((failed) => <FailedStep key={failed.id} failed={failed} {...deciding} />)}
      {step === undefined
        ? null
        : <AskingStep key={step.id} steps={steps} step={step} others={waiting.slice(0, -1)} {...deciding} />}
    </>
  )
}
