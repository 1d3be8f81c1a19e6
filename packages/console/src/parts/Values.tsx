// A JSON object of texts, numbers and yes or no as a list of names and values. Everything else is shown as JSON. A
// longer text has its lines.
import { Json } from "./Json.tsx"

const maxText = 300

const isLong = (value: unknown): boolean => typeof value === "string" && value.length > maxText

const isPlain = (value: unknown): boolean => value === null || ["string", "number", "boolean"].includes(typeof value)

const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> | undefined => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined
  const entries = Object.entries(value)
  return entries.length > 0 && entries.length <= 20 && entries.every(([, each]) => isPlain(each)) ? entries : undefined
}

/** One line for a closed fold: `order: 17, state: shipped`. */
export const summaryOf = (value: unknown): string =>
  (entriesOf(value) ?? []).map(([name, each]) => `${name}: ${isLong(each) ? "…" : String(each)}`).join(", ")

export const Values = ({ value }: { readonly value: unknown }) => {
  const entries = entriesOf(value)
  return entries === undefined ? <Json value={value} /> : (
    <dl class="facts values">
      {entries.map(([name, each]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{isLong(each) ? <Json value={each} /> : String(each)}</dd>
        </div>
      ))}
    </dl>
  )
}
