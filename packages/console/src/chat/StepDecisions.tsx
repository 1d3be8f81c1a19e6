// Decisions about the step that a paused workflow waits for.
import { readField, type StepRequirement, type WorkflowContinueInput } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { Json } from "../parts/Json.tsx"
import { CallDecision, type Choice, decisionOf, isConfirmation, isRequirement } from "./CallDecisions.tsx"
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
) => calls.filter(isRequirement).filter(({ approval_status }) => approval_status === undefined)

/** It needs no more than a press on a button. */
const isDecidedAtOnce = (step: StepRequirement): boolean => {
  if (step.requires_executor_input !== true) return !step.requires_route_selection && !step.requires_user_input
  const [call, ...others] = callsOf(step)
  return call !== undefined && others.length === 0 && isConfirmation(call)
}

/** What is sent. Undefined: it is not complete. */
const decided = (step: StepRequirement, choice: StepChoice): object | undefined => {
  if (step.requires_executor_input === true) {
    const calls = callsOf(step)
    const decisions = calls.map((call) => decisionOf(call, choice.calls[call.id] ?? {}))
    return decisions.every((decision) => decision !== undefined)
      ? { ...step, executor_requirements: calls.map((call, index) => ({ ...call, ...decisions[index] })) }
      : undefined
  }
  if (step.requires_route_selection) {
    return choice.routes.length === 0 ? undefined : { ...step, selected_choices: choice.routes }
  }
  if (step.requires_user_input) {
    const fields = step.user_input_schema ?? []
    const values = fields.map((field) => [field.name, readField(field, choice.values[field.name] ?? "").value] as const)
    const isComplete = values.every(([, value]) => value !== undefined && value !== "")
    return isComplete ? { ...step, user_input: Object.fromEntries(values) } : undefined
  }
  if (choice.confirmed === undefined) return undefined
  const feedback = choice.confirmed || choice.feedback === undefined || choice.feedback === ""
    ? {}
    : { rejection_feedback: choice.feedback }
  return { ...step, confirmed: choice.confirmed, ...feedback }
}

interface Props {
  readonly requirements: ReadonlyArray<StepRequirement>
  readonly decide: (decisions: WorkflowContinueInput) => void
  /** A decision is on its way. */
  readonly isSending?: boolean | undefined
}

export const StepDecisions = ({ decide, isSending, requirements }: Props) => {
  const [choice, setChoice] = useState<StepChoice>({ values: {}, routes: [], calls: {} })
  const step = requirements.at(-1)
  if (step === undefined) return null
  const decision = decided(step, choice)
  const send = (decision: object | undefined) => {
    if (decision !== undefined) decide({ step_requirements: [...requirements.slice(0, -1), decision] })
  }
  const message = step.output_review_message ?? step.confirmation_message ?? step.user_input_message
  return (
    <form
      class="decisions"
      onSubmit={(event) => {
        event.preventDefault()
        send(decision)
      }}
    >
      <h2>The step {step.step_name} waits for you</h2>
      {message === null ? null : <p>{message}</p>}
      {step.step_output === undefined ? null : <Json value={step.step_output} />}
      {step.requires_executor_input === true
        ? callsOf(step).map((call) => (
          <CallDecision
            key={call.id}
            requirement={call}
            choice={choice.calls[call.id] ?? {}}
            change={(made) => setChoice({ ...choice, calls: { ...choice.calls, [call.id]: made } })}
            isSending={isSending}
            decide={isDecidedAtOnce(step)
              ? (made) => send({ ...step, executor_requirements: [{ ...call, ...made }] })
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
    </form>
  )
}
