// Decisions about the tool calls that a paused run waits for.
import { type ContinueInput, readField, type Requirement } from "@svc-runtime/client"
import { Wrench } from "lucide"
import { useState } from "preact/hooks"
import { Icon } from "../parts/Icon.tsx"
import { Time } from "../parts/Time.tsx"
import { Values } from "../parts/Values.tsx"
import { Arguments, type Changed, changedArguments } from "./Arguments.tsx"
import { type Field, Fields, isField, Verdict } from "./Fields.tsx"

/** What the person has chosen for one call. */
export interface Choice {
  readonly confirmed?: boolean
  readonly note?: string
  readonly args?: Changed
  readonly values?: Readonly<Record<string, string>>
  readonly result?: string
}

/** Whether it is a requirement: approvals and steps have them as JSON. */
export const isRequirement = (value: unknown): value is Requirement =>
  typeof value === "object" && value !== null && "id" in value && "tool_execution" in value

const fieldsOf = ({ tool_execution: call, user_input_schema: schema }: Requirement): ReadonlyArray<Field> => {
  const given = schema ?? call.user_input_schema
  return Array.isArray(given) ? (given as ReadonlyArray<unknown>).filter(isField) : []
}

/** What is sent. */
export interface Decision {
  readonly id: string
  readonly confirmed?: boolean
  readonly confirmation_note?: string
  readonly external_execution_result?: string
  readonly user_input_schema?: ReadonlyArray<Field>
  readonly tool_execution?: Requirement["tool_execution"]
}

/** Undefined: it is not complete. */
export const decisionOf = (requirement: Requirement, choice: Choice): Decision | undefined => {
  const { id, tool_execution: call } = requirement
  if (call.external_execution_required === true) {
    return choice.result === undefined || choice.result === ""
      ? undefined
      : { id, external_execution_result: choice.result }
  }
  if (call.requires_user_input === true) {
    const values = fieldsOf(requirement).map((field) => {
      const text = choice.values?.[field.name] ?? ""
      return { field, value: text === "" ? field.value : readField(field, text).value }
    })
    const isComplete = values.every(({ field: { required }, value }) =>
      value !== undefined && (value !== null || required === false)
    )
    return isComplete
      ? { id, user_input_schema: values.map(({ field, value }) => ({ ...field, value: value ?? null })) }
      : undefined
  }
  if (choice.confirmed === undefined) return undefined
  const note = choice.note === undefined || choice.note === "" ? {} : { confirmation_note: choice.note }
  if (!choice.confirmed || choice.args === undefined) return { id, confirmed: choice.confirmed, ...note }
  const args = changedArguments(call.tool_args, choice.args)
  return args === undefined
    ? undefined
    : {
      id,
      confirmed: true,
      ...note,
      tool_execution: { ...call, tool_args: args as Requirement["tool_execution"]["tool_args"] }
    }
}

interface CallProps {
  readonly requirement: Requirement
  readonly choice: Choice
  readonly change: (choice: Choice) => void
  /** Given if this is the only decision: a press on a button makes it. */
  readonly decide?: ((decision: Decision) => void) | undefined
  readonly isSending?: boolean | undefined
}

/** An approval of a call needs no more than a press on a button. */
export const isConfirmation = ({ tool_execution: call }: Requirement): boolean =>
  call.external_execution_required !== true && call.requires_user_input !== true && call.wake_at === undefined

const Confirmation = ({ change, choice, decide, isSending, requirement }: CallProps) => {
  const { tool_execution: call } = requirement
  const { args = {} } = choice
  const current = changedArguments(call.tool_args, args)
  const choose = (confirmed: boolean) => {
    const made = { ...choice, confirmed }
    const decision = decide === undefined ? undefined : decisionOf(requirement, made)
    if (decision === undefined) change(made)
    else decide?.(decision)
  }
  return (
    <>
      {call.asked === undefined ? <Values value={current ?? call.tool_args} /> : null}
      {call.outcome_unknown === true
        ? <p>The call has started, and its outcome is unknown. Approve to execute it again.</p>
        : null}
      <details>
        <summary>Change the arguments</summary>
        <Arguments given={call.tool_args} changed={args} change={(args) => change({ ...choice, args })} />
      </details>
      <div class="verdicts">
        <Verdict
          confirmed={decide === undefined ? choice.confirmed : undefined}
          cannotApprove={current === undefined}
          isSending={isSending}
          change={choose}
        />
        <input
          aria-label="Note for the model"
          placeholder="Note for the model (optional)"
          value={choice.note ?? ""}
          onInput={(event) => change({ ...choice, note: event.currentTarget.value })}
        />
      </div>
    </>
  )
}

