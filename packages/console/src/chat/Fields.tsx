// What a person fills for a paused call or step: the choice between approving and rejecting, and fields.
import type { RequestedField, StepInputField } from "@svc-runtime/client"
import { Check, X } from "lucide"
import { Icon } from "../parts/Icon.tsx"
import { TextField } from "../parts/TextField.tsx"

interface VerdictProps {
  /** What was chosen. Undefined: nothing yet, or the choice counts at once. */
  readonly confirmed?: boolean | undefined
  /** Why nothing can be approved now, such as arguments that are no JSON. */
  readonly cannotApprove?: boolean
  readonly isSending?: boolean | undefined
  /** How many calls it is for, if several. */
  readonly all?: number
  /** Of the buttons. */
  readonly names?: readonly [approve: string, reject: string]
  readonly change: (confirmed: boolean) => void
}

const verdicts = ["Approve", "Reject"] as const

/** Two buttons. */
export const Verdict = ({ all, cannotApprove = false, change, confirmed, isSending = false, names }: VerdictProps) => {
  const [approve, reject] = names ?? (all === undefined ? verdicts : verdicts.map((name) => `${name} all ${all}`))
  const pressed = (each: boolean) => confirmed === undefined ? {} : { "aria-pressed": confirmed === each }
  return (
    <p class="verdict" role="group" aria-label="Decision">
      <button
        type="button"
        class="approve"
        disabled={isSending || cannotApprove}
        {...pressed(true)}
        onClick={() => change(true)}
      >
        <Icon of={Check} /> {approve}
      </button>
      <button type="button" class="reject" disabled={isSending} {...pressed(false)} onClick={() => change(false)}>
        <Icon of={X} /> {reject}
      </button>
    </p>
  )
}

export interface Field extends RequestedField, Pick<StepInputField, "name" | "value"> {
  readonly description?: string | null | undefined
}

export const isField = (value: unknown): value is Field =>
  typeof value === "object" && value !== null && "name" in value

interface Props {
  readonly fields: ReadonlyArray<Field>
  readonly values: Readonly<Record<string, string>>
  readonly change: (name: string, text: string) => void
}

export const Fields = ({ change, fields, values }: Props) => (
  <>
    {fields.map((field) => {
      const choices = field.field_type === "bool" ? ["true", "false"] : field.allowed_values?.map(String)
      const text = values[field.name] ?? ""
      return (
        <label key={field.name}>
          {field.description ?? field.name}
          {choices === undefined
            ? (
              <TextField
                isNumber={field.field_type === "int" || field.field_type === "float"}
                value={text}
                change={(text) => change(field.name, text)}
              />
            )
            : (
              <select value={text} onChange={(event) => change(field.name, event.currentTarget.value)}>
                <option value="" />
                {choices.map((choice) => <option key={choice} value={choice}>{choice}</option>)}
              </select>
            )}
        </label>
      )
    })}
  </>
)
