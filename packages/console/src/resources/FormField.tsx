// A field of a form. Its value is a text; `isValid` says whether it can be sent.
import { TextField } from "../parts/TextField.tsx"

export interface FieldOptions {
  readonly name: string
  readonly title: string
  readonly kind?: "text" | "lines" | "number"
  readonly choices?: ReadonlyArray<readonly [value: string, title: string]>
  readonly hint?: string
  readonly isRequired?: boolean
}

export const isValid = ({ isRequired = false, kind }: FieldOptions, text: string): boolean =>
  text.trim() === ""
    ? !isRequired
    : kind !== "number" || Number.isFinite(Number(text))

interface Shown {
  readonly field: FieldOptions
  readonly value: string
  readonly change: (text: string) => void
}

export const FormField = ({ change, field, value }: Shown) => {
  const { choices, hint, isRequired = false, kind = "text", title } = field
  const isWrong = value !== "" && !isValid(field, value)
  return (
    <label class={kind === "lines" ? "wide" : undefined}>
      {title}
      {isRequired ? " (required)" : ""}
      {choices !== undefined
        ? (
          <select value={value} onChange={(event) => change(event.currentTarget.value)}>
            {choices.map(([value, title]) => <option key={value} value={value}>{title}</option>)}
          </select>
        )
        : kind === "lines"
        ? (
          <textarea
            rows={3}
            value={value}
            aria-invalid={isWrong}
            spellcheck
            onInput={(event) => change(event.currentTarget.value)}
          />
        )
        : <TextField isNumber={kind === "number"} value={value} isWrong={isWrong} change={change} />}
      {hint === undefined ? null : <span class="quiet">{hint}</span>}
    </label>
  )
}
