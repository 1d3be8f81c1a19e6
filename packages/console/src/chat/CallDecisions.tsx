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

/** The call has begun, and it is not known whether it has had its effect. */
const isUnknown = ({ tool_execution: call }: Requirement): boolean => call.outcome_unknown === true

/** Undefined: it is not complete. */
export const decisionOf = (requirement: Requirement, choice: Choice): Decision | undefined => {
  const { id, tool_execution: call } = requirement
  const note = choice.note === undefined || choice.note === "" ? {} : { confirmation_note: choice.note }
  if (isUnknown(requirement) && choice.confirmed !== undefined) return { id, confirmed: choice.confirmed, ...note }
  if (choice.confirmed === false) return { id, confirmed: false, ...note }
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
  if (choice.args === undefined) return { id, confirmed: true, ...note }
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
  /** Whose call it is, if it is not of a member. */
  readonly of?: string | undefined
  readonly choice: Choice
  readonly change: (choice: Choice) => void
  /** Given if this is the only decision: a press on a button makes it. */
  readonly decide?: ((decision: Decision) => void) | undefined
  readonly isSending?: boolean | undefined
}

/** An approval of a call needs no more than a press on a button. */
export const isConfirmation = ({ tool_execution: call }: Requirement): boolean =>
  call.external_execution_required !== true && call.requires_user_input !== true && call.wake_at === undefined

/** A press on a button can be the decision. */
export const isPressed = (requirement: Requirement): boolean => isConfirmation(requirement) || isUnknown(requirement)

/** A call that waits for a time only needs no decision. */
const needsDecision = ({ tool_execution: call }: Requirement): boolean =>
  call.wake_at === undefined || call.asked?.event !== undefined || call.requires_user_input === true

const Note = ({ change, choice }: Pick<CallProps, "change" | "choice">) => (
  <input
    aria-label="Note for the model"
    placeholder="Note for the model (optional)"
    value={choice.note ?? ""}
    onInput={(event) => change({ ...choice, note: event.currentTarget.value })}
  />
)

interface VerdictsProps {
  readonly choice: Choice
  readonly change: (choice: Choice) => void
  readonly choose: (confirmed: boolean) => void
  /** A press is the decision. */
  readonly isOnly: boolean
  readonly isSending: boolean | undefined
  readonly cannotApprove?: boolean
  readonly names?: readonly [approve: string, reject: string]
}

const Verdicts = ({ change, choice, choose, isOnly, ...verdict }: VerdictsProps) => (
  <div class="verdicts">
    <Verdict {...verdict} confirmed={isOnly ? undefined : choice.confirmed} change={choose} />
    <Note choice={choice} change={change} />
  </div>
)

/** A call that takes values or a result, and no approval. */
const Rejection = ({ change, choice }: Pick<CallProps, "change" | "choice">) => {
  const { confirmed, note: _, ...others } = choice
  const isRejected = confirmed === false
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={isRejected}
          onChange={() => change(isRejected ? others : { ...others, confirmed: false })}
        />
        Reject the call instead
      </label>
      {isRejected ? <Note choice={choice} change={change} /> : null}
    </>
  )
}

/** The arguments that the model has given, and a person is not asked for. */
const Given = ({ requirement }: { readonly requirement: Requirement }) => {
  const { tool_args } = requirement.tool_execution
  const names = new Set(fieldsOf(requirement).map(({ name }) => name))
  const given = Object.entries(tool_args ?? {}).filter(([name]) => !names.has(name))
  return given.length === 0 ? null : <Values value={Object.fromEntries(given)} />
}

const Result = ({ change, result, title }: {
  readonly title: string
  readonly result: string
  readonly change: (result: string) => void
}) => (
  <label>
    {title}
    <textarea rows={3} value={result} onInput={(event) => change(event.currentTarget.value)} />
  </label>
)

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
      <details>
        <summary>Change the arguments</summary>
        <Arguments given={call.tool_args} changed={args} change={(args) => change({ ...choice, args })} />
      </details>
      <Verdicts
        choice={choice}
        isOnly={decide !== undefined}
        cannotApprove={current === undefined}
        isSending={isSending}
        change={change}
        choose={choose}
      />
    </>
  )
}

/** Another result than what is sent is no verdict, and a verdict needs no result. */
const Unknown = ({ change, choice, decide, isSending, requirement }: CallProps) => {
  const { confirmed: _, result = "", ...others } = choice
  const choose = (confirmed: boolean) => {
    const made = { ...others, confirmed }
    const decision = decide === undefined ? undefined : decisionOf(requirement, made)
    if (decision === undefined) change(made)
    else decide?.(decision)
  }
  return (
    <>
      <p>
        The call has started, and its outcome is unknown. Look up what has happened, and enter its result, or execute it
        again, or skip it.
      </p>
      <Result title="Result of the call" result={result} change={(result) => change({ ...others, result })} />
      <Verdicts
        choice={choice}
        isOnly={decide !== undefined}
        isSending={isSending}
        names={["Execute again", "Skip"]}
        change={change}
        choose={choose}
      />
    </>
  )
}

