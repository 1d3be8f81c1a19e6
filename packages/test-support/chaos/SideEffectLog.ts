// A server with side effects, like a payment provider: it records each call with its key and its time.
import { Effect } from "effect"
import * as Http from "node:http"
import { listening } from "./listening.ts"

export type ToolName = "look" | "reserve" | "pay"

interface Call {
  readonly tool: ToolName
  /** The outermost run that it is made in. */
  readonly run: string
  /** The idempotency key that came with it. */
  readonly key: string
  /** The result of the call. The answer of the run contains it. */
  readonly receipt: string
  readonly at: number
}

export interface Ledger {
  readonly url: string
  readonly calls: ReadonlyArray<Call>
  /** The calls of a run, in the order in which they came. */
  readonly of: (run: string) => ReadonlyArray<Call>
}

/** All that a text says was done, once each. */
export const receiptsIn = (text: string): ReadonlyArray<string> => [
  ...new Set(text.match(/\b(?:look|reserve|pay)#\d+/g) ?? [])
]

/** Each call takes so many milliseconds after it was recorded. */
export const slow = Effect.fnUntraced(function*(millis: number) {
  const calls: Array<Call> = []
  const server = Http.createServer((request, response) => {
    const key = String(request.headers["idempotency-key"])
    const tool = /\/effects\/(\w+)$/.exec(request.url ?? "")?.[1] as ToolName
    let run = ""
    request.setEncoding("utf8").on("data", (piece: string) => (run += piece)).on("end", () => {
      const known = tool === "reserve" ? calls.find((call) => call.key === key && call.tool === tool) : undefined
      const receipt = known?.receipt ?? `${tool}#${calls.length + 1}`
      calls.push({ tool, run, key, receipt, at: Date.now() })
      response.writeHead(200, { "content-type": "text/plain" })
      // the work is done before the caller can know of it
      response.flushHeaders()
      setTimeout(() => response.end(receipt), millis)
    })
  })
  const ledger: Ledger = {
    url: yield* listening(server),
    calls,
    of: (outer) => calls.filter(({ run }) => run === outer)
  }
  return ledger
})

export const make = slow(0)
