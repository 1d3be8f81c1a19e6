// What the servers of platforms have in common: a real HTTP server on a free port, for as long as the scope lasts.
import { Effect, type Scope } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

export interface Request {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** An object is sent as JSON. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | object | string
}

export interface Listening {
  readonly url: string
  readonly server: Http.Server
}

const bodyOf = async (incoming: Http.IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const headersOf = (incoming: Http.IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]))

const send = (response: Http.ServerResponse, { body, headers = {}, status = 200 }: Answer): void => {
  const isJson = typeof body === "object" && !(body instanceof Uint8Array)
  response.writeHead(status, isJson ? { "content-type": "application/json", ...headers } : headers)
  response.end(isJson ? JSON.stringify(body) : body)
}

/** A mistake of a server is answered with 500 and its words, so that a test shows it. */
export const listen = (
  answer: (request: Request) => Promise<Answer> | Answer
): Effect.Effect<Listening, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Listening>((resume) => {
      const server = Http.createServer((incoming, response) => {
        const url = new URL(incoming.url ?? "/", "http://localhost")
        const answered = bodyOf(incoming).then((body) =>
          answer({
            method: incoming.method ?? "GET",
            path: url.pathname,
            query: url.searchParams,
            headers: headersOf(incoming),
            body
          })
        )
        void answered.catch((error: unknown) => ({ status: 500, body: String(error) }))
          .then((answer) => send(response, answer))
      })
      server.listen(0, "127.0.0.1", () => {
        const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
        resume(Effect.succeed({ url, server }))
      })
    }),
    ({ server }) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/** The fields of a form with files. */
export const formOf = (request: Request): Promise<FormData> =>
  new Response(new Uint8Array(request.body), { headers: { "content-type": request.headers["content-type"] ?? "" } })
    .formData()
