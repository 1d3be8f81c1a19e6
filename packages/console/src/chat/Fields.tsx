// Fields that a person fills for a paused call or step.
import type { RequestedField, StepInputField } from "@svc-runtime/client"
import { TextField } from "../parts/TextField.tsx"

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
