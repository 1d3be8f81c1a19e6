// Lines of the terminal, with node's editing of a line. The terminal is in raw mode only while a line is typed, so that
// Ctrl-C interrupts the command at any other time. What was typed ahead answers the next prompt.
import { Effect, Layer } from "effect"
import process from "node:process"
import * as readline from "node:readline"
import { Writable } from "node:stream"
import { Aborted } from "../CliError.ts"
import { Lines } from "./Lines.ts"

/** Input beyond the line that was read. */
interface TypedAhead {
  readonly lines: Array<string>
  text: string
}

/** Standard error, or nothing for a hidden line. readline needs the width to place the cursor. */
const echo = (isHidden: () => boolean) =>
  Object.assign(
    new Writable({
      write: (chunk, _, done) => {
        if (!isHidden()) process.stderr.write(chunk)
        done()
      }
    }),
    { columns: process.stderr.columns ?? process.stdout.columns ?? 80 }
  )

const readLine = (prompt: string, isHidden: boolean, ahead: TypedAhead) =>
  Effect.callback<string, Aborted>((resume) => {
    const { stdin } = process
    let isShown = true
    const reader = readline.createInterface({
      input: stdin,
      output: echo(() => !isShown),
      terminal: true,
      historySize: 0,
      escapeCodeTimeout: 50
    })
    const lines: Array<string> = []
    const end = () => {
      stdin.off("keypress", onKey)
      reader.close()
    }
    const abort = () => {
      if (lines.length > 0) return
      end()
      process.stderr.write("\n")
      resume(Effect.fail(new Aborted()))
    }
    const onKey = (_: unknown, key: readline.Key) => {
      if (key.name === "escape") abort()
    }
    reader.on("line", (line) => {
      lines.push(line)
      if (lines.length > 1) return
      isShown = false
      // the rest of what arrived with this line is read first
      process.nextTick(() => {
        ahead.lines.push(...lines.slice(1))
        ahead.text = reader.line
        end()
        if (isHidden) process.stderr.write("\n")
        resume(Effect.succeed(line))
      })
    })
    reader.once("SIGINT", abort)
    reader.once("close", abort)
    stdin.on("keypress", onKey)
    reader.setPrompt(prompt)
    reader.prompt()
    isShown = !isHidden
    if (ahead.text !== "") reader.write(ahead.text)
    ahead.text = ""
    return Effect.sync(end)
  })

/** Keeps a key in `ahead`. An empty line is not kept: it would end a conversation. */
const keep = (ahead: TypedAhead, text: string | undefined, { ctrl = false, meta = false, name }: readline.Key) => {
  if (name === "return" || name === "enter") {
    if (ahead.text.trim() !== "") ahead.lines.push(ahead.text)
    ahead.text = ""
  } else if (name === "backspace") ahead.text = Array.from(ahead.text).slice(0, -1).join("")
  else if (text !== undefined && !ctrl && !meta && !/\p{Cc}/u.test(text)) ahead.text += text
}

const stopKey = (ahead: TypedAhead) =>
  Effect.callback<void>((resume) => {
    const { stdin } = process
    readline.emitKeypressEvents(stdin)
    const end = () => {
      stdin.off("keypress", onKey)
      stdin.setRawMode(false)
      stdin.pause()
    }
    const onKey = (text: string | undefined, key: readline.Key) => {
      if (key.name !== "escape" && !(key.ctrl === true && key.name === "c")) return keep(ahead, text, key)
      end()
      resume(Effect.void)
    }
    stdin.setRawMode(true)
    stdin.on("keypress", onKey)
    stdin.resume()
    return Effect.sync(end)
  })

export const layer = Layer.sync(Lines, () => {
  const ahead: TypedAhead = { lines: [], text: "" }
  const duringAnswers: TypedAhead = { lines: [], text: "" }
  return Lines.of({
    stopKey: stopKey(duringAnswers),
    read: (prompt, { isHidden = false, isMessage = false } = {}) =>
      Effect.suspend(() => {
        if (isMessage) {
          ahead.lines.push(...duringAnswers.lines.splice(0))
          ahead.text += duringAnswers.text
          duringAnswers.text = ""
        }
        const line = ahead.lines.shift()
        if (line === undefined) return readLine(prompt, isHidden, ahead)
        process.stderr.write(`${prompt}${isHidden ? "" : line}\n`)
        return Effect.succeed(line)
      })
  })
})
