// A collector of traces: an HTTP server on a free port that takes OTLP as it is sent, and answers as a test wants.
import { Effect, Queue, type Scope } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { gunzipSync } from "node:zlib"
import * as OtlpDecoder from "./OtlpDecoder.ts"

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** `hang` sends nothing, and `cut` closes the connection. */
export type Answer = Reply | "hang" | "cut"

export interface ReceivedRequest {
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  readonly bytes: number
  readonly data: ReadonlyArray<OtlpDecoder.Received>
}

export interface OtlpReceiver {
  readonly url: string
  /** Also of requests that were not accepted. */
  readonly requests: ReadonlyArray<ReceivedRequest>
  /** The spans of accepted requests. */
  readonly spans: ReadonlyArray<OtlpDecoder.ReceivedSpan>
  /** Waits for a request that was not waited for yet. */
  readonly next: Effect.Effect<ReceivedRequest>
  /** From now on. */
  readonly answer: (answer: (request: ReceivedRequest) => Answer) => Effect.Effect<void>
}

const accepted: Reply = { status: 200, headers: { "content-type": "application/x-protobuf" } }

const decode = (headers: Http.IncomingHttpHeaders, sent: Buffer) => {
  const body = headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent
  switch (headers["content-type"]) {
    case "application/x-protobuf":
      return OtlpDecoder.fromProtobuf(body)
    case "application/json":
      return OtlpDecoder.fromJson(body.toString("utf8"))
    default:
      throw new Error(`A request of the type ${headers["content-type"]}`)
  }
}

export const make = Effect.fnUntraced(function*(port = 0): Effect.fn.Return<OtlpReceiver, never, Scope.Scope> {
  const requests: Array<ReceivedRequest> = []
  const spans: Array<OtlpDecoder.ReceivedSpan> = []
  const arrived = yield* Queue.unbounded<ReceivedRequest>()
  let answerOf: (request: ReceivedRequest) => Answer = () => accepted

  const server = Http.createServer((incoming, response) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const body = Buffer.concat(chunks)
      const { headers, url: path = "" } = incoming
      const request = { path, headers, bytes: body.length, data: decode(headers, body) }
      requests.push(request)
      const answer = answerOf(request)
      if (answer === "cut") incoming.socket.destroy()
      else if (answer !== "hang") {
        if (answer.status < 300) spans.push(...request.data.flatMap((data) => data.spans))
        response.writeHead(answer.status, answer.headers)
        response.end(answer.body)
      }
      Queue.offerUnsafe(arrived, request)
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(port, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    spans,
    next: Queue.take(arrived),
    answer: (answer) => Effect.sync(() => (answerOf = answer))
  }
})
