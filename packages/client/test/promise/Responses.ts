// Prepared responses in place of a service: their bytes, the pieces in which they arrive, and where they break off.
import { Svc } from "@svc-runtime/client"

export interface Sent {
  readonly method: string
  readonly path: string
  readonly headers: Headers
  readonly form: () => Promise<FormData>
  readonly json: () => Promise<unknown>
}

type Respond = (sent: Sent, signal: AbortSignal | null) => Response | Promise<Response>

const client = (responses: ReadonlyArray<Respond>, options: { readonly retries?: number } = {}) => {
  const sent: Array<Sent> = []
  const svc = new Svc({
    ...options,
    baseUrl: "http://svc.example",
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const { pathname, search } = new URL(request.url)
      const each = {
        method: request.method,
        path: `${pathname}${search}`,
        headers: request.headers,
        form: () => request.formData(),
        json: () => request.json()
      }
      sent.push(each)
      return responses[Math.min(sent.length, responses.length) - 1]!(each, init?.signal ?? null)
    }
  })
  return { sent, svc }
}

/** A client whose requests get these responses, in order; all that follow get the last one. */
export const respondingWith = (...responses: ReadonlyArray<Respond>) => client(responses)

/** A client that repeats nothing. */
export const respondingOnce = (response: Respond) => client([response], { retries: 0 })

const encoder = new TextEncoder()

type End = "ends" | "breaks" | "hangs"

/** A stream of bytes in these pieces, which then ends, breaks, or sends nothing more. */
export const pieces = (parts: ReadonlyArray<string | Uint8Array<ArrayBuffer>>, end: End = "ends") => {
  const rest = parts.map((part) => typeof part === "string" ? encoder.encode(part) : part)
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      const part = rest.shift()
      if (part !== undefined) controller.enqueue(part)
      else if (end === "ends") controller.close()
      else if (end === "breaks") controller.error(new TypeError("terminated"))
    }
  }, { highWaterMark: 0 })
}

export const eventStream = (body: ReadableStream<Uint8Array<ArrayBuffer>>): Response =>
  new Response(body, { headers: { "content-type": "text/event-stream" } })

export const json = (value: unknown, init: ResponseInit = {}): Response => Response.json(value, init)

/** An event as the service sends it. */
export const frame = (index: number, event: string, fields: object = {}, lineBreak = "\n"): string =>
  [
    `id: ${index}`,
    `event: ${event}`,
    `data: ${JSON.stringify({ event, run_id: "r", session_id: "s", ...fields })}`,
    "",
    ""
  ].join(lineBreak)

/** What was thrown, or undefined. */
export const thrownBy = (work: () => Promise<unknown>): Promise<unknown> =>
  work().then(() => undefined, (error) => error)
