// A JSON value, for people. A large one is cut until the reader wants all of it.
import { useState } from "preact/hooks"

const maxLength = 20_000

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? ""

export const Json = ({ value }: { readonly value: unknown }) => {
  const [isWhole, setWhole] = useState(false)
  const text = textOf(value)
  const isCut = !isWhole && text.length > maxLength
  return (
    <div class="json">
      <pre tabIndex={0}>{isCut ? text.slice(0, maxLength) : text}</pre>
      {isCut
        ? <button type="button" onClick={() => setWhole(true)}>Show all {Math.round(text.length / 1024)} KB</button>
        : null}
    </div>
  )
}

/** A value that is shown when it is opened. */
export const Folded = ({ title, value }: { readonly title: string; readonly value: unknown }) => {
  const [isOpen, setOpen] = useState(false)
  if (value === undefined || value === null || value === "") return null
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen ? <Json value={value} /> : null}
    </details>
  )
}
