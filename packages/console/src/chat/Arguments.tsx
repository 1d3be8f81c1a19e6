// The arguments of a call, which a person can change before it is approved. Texts, numbers and yes or no are fields;
// everything else is JSON.
import { parsed } from "../parts/parsed.ts"

type Plain = string | number | boolean

/** What the person has changed. */
export interface Changed {
  /** By the names of the arguments, as it was typed. */
  readonly fields?: Readonly<Record<string, string | boolean>>
  /** Of arguments that are JSON. */
  readonly json?: string
}

const isPlain = (value: unknown): value is Plain =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean"

/** Undefined: they are JSON. */
const plainOf = (given: unknown): ReadonlyArray<readonly [name: string, value: Plain]> | undefined => {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined
  const entries = Object.entries(given)
  return entries.length > 0 && entries.every((entry): entry is [string, Plain] => isPlain(entry[1]))
    ? entries
    : undefined
}

/** Undefined: it is no number. */
const numberOf = (text: string): number | undefined => {
  const value = Number(text)
  return text.trim() === "" || !Number.isFinite(value) ? undefined : value
}

const valueOf = (before: Plain, typed: string | boolean | undefined): Plain | undefined =>
  typed === undefined ? before : typeof before === "number" ? numberOf(String(typed)) : typed

/** The arguments as they would be sent. Undefined: something that was typed does not fit. */
export const changedArguments = (given: unknown, { fields, json }: Changed): unknown => {
  if (json !== undefined) return parsed(json)
  const plain = fields === undefined ? undefined : plainOf(given)
  if (plain === undefined) return given
  const values = plain.map(([name, before]) => [name, valueOf(before, fields?.[name])] as const)
  return values.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(values)
}

interface Props {
  readonly given: unknown
  readonly changed: Changed
  readonly change: (changed: Changed) => void
}

const JsonField = ({ change, changed: { json }, given }: Props) => {
  const isWrong = json !== undefined && parsed(json) === undefined
  return (
    <>
      <textarea
        aria-label="Arguments as JSON"
        aria-invalid={isWrong}
        class="code"
        spellcheck={false}
        rows={6}
        value={json ?? JSON.stringify(given, null, 2)}
        onInput={(event) => change({ json: event.currentTarget.value })}
      />
      {isWrong ? <p class="problem">This is no JSON</p> : null}
    </>
  )
}

/** A longer text has a field with several lines. */
const maxLine = 80

interface FieldProps {
  readonly name: string
  readonly before: Plain
  readonly typed: string | boolean | undefined
  readonly set: (value: string | boolean) => void
}

const PlainField = ({ before, name, set, typed }: FieldProps) => {
  if (typeof before === "boolean") {
    return (
      <label class="check">
        <input
          type="checkbox"
          checked={(typed ?? before) === true}
          onChange={({ currentTarget: { checked } }) => set(checked)}
        />
        {name}
      </label>
    )
  }
  const text = String(typed ?? before)
  const isWrong = typeof before === "number" && numberOf(text) === undefined
  const isLong = typeof before === "string" && (before.length > maxLine || before.includes("\n"))
  return (
    <label class={isLong ? "wide" : undefined}>
      {name}
      {isLong
        ? (
          <textarea
            rows={Math.min(10, Math.max(3, text.split("\n").length))}
            value={text}
            onInput={(event) => set(event.currentTarget.value)}
          />
        )
        : (
          <input
            value={text}
            aria-invalid={isWrong}
            inputMode={typeof before === "number" ? "decimal" : undefined}
            onInput={(event) => set(event.currentTarget.value)}
          />
        )}
      {isWrong ? <span class="problem">This is no number</span> : null}
    </label>
  )
}

export const Arguments = (props: Props) => {
  const { change, changed: { fields }, given } = props
  const plain = plainOf(given)
  return plain === undefined ? <JsonField {...props} /> : (
    <div class="arguments">
      {plain.map(([name, before]) => (
        <PlainField
          key={name}
          name={name}
          before={before}
          typed={fields?.[name]}
          set={(value) => change({ fields: { ...fields, [name]: value } })}
        />
      ))}
    </div>
  )
}
