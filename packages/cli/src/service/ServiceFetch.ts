// `fetch` for the client, over the HTTP of this tool: with its proxies, certificates and connections.
import { Effect, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse, HttpMethod } from "effect/http"

/** Statuses whose responses have no body. */
const empty = [204, 205, 304]

const toWeb = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.map(
    empty.includes(response.status) ? Effect.succeed(null) : Stream.toReadableStreamEffect(response.stream),
    (body) => new Response(body, { status: response.status, headers: response.headers })
  )

const methodOf = (method: string) => HttpMethod.isHttpMethod(method) ? method : "GET"

export const make = Effect.gen(function*() {
  const context = yield* Effect.context<HttpClient.HttpClient>()
  const execute = Effect.fnUntraced(function*(input: RequestInfo | URL, init: RequestInit) {
    // encodes forms, and knows their type
    const request = new Request(input, init)
    const bytes = new Uint8Array(yield* Effect.promise(() => request.arrayBuffer()))
    const { "content-type": contentType, ...headers } = Object.fromEntries(request.headers)
    const outgoing = HttpClientRequest.make(methodOf(request.method))(request.url, { headers })
    return yield* Effect.flatMap(
      HttpClient.execute(
        bytes.length === 0 ? outgoing : HttpClientRequest.bodyUint8Array(outgoing, bytes, contentType)
      ),
      toWeb
    )
  })
  return ((input, init = {}) =>
    Effect.runPromiseWith(context)(execute(input, init), init.signal ? { signal: init.signal } : {})) as typeof fetch
})
