// The links of this process to MCP servers. A link closes when no run has used it for some time, and at shutdown.
import type { FetchLike } from "@modelcontextprotocol/client"
import * as Json from "@svc-runtime/domain/Json"
import { KeepsProcess } from "@svc-runtime/engine/node/KeepsProcess"
import { SafeFetch } from "@svc-runtime/fetch"
import { Context, Effect, Exit, Layer, Option, RcMap, Scope, Stream } from "effect"
import * as Link from "./Link.ts"
import { brokenStream } from "./McpFailure.ts"
import type { McpServer } from "./McpServer.ts"

// `fetch` as the MCP client calls it, through the safe fetch: with its rules for addresses and limits of bytes.

/** Of one response. The stream of notifications has it too, and is opened again. */
const maxResponse = 16 * 1024 * 1024

const methods = ["GET", "POST", "DELETE"] as const

const bodiless = [204, 205, 304]

const headersOf = (init: RequestInit | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries(new Headers(init?.headers))

/** Bodies are JSON texts. */
const bodyOf = (init: RequestInit | undefined) =>
  typeof init?.body === "string" ? { content: init.body, type: "application/json" } : undefined

const requestId = (init: RequestInit | undefined): Json.Value | undefined => {
  const sent = typeof init?.body === "string" ? Option.getOrUndefined(Json.parse(init.body)) : undefined
  return Json.isObject(sent) ? sent["id"] : undefined
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Ends the request of a stream that broke off: the MCP client would wait for its response until the time limit. Streams
 * with ids of events are left to the client, which resumes them.
 */
const ended = <E>(id: Json.Value | undefined, body: Stream.Stream<Uint8Array, E>): Stream.Stream<Uint8Array, E> =>
  Stream.suspend(() => {
    let isResumable = false
    const end = (message: string) =>
      Stream.suspend(() => {
        const error = { jsonrpc: "2.0", id: id ?? null, error: { code: brokenStream, message } }
        return isResumable ? Stream.empty : Stream.succeed(encoder.encode(`\n\ndata: ${JSON.stringify(error)}\n\n`))
      })
    return body.pipe(
      Stream.tap((part) =>
        Effect.sync(() => {
          isResumable ||= /(?:^|\n)id:/.test(decoder.decode(part))
        })
      ),
      Stream.concat(end("The stream ended without a response")),
      Stream.catch((error) => isResumable ? Stream.fail(error) : end(String((error as Error).message)))
    )
  })

const send = Effect.fnUntraced(function*(
  safe: SafeFetch["Service"],
  url: string,
  init: RequestInit | undefined
) {
  const fork = Effect.runForkWith(yield* Effect.context<never>())
  const scope = yield* Scope.make()
  const close = Scope.close(scope, Exit.void)
  const opened = yield* safe.open({
    url,
    method: methods.find((method) => method === init?.method) ?? "GET",
    headers: headersOf(init),
    body: bodyOf(init),
    maxBytes: maxResponse
  }).pipe(Scope.provide(scope), Effect.onError(() => close))
  const { headers, status } = opened
  if (bodiless.includes(status)) {
    yield* close
    return new Response(null, { status, headers })
  }
  init?.signal?.addEventListener("abort", () => fork(close), { once: true })
  const isEventStream = init?.method === "POST" && headers["content-type"]?.startsWith("text/event-stream") === true
  const shown = isEventStream ? ended(requestId(init), opened.body) : opened.body
  const body = yield* Stream.toReadableStreamEffect(Stream.ensuring(shown, close))
  return new Response(body, { status, headers })
})

const guardedFetch = (safe: SafeFetch["Service"]): Effect.Effect<FetchLike> =>
  Effect.map(Effect.context<never>(), (context): FetchLike => {
    const run = Effect.runPromiseWith(context)
    return (url, init) => run(send(safe, String(url), init), { signal: init?.signal ?? undefined })
  })

export class McpLinks extends Context.Service<McpLinks, {
  /** The link is kept until the scope closes. */
  readonly get: (server: McpServer) => Effect.Effect<Link.Link, never, Scope.Scope>
}>()("@svc-runtime/server/mcpClient/McpLinks") {}

/** A run can pause, and its next one begins soon. */
const idle = "5 minutes"

/** A link has a connection or a process, which would keep the process. */
const briefIdle = "1 second"

const make = Effect.gen(function*() {
  const fetch = yield* guardedFetch(yield* SafeFetch)
  const links: RcMap.RcMap<McpServer, Link.Link> = yield* RcMap.make({
    lookup: (server: McpServer) => Link.make(server, fetch, Effect.suspend(() => RcMap.get(links, server))),
    idleTimeToLive: (yield* KeepsProcess) ? idle : briefIdle
  })
  return { get: (server: McpServer) => RcMap.get(links, server) }
})

export const layer = Layer.effect(McpLinks, make)
