// Decisions about the steps that a paused workflow waits for. Some ask a person, and some have failed.
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
import { Time } from "../parts/Time.tsx"
import { useSettling } from "../parts/useSettling.ts"
import {
  CallDecision,
  type Choice,
  Continue,
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

/** It has buttons for a rejection and a field for its reason. */
const hasVerdict = (step: StepRequirement): boolean =>
  step.requires_executor_input !== true &&
  (step.requires_confirmation || !(step.requires_route_selection || step.requires_user_input))

/** It needs no more than a press on a button. */
const isDecidedAtOnce = (step: StepRequirement): boolean => {
  if (step.requires_executor_input !== true) return !step.requires_route_selection && !step.requires_user_input
  const call = pressedIn(step)
  return call !== undefined && isConfirmation(call)
}

const verdictOf = (confirmed: boolean, { feedback = "" }: StepChoice): object => ({
  confirmed,
  ...(confirmed || feedback === "" ? {} : { rejection_feedback: feedback })
})

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
  return verdictOf(choice.confirmed, choice)
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

/** Steps inside of others have one name several times: the place is beside it. */
const Title = ({ children, step }: {
  readonly step: Pick<StepRequirement, "id" | "step_index" | "step_name">
  readonly children: string
}) => {
  const place = StepPlace.of(step)
  return (
    <h2>
      The step {step.step_name}{" "}
      {place === undefined ? null : <span class="quiet" title="Its place in the workflow, from 0">at {place}</span>}
      {" "}
      {children}
    </h2>
  )
}

const rejections: Readonly<Record<StepRequirement["on_reject"], string>> = {
  skip: "the step is skipped",
  cancel: "the workflow is cancelled",
  else: "the other branch is executed",
  retry: "it is repeated with your reason"
}

const timeouts: Readonly<Record<StepRequirement["on_timeout"], string>> = {
  approve: "is approved",
  skip: "is skipped",
  cancel: "cancels the workflow"
}

/** What happens after a rejection, and without a decision. */
const Consequences = ({ step: { on_reject, on_timeout, timeout_at } }: { readonly step: StepRequirement }) => (
  <p class="quiet">
    If you reject it, {rejections[on_reject]}.
    {timeout_at === null ? null : (
      <>
        {" "}A decision after <Time value={timeout_at} /> is too late: the step then {timeouts[on_timeout]}.
      </>
    )}
  </p>
)

const FailedStep = ({ decide, failed, isSending }: Deciding & { readonly failed: ErrorRequirement }) => {
  const send = (decision: "retry" | "skip") =>
    decide(decideSteps({ error_requirements: [failed] }, { ofError: () => decision }))
  return (
    <section class="decisions">
      <Title step={failed}>has failed</Title>
      <p>{failed.error_message}</p>
      <p class="actions retry">
        <button type="button" class="primary" disabled={isSending} onClick={() => send("retry")}>Try again</button>
        <button type="button" disabled={isSending} onClick={() => send("skip")}>Skip the step</button>
      </p>
    </section>
  )
}

interface AskingProps extends Deciding {
  readonly steps: ReadonlyArray<StepRequirement>
  readonly step: StepRequirement
  /** No other step waits. */
  readonly isAlone: boolean
}

const AskingStep = ({ decide, isAlone, isSending, step, steps }: AskingProps) => {
  const [choice, setChoice] = useState<StepChoice>({ values: {}, routes: [], calls: {} })
  const decision = decided(step, choice)
  const send = (decision: object | undefined) => {
    if (decision === undefined) return
    decide(decideSteps({ step_requirements: steps }, { ofStep: (each) => each === step ? decision : undefined }))
  }
  const about = step.step_output ?? givenTo(step)
  const messages = [step.output_review_message, step.confirmation_message, step.user_input_message]
  const isAtOnce = isDecidedAtOnce(step)
  return (
    <form
      class="decisions"
      onSubmit={(event) => {
        event.preventDefault()
        send(decision)
      }}
    >
      <Title step={step}>waits for you</Title>
      {messages.map((message) => message === null ? null : <p key={message}>{message}</p>)}
      {about === undefined || about === null ? null : <Json value={about} />}
      {step.requires_executor_input === true
        ? callsOf(step).waiting.map((call) => (
          <CallDecision
            key={call.id}
            requirement={call}
            of={step.executor_name}
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
        : null}
      {hasVerdict(step)
        ? (
          <>
            <label>
              Reason, if you reject it
              <input
                value={choice.feedback ?? ""}
                onInput={(event) => setChoice({ ...choice, feedback: event.currentTarget.value })}
              />
            </label>
            <Consequences step={step} />
            <Verdict
              isSending={isSending}
              cannotApprove={!isAtOnce && decision === undefined}
              change={(confirmed) =>
                send(confirmed ? decided(step, { ...choice, confirmed }) : verdictOf(confirmed, choice))}
            />
          </>
        )
        : isAtOnce
        ? null
        : (
          <Continue isSending={isSending} isOptional={pressedIn(step) !== undefined} missing={decision === undefined}>
            {isAlone ? "Continue the run" : "Continue this step"}
          </Continue>
        )}
    </form>
  )
}

interface Props extends Deciding {
  readonly steps: ReadonlyArray<StepRequirement>
  readonly errors: ReadonlyArray<ErrorRequirement>
}

/** In the order of the workflow: it does not change with the answers. */
const byPlace = (one: StepRequirement, other: StepRequirement): number => {
  const [left, right] = [one, other].map((step) => StepPlace.numbersOf(step) ?? [Number(step.step_index)])
  const at = left?.findIndex((number, index) => number !== right?.[index]) ?? 0
  return (left?.[at] ?? 0) - (right?.[at] ?? 0)
}

/** Steps that are shown at once. */
const maxShown = 10

export const StepDecisions = ({ errors, steps, ...deciding }: Props) => {
  const waiting = waitingSteps({ step_requirements: steps, error_requirements: errors }).toSorted(byPlace)
  const shown = waiting.slice(0, maxShown)
  const guard = useSettling([...errors, ...shown].map(({ id }) => id).join())
  const more = waiting.length - shown.length
  return (
    <div onClickCapture={guard}>
      {errors.map((failed) => <FailedStep key={failed.id} failed={failed} {...deciding} />)}
      {shown.map((step) => (
        <AskingStep key={step.id} steps={steps} step={step} isAlone={waiting.length === 1} {...deciding} />
      ))}
      {more === 0 ? null : <p class="quiet">{more} more {more === 1 ? "step waits" : "steps wait"} after these</p>}
    </div>
  )
}