export const CallDecision = (props: CallProps) => {
  const { change, choice, requirement } = props
  const { member_agent_name: member, tool_execution: call } = requirement
  return (
    <section class="decision">
      <p class="what">
        <Icon of={Wrench} /> {member === undefined ? "" : `${member}: `}
        <code>{call.tool_name}</code>
      </p>
      {isConfirmation(requirement) || call.requires_user_input === true ||
          (call.asked !== undefined && call.outcome_unknown !== true)
        ? null
        : <Values value={call.tool_args} />}
      {call.asked === undefined ? null : <p>{call.asked.message}</p>}
      {call.wake_at === undefined ? null : (
        <p>
          The run continues by itself at <Time value={call.wake_at} />.
        </p>
      )}
      {call.external_execution_required === true
        ? (
          <label>
            {call.asked?.event === undefined ? "Result of the call" : `What is sent as ${call.asked.event}`}
            <textarea
              rows={3}
              value={choice.result ?? ""}
              onInput={(event) => change({ ...choice, result: event.currentTarget.value })}
            />
          </label>
        )
        : call.requires_user_input === true
        ? (
          <Fields
            fields={fieldsOf(requirement)}
            values={choice.values ?? {}}
            change={(name, text) => change({ ...choice, values: { ...choice.values, [name]: text } })}
          />
        )
        : call.wake_at === undefined
        ? <Confirmation {...props} />
        : null}
    </section>
  )
}

interface Props {
  readonly requirements: ReadonlyArray<Requirement>
  readonly decide: (decisions: ContinueInput) => void
  /** A decision is on its way. */
  readonly isSending?: boolean | undefined
}

/** A call that waits for a time only needs no decision, and one whose approval is resolved follows it. */
const isOpen = ({ approval_status, tool_execution: call }: Requirement): boolean =>
  approval_status === undefined && call.answered !== true &&
  (call.wake_at === undefined || call.asked?.event !== undefined || call.requires_user_input === true)

export const CallDecisions = ({ decide, isSending, requirements }: Props) => {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({})
  const open = requirements.filter(isOpen)
  const [only] = open
  const isOnly = open.length === 1 && only !== undefined && isConfirmation(only)
  const decisions = open.map((requirement) => decisionOf(requirement, choices[requirement.id] ?? {}))
  const all = (confirmed: boolean) =>
    setChoices(Object.fromEntries(open.map(({ id }) => [id, { ...choices[id], confirmed }])))
  return (
    <form
      class="decisions"
      onSubmit={(event) => {
        event.preventDefault()
        if (decisions.every((decision) => decision !== undefined)) decide({ requirements: decisions })
      }}
    >
      <h2>{open.length === 0 ? "The run waits" : "The run waits for you"}</h2>
      {requirements.map((requirement) => (
        <CallDecision
          key={requirement.id}
          requirement={requirement}
          choice={choices[requirement.id] ?? {}}
          change={(choice) => setChoices({ ...choices, [requirement.id]: choice })}
          decide={isOnly ? (decision) => decide({ requirements: [decision] }) : undefined}
          isSending={isSending}
        />
      ))}
      {open.length < 2 ? null : (
        <p>
          <button type="button" onClick={() => all(true)}>Approve all</button>{" "}
          <button type="button" onClick={() => all(false)}>Reject all</button>
        </p>
      )}
      {open.length === 0 || isOnly
        ? null
        : (
          <button class="primary" disabled={isSending === true || decisions.some((decision) => decision === undefined)}>
            Continue the run
          </button>
        )}
    </form>
  )
}
