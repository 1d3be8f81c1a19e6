// What some servers of Chat Completions send differently, as clients take it: the arguments of a call as an object,
// where the format has a text, and chunks without choices, as for their usage.
import { Predicate } from "effect"
import * as InterceptedBody from "./InterceptedBody.ts"

type Bytes = InterceptedBody.Bytes

const marked = /"arguments"\s*:\s*[{[]/

const withChoices = /"choices"\s*:\s*\[|"error"/

const isChunk = (text: string): boolean => /^data:\s*\{/.test(text)

const prefix = /^data:\s*/

const lineFeed = 10

/** The JSON with texts as arguments. Undefined: it is no JSON. */
const rewritten = (json: string): string | undefined => {
  try {
    const read: unknown = JSON.parse(
      json,
      (key, value: unknown) =>
        key === "function" && Predicate.hasProperty(value, "arguments") && Predicate.isObjectOrArray(value.arguments)
          ? { ...value, arguments: JSON.stringify(value.arguments) }
          : value
    )
    const isIncomplete = Predicate.isObject(read) && !Predicate.hasProperty(read, "error") &&
      (!Predicate.hasProperty(read, "choices") || read.choices === null)
    return JSON.stringify(isIncomplete ? { ...read, choices: [] } : read)
  } catch {
    return undefined
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
const encoder = new TextEncoder()

const changed = (line: Bytes): Bytes => {
  const text = decoder.decode(line)
  if (!marked.test(text) && (!isChunk(text) || withChoices.test(text))) return line
  const [start = ""] = prefix.exec(text) ?? []
  const json = rewritten(text.slice(start.length))
  return json === undefined ? line : encoder.encode(`${start}${json}${text.endsWith("\n") ? "\n" : ""}`)
}

const joined = (parts: ReadonlyArray<Bytes>): Bytes => {
  const [first] = parts
  if (first !== undefined && parts.length === 1) return first
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Only whole lines are passed on. */
const byLine = (): InterceptedBody.Change => {
  let held: Array<Bytes> = []
  return {
    next: (chunk) => {
      const lines: Array<Bytes> = []
      let start = 0
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        lines.push(changed(joined([...held, chunk.subarray(start, end + 1)])))
        held = []
        start = end + 1
      }
      if (start < chunk.length) held.push(chunk.slice(start))
      return joined(lines)
    },
    end: () => changed(joined(held))
  }
}

export const around = (fetch: typeof globalThis.fetch): typeof globalThis.fetch => (input, init) =>
  fetch(input, init).then((response) => response.ok ? InterceptedBody.ofResponse(response, byLine()) : response)
