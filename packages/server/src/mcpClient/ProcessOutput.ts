// What a process of an MCP server writes to its standard error, as lines for the log.
import type { Stream } from "node:stream"
import { printable } from "./printable.ts"

/** Of one process. Further lines are left out. */
const maxLines = 100

/** Characters of a line. */
const maxLineLength = 500

/** Everything is read, because a process waits while its output is not read. */
export const watch = (output: Stream, onLine: (line: string) => void): void => {
  const decoder = new TextDecoder()
  let [rest, count] = ["", 0]
  const line = (text: string) => {
    const shown = printable(text.slice(0, maxLineLength)).trim()
    if (shown === "" || count > maxLines) return
    count++
    onLine(count > maxLines ? "Further lines are left out" : shown)
  }
  output.on("data", (part: Uint8Array) => {
    if (count > maxLines) return
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n")
    rest = (lines.pop() ?? "").slice(0, maxLineLength)
    lines.forEach(line)
  })
  output.on("end", () => line(rest))
}
