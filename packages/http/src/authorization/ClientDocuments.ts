// Fetches the documents that clients name by their ids. Callers choose the address, so only public ones are reached.
import { ClientDocuments } from "@svc-runtime/auth"
import * as Json from "@svc-runtime/domain/Json"
import { SafeFetch, type SafeFetchOptions } from "@svc-runtime/fetch"
import { Effect, Layer, Option } from "effect"

const maxBytes = 16 * 1024
const timeout = "5 seconds"

/** Documents that are fetched at the same time. One more is refused, so that slow servers hold up few requests. */
const maxFetching = 20

const make = Effect.gen(function*() {
  const { fetch } = yield* SafeFetch
  let fetching = 0

  const read = Effect.fnUntraced(function*(url: string) {
    const { body, status, url: end } = yield* Effect.mapError(
      fetch({ url, maxBytes, types: ["application/json"], headers: { accept: "application/json" } }),
      ({ message }) => message
    )
    if (end !== url) return yield* Effect.fail("It redirects, which is not followed")
    if (status !== 200) return yield* Effect.fail(`Its status is ${status}`)
    const document = Json.parse(new TextDecoder().decode(body))
    if (Option.isNone(document) || !Json.isShallow(document.value)) return yield* Effect.fail("It is not JSON")
    return document.value
  })

  return ClientDocuments.of({
    fetch: (url) =>
      Effect.suspend(() => {
        if (fetching >= maxFetching) return Effect.fail("Too many documents are read at this moment")
        fetching += 1
        return Effect.ensuring(read(url), Effect.sync(() => fetching -= 1))
      })
  })
})

export const layer = (options: SafeFetchOptions | undefined): Layer.Layer<ClientDocuments> =>
  Layer.effect(ClientDocuments, make).pipe(Layer.provide(SafeFetch.layer({ ...options, timeout })))
