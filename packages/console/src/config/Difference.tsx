// What changes from one config to another: the instructions line by line, with the words that differ, and the settings
// as a table.
import { useMemo } from "preact/hooks"
import { type Change, changesOf, type Config, instructionsOf, isObject, modelTitleOf, titleOfField } from "./config.ts"
import { differences, type Gap, type Line, nearChanges } from "./lines.ts"

/** Words, and what is between them. */
const wordsOf = (text: string): ReadonlyArray<string> => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []

interface Shown {
  readonly kind: "same" | "removed" | "added" | "gap"
  readonly parts: ReadonlyArray<Line>
  readonly lines: number
}

const whole = (line: Line | Gap): Shown =>
  line.kind === "gap"
    ? { kind: "gap", parts: [], lines: line.lines }
    : { kind: line.kind, parts: [{ kind: "same", text: line.text }], lines: 1 }

/** At least this share of a line is the same, or it is another line. */
const alike = 0.35

/** The words of a line that was changed. Undefined: it is another line. */
const changedWords = (before: string, after: string): ReadonlyArray<Line> | undefined => {
  const words = differences(wordsOf(before), wordsOf(after))
  const same = words.reduce((sum, { kind, text }) => kind === "same" ? sum + text.trim().length : sum, 0)
  return same >= alike * Math.max(before.length, after.length) ? words : undefined
}

/** Each removed line beside the added one that takes its place. */
const inLines = (lines: ReadonlyArray<Line | Gap>): ReadonlyArray<Shown> => {
  const shown: Array<Shown> = []
  for (let at = 0; at < lines.length;) {
    const line = lines[at]
    if (line?.kind !== "removed" && line?.kind !== "added") {
      if (line !== undefined) shown.push(whole(line))
      at++
      continue
    }
    const block: Array<Line> = []
    for (let next = lines[at]; next?.kind === "removed" || next?.kind === "added"; next = lines[++at]) block.push(next)
    const removed = block.filter(({ kind }) => kind === "removed")
    const added = block.filter(({ kind }) => kind === "added")
    const pairs = removed.map(({ text }, index) =>
      added[index] === undefined ? undefined : changedWords(text, added[index].text)
    )
    const side = (kind: "removed" | "added", other: "removed" | "added") => (line: Line, index: number): Shown => ({
      kind,
      parts: pairs[index]?.filter((word) => word.kind !== other) ?? [{ kind: "same", text: line.text }],
      lines: 1
    })
    shown.push(...removed.map(side("removed", "added")), ...added.map(side("added", "removed")))
  }
  return shown
}

const Text = ({ line: { kind, lines, parts } }: { readonly line: Shown }) => {
  if (kind === "gap") return <span class="quiet">{`… ${lines} equal ${lines === 1 ? "line" : "lines"}\n`}</span>
  const words = parts.map(({ kind, text }, index) => kind === "same" ? text : <mark key={index}>{text}</mark>)
  return kind === "removed"
    ? <del>- {words}{"\n"}</del>
    : kind === "added"
    ? <ins>+ {words}{"\n"}</ins>
    : <span>{"  "}{words}{"\n"}</span>
}

const Instructions = (
  { after, before, title }: { readonly before: string; readonly after: string; readonly title: string }
) => {
  const lines = useMemo(() => inLines(nearChanges(differences(before.split("\n"), after.split("\n")))), [before, after])
  return (
    <pre class="difference" aria-label={title} role="region" tabIndex={0} dir="auto">
      {lines.map((line, index) => <Text key={index} line={line} />)}
    </pre>
  )
}

const valueOf = ({ name }: Change, value: Change["before"]): string | undefined => {
  if (value === undefined || value === null) return undefined
  if (name === "model" || name === "reasoning_model") return modelTitleOf(value)
  if (typeof value === "boolean") return value ? "yes" : "no"
  if (Array.isArray(value) && value.every((each) => !isObject(each))) return value.join(", ")
  return typeof value === "object" ? JSON.stringify(value, null, 2) : String(value)
}

const Settings = ({ changes }: { readonly changes: ReadonlyArray<Change> }) => (
  <table class="entries changes" aria-label="Changed settings">
    <thead>
      <tr>
        <th scope="col">Setting</th>
        <th scope="col">Before</th>
        <th scope="col">After</th>
      </tr>
    </thead>
    <tbody>
      {changes.map((change) => (
        <tr key={change.name}>
          <td data-title="Setting">
            <div>{titleOfField(change.name)}</div>
          </td>
          <td data-title="Before">
            <div>{valueOf(change, change.before) ?? <span class="quiet">default</span>}</div>
          </td>
          <td data-title="After">
            <div>{valueOf(change, change.after) ?? <span class="quiet">default</span>}</div>
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

interface Props {
  readonly title: string
  readonly before: Config
  readonly after: Config
}

export const Difference = ({ after, before, title }: Props) => {
  const [one, other] = [instructionsOf(before), instructionsOf(after)]
  const changes = changesOf(before, after)
  if (one === other && changes.length === 0) return <p class="quiet">Their settings are equal.</p>
  return (
    <>
      {one === other ? null : <Instructions title={title} before={one} after={other} />}
      {changes.length === 0 ? null : <Settings changes={changes} />}
    </>
  )
}
