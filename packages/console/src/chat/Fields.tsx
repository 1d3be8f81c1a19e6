// What a person fills for a paused call or step: the choice between approving and rejecting, and fields.
import type { RequestedField, StepInputField } from "@svc-runtime/client"
import { TextField } from "../parts/TextField.tsx"

interface VerdictProps {
  /** Of the group of the two. */
  readonly name: string
  readonly confirmed: boolean | undefined
  readonly change: (confirmed: boolean) => void
}

export const Verdict = ({ change, confirmed, name }: VerdictProps) => (
  <fieldset>
    <legend class="hidden">Decision</legend>
    {[true, false].map((each) => (
      <label class="check" key={String(each)}>
        <input type="radio" name={name} checked={confirmed === each} onChange={() => change(each)} />
        {each ? "Approve" : "Reject"}
      </label>
    ))}
  </fieldset>
)

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
