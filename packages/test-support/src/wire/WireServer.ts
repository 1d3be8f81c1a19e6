// A real HTTP server on a free port that answers in the format of a model provider, as scripted, and records every
// request. A request without a scripted reply is answered with 500, so a forgotten reply fails the test at once.
import { refusalOf } from "@svc-runtime/testing/wire/Refusal"
import { Effect, Option, Queue, Schema } from "effect"
import type { Scope } from "effect"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import type { Answer, Failure, Reply } from "./Reply.ts"

export interface RecordedRequest {
  readonly path: string
  readonly headers: Http.IncomingHttpHeaders
  readonly body: Readonly<Record<string, unknown>>
}

/** The next bytes of a stream. */
export type Event = string | Uint8Array

/** How a provider writes things. `events` are whole events of a stream. */
export interface Format {
  readonly json: (answer: Answer) => unknown
  readonly events: (answer: Answer) => ReadonlyArray<Event>
  readonly failure: (failure: Failure) => unknown
  readonly key: (headers: Http.IncomingHttpHeaders) => string
  /** The type of a stream. Unset: server-sent events. */
  readonly streamType?: string
  /** The provider whose rules requests keep. Unset: the rules that all providers have. */
  readonly provider?: string
  /** Whether a request asks for a stream. Unset: its body says so. */
  readonly streams?: (request: RecordedRequest) => boolean
}

export interface WireServer {
  /** The base URL to give to a client. */
  readonly url: string
  /** Adds replies for the next requests, in order. */
  readonly script: (...replies: ReadonlyArray<Reply>) => Effect.Effect<void>
  readonly requests: Effect.Effect<ReadonlyArray<RecordedRequest>>
  /** Waits for a request that was not waited for yet. */
  readonly awaitRequest: Effect.Effect<RecordedRequest>
  /** Waits for a client that goes away before its answer is complete. */
  readonly awaitAborted: Effect.Effect<void>
}

/** One server-sent event. */
export const event = (data: unknown, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`

const Body = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))
const decodeBody = Schema.decodeUnknownOption(Body)

const sendJson = (response: Http.ServerResponse, status: number, body: unknown, headers = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers })
  response.end(JSON.stringify(body))
}

const startEvents = (format: Format, response: Http.ServerResponse): void => {
  response.writeHead(200, { "content-type": format.streamType ?? "text/event-stream", "cache-control": "no-cache" })
  response.flushHeaders()
}

const sendBroken = (reply: Extract<Reply, { _tag: "Broken" }>, format: Format, response: Http.ServerResponse): void => {
  const events = format.events(reply.answer)
  if (reply.how === "stall" && reply.after === 0) return
  startEvents(format, response)
  for (const event of events.slice(0, reply.after)) response.write(event)
  const next = events[reply.after] ?? ""
  switch (reply.how) {
    case "stall":
      return
    case "close":
      response.end()
      return
    case "cut":
      response.write(next.slice(0, Math.ceil(next.length / 2)), () => response.socket?.destroy())
      return
    case "malformed":
      response.end(event("{\"this is\": not JSON"))
  }
}

/** As a model that thinks while it speaks. */
const sendSlowly = (events: ReadonlyArray<Event>, millis: number, response: Http.ServerResponse): void => {
  let next = 0
  const timer = setInterval(() => {
    if (next < events.length) response.write(events[next++])
    else response.end()
  }, millis)
  response.once("close", () => clearInterval(timer))
}

const send = (
  reply: Reply | undefined,
  request: RecordedRequest,
  format: Format,
  response: Http.ServerResponse
): void => {
  const refusal = refusalOf({ url: request.path, body: request.body, provider: format.provider })
  if (refusal !== undefined) return sendJson(response, 400, format.failure({ status: 400, message: refusal }))
  switch (reply?._tag) {
    case "Answer": {
      const streams = format.streams?.(request) ?? request.body.stream === true
      if (!streams) return sendJson(response, 200, format.json(reply.answer))
      startEvents(format, response)
      if (reply.everyMillis !== undefined) return sendSlowly(format.events(reply.answer), reply.everyMillis, response)
      for (const event of format.events(reply.answer)) response.write(event)
      response.end()
      return
    }
    case "Failure": {
      const { failure } = reply
      const message = reply.echoesKey ? `${failure.message}: ${format.key(request.headers)}` : failure.message
      return sendJson(response, failure.status, format.failure({ ...failure, message }), failure.headers)
    }
    case "Broken":
      return sendBroken(reply, format, response)
    case "Raw":
      response.writeHead(reply.status, { "content-type": reply.contentType })
      response.end(reply.body)
      return
    case undefined:
      return sendJson(response, 500, format.failure({ status: 500, message: "Nothing was scripted for this request" }))
  }
}

const listen = (listener: Http.RequestListener): Effect.Effect<Http.Server, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Http.Server>((resume) => {
      const server = Http.createServer(listener)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )

/**
 * A server for one format, under `prefix`, for as long as the scope lasts. What is not scripted is answered by
 * `otherwise`, for tests that cannot know how many requests will come.
 */
export const make = Effect.fnUntraced(function*(
  format: Format,
  prefix = "/v1",
  otherwise?: (request: RecordedRequest) => Reply
): Effect.fn.Return<WireServer, never, Scope.Scope> {
  const replies: Array<Reply> = []
  const requests: Array<RecordedRequest> = []
  const arrived = yield* Queue.unbounded<RecordedRequest>()
  const aborted = yield* Queue.unbounded<void>()

  const server = yield* listen((incoming, response) => {
    const chunks: Array<Buffer> = []
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
    incoming.on("end", () => {
      const body = Option.getOrElse(decodeBody(Buffer.concat(chunks).toString("utf8")), () => ({}))
      const request = { path: incoming.url ?? "", headers: incoming.headers, body }
      requests.push(request)
      response.on("close", () => {
        if (!response.writableFinished) Queue.offerUnsafe(aborted, undefined)
      })
      send(replies.shift() ?? otherwise?.(request), request, format, response)
      Queue.offerUnsafe(arrived, request)
    })
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    script: (...next) => Effect.sync(() => void replies.push(...next)),
    requests: Effect.sync(() => [...requests]),
    awaitRequest: Queue.take(arrived),
    awaitAborted: Queue.take(aborted)
  }
})
