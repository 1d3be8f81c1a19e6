// What a process of an MCP server writes to its standard error, as lines for the log.
import type { Stream } from "node:stream"
import { printable } from "./printable.ts"

/** Of one process. Further lines are left out. */
const mostLines = 100

/** Characters of a line. */
const longestLine = 500

/** Everything is read, because a process waits while its output is not read. */
export const watch = (output: Stream, onLine: (line: string) => void): void => {
  const decoder = new TextDecoder()
  let [rest, count] = ["", 0]
  const line = (text: string) => {
    const shown = printable(text.slice(0, longestLine)).trim()
    if (shown === "" || count > mostLines) return
    count++
    onLine(count > mostLines ? "Further lines are left out" : shown)
  }
  output.on("data", (part: Uint8Array) => {
    if (count > mostLines) return
    const lines = (rest + decoder.decode(part, { stream: true })).split("\n")
    rest = (lines.pop() ?? "").slice(0, longestLine)
    lines.forEach(line)
  })
  output.on("end", () => line(rest))
}
