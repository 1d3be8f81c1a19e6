// Calls the addresses of webhooks through the safe fetch: public addresses only, unless the operator allows more. Calls
// are signed as Standard Webhooks says. Of a response its status and `Retry-After` are read, and no body.
import { type FetchError, SafeFetch, type SafeFetchOptions } from "@svc-runtime/fetch"
import { Effect, identity, Layer } from "effect"
import * as CallSecret from "./CallSecret.ts"
import { AddressRejected, type Call, type CallOutcome, CallSender } from "./CallSender.ts"

const failed = (error: string): CallOutcome => ({ isSuccess: false, status_code: null, error, retryAfter: 0 })

const signatureOf = ({ at, body, id, secrets }: Call) =>
  secrets.map((secret) => CallSecret.sign(secret, `${id}.${at}.${body}`)).join(" ")

const headersOf = (call: Call): Readonly<Record<string, string>> => ({
  ...call.headers,
  "webhook-id": call.id,
  "webhook-timestamp": String(call.at),
  ...(call.secrets.length === 0 ? {} : { "webhook-signature": signatureOf(call) })
})

const outcomeOf = ({ headers, status }: {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}): CallOutcome => {
  const seconds = headers["retry-after"] ?? ""
  return {
    isSuccess: status >= 200 && status < 300,
    status_code: status,
    error: status < 300
      ? null
      : `The receiver responded with ${status}${status < 400 ? ", and redirects are not followed" : ""}`,
    retryAfter: /^\d{1,6}$/.test(seconds) ? Number(seconds) : 0
  }
}

const make = Effect.fnUntraced(function*({ around = identity }: SafeFetchOptions, timeoutSeconds: number) {
  const { check, fetch } = yield* SafeFetch
  const send = (call: Call) =>
    fetch({
      url: call.url,
      method: "POST",
      headers: headersOf(call),
      body: { content: call.body, type: "application/json" },
      maxBytes: 0,
      ignoresBody: true
    }).pipe(
      Effect.map(outcomeOf),
      Effect.catch(({ message }: FetchError) => Effect.succeed(failed(message))),
      Effect.timeoutOrElse({
        duration: `${timeoutSeconds} seconds`,
        orElse: () => Effect.succeed(failed(`No response within ${timeoutSeconds} seconds (WEBHOOK_TIMEOUT)`))
      }),
      around
    )
  return CallSender.of({
    check: (url) => check(url).pipe(Effect.mapError(({ message }) => new AddressRejected({ message })), Effect.asVoid),
    timeoutSeconds,
    send
  })
})

/** The fetch has no time limit of its own: its message would have the address. */
export const layerWith = (options: SafeFetchOptions = {}, timeoutSeconds = 10): Layer.Layer<CallSender> =>
  Layer.effect(CallSender, make(options, timeoutSeconds)).pipe(
    Layer.provide(SafeFetch.layer({ ...options, timeout: "10 minutes" }))
  )
