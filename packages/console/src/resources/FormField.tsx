// A field of a form. Its value is a text; `isValid` says whether it can be sent.
import { TextField } from "../parts/TextField.tsx"

export interface FieldOptions {
  readonly name: string
  readonly title: string
  readonly kind?: "text" | "lines" | "number" | "object"
  readonly choices?: ReadonlyArray<readonly [value: string, title: string]>
  readonly hint?: string
  readonly isRequired?: boolean
}

/** The object that a text of JSON is. Undefined: it is none. */
export const objectOf = (text: string): { [key: string]: never } | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as { [key: string]: never }
      : undefined
  } catch {
    return undefined
  }
}

export const isValid = ({ isRequired = false, kind }: FieldOptions, text: string): boolean =>
  text.trim() === ""
    ? !isRequired
    : kind === "number"
    ? Number.isFinite(Number(text))
    : kind !== "object" || objectOf(text) !== undefined

interface Shown {
  readonly field: FieldOptions
  readonly value: string
  readonly change: (text: string) => void
}

export const FormField = ({ change, field, value }: Shown) => {
  const { choices, hint, isRequired = false, kind = "text", title } = field
  const isWrong = value !== "" && !isValid(field, value)
  return (
    <label class={kind === "lines" || kind === "object" ? "wide" : undefined}>
      {title}
      {isRequired ? " (required)" : ""}
      {choices !== undefined
        ? (
          <select value={value} onChange={(event) => change(event.currentTarget.value)}>
            {choices.map(([value, title]) => <option key={value} value={value}>{title}</option>)}
          </select>
        )
        : kind === "lines" || kind === "object"
        ? (
          <textarea
            rows={kind === "object" ? 6 : 3}
            value={value}
            aria-invalid={isWrong}
            spellcheck={kind === "lines"}
            onInput={(event) => change(event.currentTarget.value)}
          />
        )
        : <TextField isNumber={kind === "number"} value={value} isWrong={isWrong} change={change} />}
      {hint === undefined ? null : <span class="quiet">{hint}</span>}
    </label>
  )
}