export const CallDecision = (props: CallProps) => {
  const { change, choice, of, requirement } = props
  const { member_agent_name: member = of, tool_execution: call } = requirement
  return (
    <section class="decision">
      <p class="what">
        <Icon of={Wrench} /> {member === undefined ? "" : `${member}: `}
        <code>{call.tool_name}</code>
      </p>
      {isConfirmation(requirement) || (call.asked !== undefined && call.outcome_unknown !== true)
        ? null
        : <Given requirement={requirement} />}
      {call.asked === undefined ? null : <p>{call.asked.message}</p>}
      {call.wake_at === undefined ? null : (
        <p>
          The run continues by itself at <Time value={call.wake_at} />.
        </p>
      )}
      {isUnknown(requirement) ? <Unknown {...props} /> : call.external_execution_required === true
        ? (
          <Result
            title={call.asked?.event === undefined ? "Result of the call" : `What is sent as ${call.asked.event}`}
            result={choice.result ?? ""}
            change={(result) => change({ ...choice, result })}
          />
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
      {isPressed(requirement) || !needsDecision(requirement) || call.asked?.event !== undefined
        ? null
        : <Rejection choice={choice} change={change} />}
    </section>
  )
}

interface ContinueProps {
  readonly children: string
  readonly isSending: boolean | undefined
  /** Something is not decided or entered. */
  readonly missing: boolean
  /** Another button decides without it. */
  readonly isOptional: boolean
}

export const Continue = ({ children, isOptional, isSending = false, missing }: ContinueProps) => (
  <p class="actions">
    <button class="primary" disabled={isSending || missing}>{children}</button>
    {missing && !isOptional ? <span class="quiet">Decide everything above first</span> : null}
  </p>
)

interface Props {
  readonly requirements: ReadonlyArray<Requirement>
  readonly decide: (decisions: ContinueInput) => void
  /** A decision is on its way. */
  readonly isSending?: boolean | undefined
}

/** It has no decision yet, also none of an approval. A call that was cut off has the values of one before it. */
const isUndecided = (requirement: Requirement): boolean => {
  const { approval_status, confirmation, external_execution_result, tool_execution: call, user_input_schema } =
    requirement
  const decisions = [approval_status, confirmation, external_execution_result, user_input_schema]
  return decisions.every((decision) => decision === undefined) && call.result === null &&
    (isUnknown(requirement) || call.answered !== true)
}

/** What waits, and which of it waits for a person. */
export const waitingIn = (requirements: ReadonlyArray<Requirement>) => {
  const waiting = requirements.filter(isUndecided)
  return { waiting, open: waiting.filter(needsDecision) }
}

export const CallDecisions = ({ decide, isSending, requirements }: Props) => {
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>({})
  const { open, waiting } = waitingIn(requirements)
  const [only] = open
  const isOnly = open.length === 1 && only !== undefined && isPressed(only)
  const isWhole = isOnly && isConfirmation(only)
  const decisions = open.map((requirement) => decisionOf(requirement, choices[requirement.id] ?? {}))
  // what can have happened is repeated or skipped one by one
  const together = open.filter(isConfirmation)
  const all = (confirmed: boolean) =>
    setChoices({
      ...choices,
      ...Object.fromEntries(together.map(({ id }) => [id, { ...choices[id], confirmed }]))
    })
  return (
    <form
      class="decisions"
      onSubmit={(event) => {
        event.preventDefault()
        if (decisions.every((decision) => decision !== undefined)) decide({ requirements: decisions })
      }}
    >
      <h2>{open.length === 0 ? "The run waits" : "The run waits for you"}</h2>
      {waiting.map((requirement) => (
        <CallDecision
          key={requirement.id}
          requirement={requirement}
          choice={choices[requirement.id] ?? {}}
          change={(choice) => setChoices({ ...choices, [requirement.id]: choice })}
          decide={isOnly ? (decision) => decide({ requirements: [decision] }) : undefined}
          isSending={isSending}
        />
      ))}
      {together.length < 2 ? null : (
        <p class="actions">
          <button type="button" onClick={() => all(true)}>Approve all</button>
          <button type="button" onClick={() => all(false)}>Reject all</button>
        </p>
      )}
      {open.length === 0 || isWhole ?
        null :
        (
          <Continue
            isSending={isSending}
            isOptional={isOnly}
            missing={decisions.some((decision) => decision === undefined)}
          >
            Continue the run
          </Continue>
        )}
    </form>
  )
}
