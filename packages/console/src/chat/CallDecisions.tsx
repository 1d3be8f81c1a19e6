// Decisions about the tool calls that a paused run waits for.
import { type ContinueInput, readField, type Requirement } from "@svc-runtime/client"
import { useState } from "preact/hooks"
import { Json } from "../parts/Json.tsx"
import { parsed } from "../parts/parsed.ts"
import { Time } from "../parts/Time.tsx"
import { type Field, Fields, isField, Verdict } from "./Fields.tsx"

/** What the person has chosen for one call. */
export interface Choice {
  readonly confirmed?: boolean
  readonly note?: string
  readonly args?: string
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
  const args = parsed(choice.args)
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
}

const Confirmation = ({ change, choice, requirement: { id, tool_execution: call } }: CallProps) => {
  const isWrong = choice.args !== undefined && parsed(choice.args) === undefined
  return (
    <>
      {call.outcome_unknown === true
        ? <p>The call has started, and its outcome is unknown. Approve to execute it again.</p>
        : null}
      <details>
        <summary>Change the arguments</summary>
        <textarea
          aria-label="Arguments as JSON"
          aria-invalid={isWrong}
          spellcheck={false}
          rows={6}
          value={choice.args ?? JSON.stringify(call.tool_args, null, 2)}
          onInput={(event) => change({ ...choice, args: event.currentTarget.value })}
        />
        {isWrong ? <p class="problem">This is no JSON</p> : null}
      </details>
      <Verdict
        name={id}
        confirmed={choice.confirmed}
        change={(confirmed) => change({ ...choice, confirmed })}
      />
      {choice.confirmed === false
        ? (
          <label>
            Reason, for the model
            <input
              value={choice.note ?? ""}
              onInput={(event) => change({ ...choice, note: event.currentTarget.value })}
            />
          </label>
        )
        : null}
    </>
  )
}

export const CallDecision = (props: CallProps) => {
  const { change, choice, requirement } = props
  const { member_agent_name: member, tool_execution: call } = requirement
  return (
    <section class="decision">
      <p>
        {member === undefined ? "" : `${member}: `}
        <code>{call.tool_name}</code>
      </p>
      {call.requires_user_input === true || call.asked !== undefined ? null : <Json value={call.tool_args} />}
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
}

/** A call that waits for a time only needs no decision. */
const isOpen = ({ tool_execution: call }: Requirement): boolean =>
  call.answered !== true &&
  (call.wake_at === undefined || call.asked?.event !== undefined || call.requires_user_input === true)

export const CallDecisions = ({ decide, requirements }: Props) => {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({})
  const open = requirements.filter(isOpen)
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
      <h3>{open.length === 0 ? "The run waits" : "The run waits for you"}</h3>
      {requirements.map((requirement) => (
        <CallDecision
          key={requirement.id}
          requirement={requirement}
          choice={choices[requirement.id] ?? {}}
          change={(choice) => setChoices({ ...choices, [requirement.id]: choice })}
        />
      ))}
      {open.length < 2 ? null : (
        <p>
          <button type="button" onClick={() => all(true)}>Approve all</button>{" "}
          <button type="button" onClick={() => all(false)}>Reject all</button>
        </p>
      )}
      {open.length === 0 ?
        null :
        (
          <button class="primary" disabled={decisions.some((decision) => decision === undefined)}>
            Continue the run
          </button>
        )}
    </form>
  )
}
