// What a run did, and when: a bar for each step, model call, tool call and member.
import { useState } from "preact/hooks"
import { Json } from "../parts/Json.tsx"
import { parsed } from "../parts/parsed.ts"
import { duration } from "../parts/Time.tsx"
import type { Row, Timeline } from "./Spans.ts"

/** What went in or out is JSON, or a plain text. */
const valueOf = (text: string): unknown => parsed(text) ?? text

const Details = ({ row: { node } }: { readonly row: Row }) => (
  <div class="details">
    {node.error === undefined ? null : <p class="problem">{node.error}</p>}
    {node.input === undefined ? null : (
      <section>
        <p class="label">Input</p>
        <Json value={valueOf(node.input)} />
      </section>
    )}
    {node.output === undefined ? null : (
      <section>
        <p class="label">Output</p>
        <Json value={valueOf(node.output)} />
      </section>
    )}
    {node.metadata === undefined ? null : (
      <dl>
        {Object.entries(node.metadata).filter(([name]) => name !== "parameters").map(([name, value]) => (
          <div key={name}>
            <dt>{name.replaceAll("_", " ")}</dt>
            <dd>{String(value)}</dd>
          </div>
        ))}
      </dl>
    )}
  </div>
)

const share = (part: number, whole: number): string => `${whole <= 0 ? 0 : (100 * part / whole).toFixed(3)}%`

export const Waterfall = ({ timeline: { gaps, length, rows } }: { readonly timeline: Timeline }) => {
  const [open, setOpen] = useState<string | undefined>(undefined)
  const gapBefore = (row: Row, index: number) =>
    row.depth === 0 && index > 0 ? gaps.find(({ attempt }) => attempt === row.attempt) : undefined
  return (
    <ol class="waterfall">
      {rows.map((row, index) => {
        const gap = gapBefore(row, index)
        return (
          <li key={row.id}>
            {gap === undefined ? null : (
              <p class="quiet">
                Waited {duration(gap.length)}, then resumed: attempt {row.attempt}
              </p>
            )}
            <button
              type="button"
              class={`row ${row.node.type.toLowerCase()} ${row.node.status === "ERROR" ? "failed" : ""}`}
              aria-expanded={open === row.id}
              onClick={() => setOpen(open === row.id ? undefined : row.id)}
            >
              <span class="name" style={{ paddingLeft: `${row.depth}rem` }}>{row.node.name}</span>
              <span class="track">
                <span class="bar" style={{ left: share(row.start, length), width: share(row.length, length) }} />
              </span>
              <span class="took">{duration(row.length)}</span>
            </button>
            {open === row.id ? <Details row={row} /> : null}
          </li>
        )
      })}
    </ol>
  )
}
