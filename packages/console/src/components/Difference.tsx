// What changes from one config to another.
import { useMemo } from "preact/hooks"
import { differences, linesOf, nearChanges } from "./lines.ts"

interface Props {
  readonly title: string
  readonly before: unknown
  readonly after: unknown
}

export const Difference = ({ after, before, title }: Props) => {
  const lines = useMemo(() => differences(linesOf(before), linesOf(after)), [before, after])
  if (lines.every(({ kind }) => kind === "same")) return <p class="quiet">The configs are equal.</p>
  return (
    <pre class="difference" aria-label={title} role="region" tabIndex={0}>
      {nearChanges(lines).map((line, index) =>
        line.kind === "gap"
          ? <span key={index} class="quiet">{`… ${line.lines} equal ${line.lines === 1 ? "line" : "lines"}\n`}</span>
          : line.kind === "removed"
          ? <del key={index}>{`- ${line.text}\n`}</del>
          : line.kind === "added"
          ? <ins key={index}>{`+ ${line.text}\n`}</ins>
          : <span key={index}>{`  ${line.text}\n`}</span>
      )}
    </pre>
  )
}
