// What a run did, and when: a bar for each step, model call, tool call and member.
import { useRef, useState } from "preact/hooks"
import { Folded } from "../parts/Json.tsx"
import { parsed } from "../parts/parsed.ts"
import { duration } from "../parts/Time.tsx"
import { Values } from "../parts/Values.tsx"
import { kinds as componentKinds } from "../service/components.ts"
import { messagesOf, SpanMessages } from "./SpanMessages.tsx"
import { failuresOf, labelOf, type Row, slowestOf, type Timeline, timesOf } from "./Spans.ts"

/** What went in or out: messages of a model, other JSON, or a plain text. */
const Content = ({ text }: { readonly text: string }) => {
  const value = parsed(text) ?? text
  const messages = messagesOf(value)
  return messages === undefined ? <Values value={value} /> : (
    <>
      <SpanMessages messages={messages} />
      <Folded title="Raw" value={value} />
    </>
  )
}

const Details = ({ row: { node } }: { readonly row: Row }) => (
  <div class="details">
    {node.error === undefined ? null : <p class="problem">{node.error}</p>}
    {node.input === undefined ? null : (
      <section>
        <p class="label">Input</p>
        <Content text={node.input} />
      </section>
    )}
    {node.output === undefined ? null : (
      <section>
        <p class="label">Output</p>
        <Content text={node.output} />
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

const kinds = [
  ["agent", "agent, team, workflow or step"],
  ["llm", "model call"],
  ["tool", "tool call"],
  ["retriever", "search"],
  ["failed", "failed"]
] as const

const classOf = ({ node: { status, type } }: Row) => `${type.toLowerCase()} ${status === "ERROR" ? "failed" : ""}`

/** The colours of the bars that are there. */
const Legend = ({ rows }: { readonly rows: ReadonlyArray<Row> }) => {
  const shown = new Set(rows.flatMap((row) => classOf(row).split(" ")))
  const isShown = (kind: string) => kind === "agent" ? componentKinds.some((each) => shown.has(each)) : shown.has(kind)
  return (
    <p class="legend quiet">
      {kinds.filter(([kind]) => isShown(kind)).map(([kind, title]) => (
        <span key={kind}>
          <span class={`mark ${kind}`} aria-hidden="true" />
          {title}
        </span>
      ))}
    </p>
  )
}

export const Label = ({ node }: { readonly node: Parameters<typeof labelOf>[0] }) => {
  const { kind, title } = labelOf(node)
  return (
    <>
      {title} <span class="quiet">{kind}</span>
    </>
  )
}

/** `1,200 → 85 tokens` of a model call. */
const tokensOf = ({ node: { metadata } }: Row): string | undefined => {
  const [read, written] = [metadata?.["input_tokens"], metadata?.["output_tokens"]]
  return typeof read === "number" && typeof written === "number" && read + written > 0
    ? `${read.toLocaleString()} → ${written.toLocaleString()} tokens`
    : undefined
}

/** Why the run took so long, and what failed, in a few sentences. */
const Summary = ({ open, timeline }: { readonly timeline: Timeline; readonly open: (row: Row) => void }) => {
  const [first] = failuresOf(timeline)
  const times = timesOf(timeline).filter(({ millis }) => millis >= timeline.length / 100)
  const waited = timeline.gaps.reduce((sum, { length }) => sum + length, 0)
  return (
    <>
      {first === undefined ? null : (
        <p class="run-summary problem">
          <button type="button" onClick={() => open(first)}>
            <Label node={first.node} /> failed
          </button>{" "}
          {first.node.error}
        </p>
      )}
      {times.length === 0 ? null : (
        <p class="run-summary">
          {times.map(({ count, kind, millis }) =>
            `${count.toLocaleString()} ${kind} ${count === 1 ? "call" : "calls"} took ${duration(millis)}`
          ).join(", ")} of {duration(timeline.length)}
          {waited === 0 ? "" : `, of which the run waited ${duration(waited)}`}.
        </p>
      )}
    </>
  )
}

const Slowest = ({ open, timeline }: { readonly timeline: Timeline; readonly open: (row: Row) => void }) => {
  const slowest = slowestOf(timeline, 3)
  return slowest.length === 0 ? null : (
    <p class="slowest">
      The slowest:
      {slowest.map((row) => (
        <button key={row.id} type="button" onClick={() => open(row)}>
          <Label node={row.node} /> {duration(row.length)}
        </button>
      ))}
    </p>
  )
}

export const Waterfall = ({ timeline }: { readonly timeline: Timeline }) => {
  const { gaps, length, omitted, rows } = timeline
  const [open, setOpen] = useState<string | undefined>(undefined)
  const gapBefore = (row: Row, index: number) =>
    row.depth === 0 && index > 0 ? gaps.find(({ attempt }) => attempt === row.attempt) : undefined
  const list = useRef<HTMLOListElement>(null)
  const reveal = (row: Row) => {
    setOpen(row.id)
    const place = rows.indexOf(row)
    const button = list.current?.children[place]?.querySelector("button")
    button?.scrollIntoView({ block: "center" })
    button?.focus()
  }
  return (
    <>
      <Summary timeline={timeline} open={reveal} />
      <Slowest timeline={timeline} open={reveal} />
      <Legend rows={rows} />
      <ol class="waterfall" ref={list}>
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
                class={`row ${classOf(row)}`}
                aria-expanded={open === row.id}
                onClick={() => setOpen(open === row.id ? undefined : row.id)}
              >
                <span class="name" style={{ paddingLeft: `${row.depth}rem` }}>
                  <Label node={row.node} /> <span class="quiet">{tokensOf(row)}</span>
                </span>
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
      {omitted === 0 ? null : (
        <p class="quiet">
          The first {rows.length.toLocaleString()} of {(rows.length + omitted).toLocaleString()} rows are shown
        </p>
      )}
    </>
  )
}
