// What some servers of Chat Completions send differently, as clients take it: the arguments of a call as an object,
// where the format has a text, and chunks without choices, as for their usage.
import { Predicate } from "effect"

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

const changed = (line: Uint8Array): Uint8Array => {
  const text = decoder.decode(line)
  if (!marked.test(text) && (!isChunk(text) || withChoices.test(text))) return line
  const [start = ""] = prefix.exec(text) ?? []
  const json = rewritten(text.slice(start.length))
  return json === undefined ? line : encoder.encode(`${start}${json}${text.endsWith("\n") ? "\n" : ""}`)
}

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

const byLine = () => {
  let held: Array<Uint8Array> = []
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      let start = 0
      for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
        const rest = chunk.subarray(start, end + 1)
        controller.enqueue(changed(held.length === 0 ? rest : joined([...held, rest])))
        held = []
        start = end + 1
      }
      if (start < chunk.length) held.push(chunk.slice(start))
    },
    flush: (controller) => {
      if (held.length > 0) controller.enqueue(changed(joined(held)))
    }
  })
}

export const around = (fetch: typeof globalThis.fetch): typeof globalThis.fetch => (input, init) =>
  fetch(input, init).then((response) =>
    response.body === null || !response.ok ? response : new Response(response.body.pipeThrough(byLine()), response)
  )
