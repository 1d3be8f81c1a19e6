// A server on this machine that speaks the wire format of a source. Planned responses come before its own.
import { Effect } from "effect"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"

export interface SourceRequest {
  readonly method: string
  /** Not decoded. */
  readonly path: string
  readonly query: URLSearchParams
  readonly url: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
  /** Of the server. */
  readonly origin: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** What is no text is sent as JSON. */
  readonly body?: string | object
  /** The connection is closed after half of it. */
  readonly isCut?: boolean
}

export type Files = Readonly<Record<string, string>>

const send = (response: ServerResponse, { body = "", headers = {}, isCut = false, status = 200 }: Reply) => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const bytes = Buffer.from(text)
  response.writeHead(status, { "content-length": bytes.length, ...headers })
  if (isCut) response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy())
  else response.end(bytes)
}

/** The address of the server. `planned`: the next responses to what `isPlanned` selects. */
export const listen = (
  answer: (request: SourceRequest) => Reply,
  planned: Array<Reply> = [],
  isPlanned: (request: SourceRequest) => boolean = () => true
) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => {
        const server = createServer((incoming, response) => {
          const parts: Array<Buffer> = []
          incoming.on("data", (part: Buffer) => parts.push(part)).on("end", () => {
            const url = incoming.url ?? ""
            const [path = "", query = ""] = url.split("?")
            const request: SourceRequest = {
              method: incoming.method ?? "",
              path,
              query: new URLSearchParams(query),
              url,
              headers: incoming.headers,
              body: Buffer.concat(parts).toString(),
              origin: `http://${incoming.headers.host}`
            }
            send(response, (isPlanned(request) ? planned.shift() : undefined) ?? answer(request))
          })
        })
        return new Promise<typeof server>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)))
      }),
      (server) => Effect.sync(() => server.close().closeAllConnections())
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )

export const escapeXml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The page of sorted keys that starts at a number, and the number of the next one. */
export const pageOf = (keys: ReadonlyArray<string>, from: number, size = 2) => ({
  keys: keys.toSorted().slice(from, from + size),
  next: keys.length > from + size ? from + size : undefined
})
