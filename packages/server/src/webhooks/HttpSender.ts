// Calls the addresses of webhooks through the safe fetch: public addresses only, unless the operator allows more.
import { SafeFetch, type SafeFetchOptions } from "@svc/fetch"
import { AddressRefused, WebhookSender } from "@svc/runtime/webhook/WebhookSender"
import { Effect, Layer } from "effect"

const make = Effect.gen(function*() {
  const { check } = yield* SafeFetch
  return WebhookSender.of({
    check: (url) => check(url).pipe(Effect.mapError(({ message }) => new AddressRefused({ message })), Effect.asVoid)
  })
})

const layer: Layer.Layer<WebhookSender, never, SafeFetch> = Layer.effect(WebhookSender, make)

export const layerWith = (options?: SafeFetchOptions): Layer.Layer<WebhookSender> =>
  Layer.provide(layer, SafeFetch.layer(options))
