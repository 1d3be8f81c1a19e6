// Fields that a person fills for a paused call or step.
import type { StepInputField } from "@svc/client"
import { TextField } from "../parts/TextField.tsx"

export interface Field extends Pick<StepInputField, "name" | "field_type" | "allowed_values" | "value"> {
  readonly description?: string | null | undefined
  readonly required?: boolean | undefined
}

export const isField = (value: unknown): value is Field =>
  typeof value === "object" && value !== null && "name" in value

/** What the text of a field means. Undefined: nothing that the field accepts. */
export const valueOf = (
  { field_type: type }: Pick<Field, "field_type">,
  text: string
): string | number | boolean | undefined => {
  if (type === "bool") return text === "true" ? true : text === "false" ? false : undefined
  if (type !== "int" && type !== "float") return text
  const number = Number(text)
  return text.trim() !== "" && Number.isFinite(number) && (type === "float" || Number.isSafeInteger(number))
    ? number
    : undefined
}

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
