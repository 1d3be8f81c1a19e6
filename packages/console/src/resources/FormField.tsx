// A field of a form. Its value is a text; `isValid` says whether it can be sent.
import { jsonObject } from "../parts/parsed.ts"
import { TextField } from "../parts/TextField.tsx"

export interface FieldOptions {
  readonly name: string
  readonly title: string
  /** `json`: an object. `several`: some of the choices, separated by commas. */
  readonly kind?: "text" | "lines" | "number" | "json" | "several"
  readonly choices?: ReadonlyArray<readonly [value: string, title: string]>
  readonly hint?: string
  readonly isRequired?: boolean
  /** It is rarely changed, and is shown when the form's further settings are opened. */
  readonly isFurther?: boolean
}

export const isValid = ({ isRequired = false, kind }: FieldOptions, text: string): boolean =>
  text.trim() === ""
    ? !isRequired
    : kind === "number"
    ? Number.isFinite(Number(text))
    : kind !== "json" || jsonObject(text) !== undefined

interface Props {
  readonly field: FieldOptions
  readonly value: string
  readonly change: (text: string) => void
}

/** The choices that a value of the kind `several` has. */
export const chosenOf = (value: string): ReadonlyArray<string> => value.split(",").filter((each) => each !== "")

const Several = ({ change, field: { choices = [], isRequired = false, title }, value }: Props) => {
  const chosen = chosenOf(value)
  return (
    <fieldset class="wide several">
      <legend>{title}{isRequired ? " (required)" : ""}</legend>
      {choices.map(([choice, title]) => (
        <label key={choice} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onChange={({ currentTarget: { checked } }) =>
              change(
                choices.map(([each]) => each).filter((each) => each === choice ? checked : chosen.includes(each)).join(
                  ","
                )
              )}
          />
          {title}
        </label>
      ))}
    </fieldset>
  )
}

const Text = ({ field: { kind = "text" }, ...rest }: Props & { readonly isWrong: boolean }) => {
  if (kind === "text" || kind === "number") return <TextField isNumber={kind === "number"} {...rest} />
  return (
    <textarea
      rows={kind === "json" ? 12 : 3}
      class={kind === "json" ? "code" : undefined}
      value={rest.value}
      aria-invalid={rest.isWrong}
      spellcheck={kind !== "json"}
      onInput={(event) => rest.change(event.currentTarget.value)}
    />
  )
}

export const FormField = (shown: Props) => {
  const { change, field, value } = shown
  if (field.kind === "several") return <Several {...shown} />
  const { choices, hint, isRequired = false, kind = "text", title } = field
  const isWrong = value !== "" && !isValid(field, value)
  return (
    <label class={kind === "lines" || kind === "json" ? "wide" : undefined}>
      {title}
      {isRequired ? " (required)" : ""}
      {choices !== undefined
        ? (
          <select value={value} onChange={(event) => change(event.currentTarget.value)}>
            {choices.map(([value, title]) => <option key={value} value={value}>{title}</option>)}
          </select>
        )
        : <Text field={field} value={value} isWrong={isWrong} change={change} />}
      {hint === undefined ? null : <span class="quiet">{hint}</span>}
    </label>
  )
}
