// The reader of the bodies of all requests. They share one budget of bytes, of which a caller
// has at most half of what others leave.
import type { CurrentPrincipal } from "@svc-runtime/api"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Principal from "@svc-runtime/domain/Principal"
import { Context, Effect, Layer, Option, type Scope } from "effect"
import type { HttpServerRequest } from "effect/http"
import * as CallerKey from "../authorization/CallerKey.ts"
import * as ByteBudget from "../requests/ByteBudget.ts"
import * as SlowSenders from "../requests/SlowSenders.ts"
import { ServerSettings } from "../Settings.ts"
import * as BodyBytes from "./BodyBytes.ts"
import * as FormBody from "./FormBody.ts"
import { IsStrict } from "./FormFields.ts"
import * as JsonBody from "./JsonBody.ts"
import * as RequestText from "./RequestText.ts"

/** @effect-expect-leaking CurrentPrincipal */
export class Forms extends Context.Service<Forms, {
  readonly using: <F, E1, R1, A, E2, R2>(
    request: HttpServerRequest.HttpServerRequest,
    decode: (body: FormBody.FormBody) => Effect.Effect<F, E1, R1>,
    use: (read: FormBody.Read<F>) => Effect.Effect<A, E2, R2>
  ) => Effect.Effect<A, E1 | E2 | FormBody.Refused, R1 | R2 | CurrentPrincipal>
  /** Reads a body of JSON, of any shape. Its bytes count until the end of `use`. */
  readonly usingJson: <A, E, R>(
    request: HttpServerRequest.HttpServerRequest,
    use: (body: Json.Value) => Effect.Effect<A, E, R>,
    bounds?: JsonBody.Bounds
  ) => Effect.Effect<A, E | FormBody.Refused, R | CurrentPrincipal>
  /** The request with a text that is limited, and counts until the scope is closed. */
  readonly limited: (
    request: HttpServerRequest.HttpServerRequest,
    principal: Principal.Principal,
    scope: Scope.Scope
  ) => HttpServerRequest.HttpServerRequest
  /** Room for the bytes of a caller that come in another way. */
  readonly reservation: (caller: string) => BodyBytes.Reservation
}>()("@svc-runtime/http/forms/Forms") {
  static readonly layer: Layer.Layer<Forms, never, ServerSettings> = Layer.effect(
    Forms,
    Effect.gen(function*() {
      const { limits, strictRequests } = yield* ServerSettings
      const strictly = <A, E, R>(decoded: Effect.Effect<A, E, R>) =>
        Effect.provideService(decoded, IsStrict, strictRequests)
      // The rest of the time to receive a request is left for its bytes.
      const timeout = limits.receiveMillis / 3
      const budget = ByteBudget.make({
        total: limits.uploadsInFlight,
        share: (others) => (limits.uploadsInFlight - others) / 2,
        timeout
      })
      const senders = SlowSenders.make({ budget, timeout })
      return Forms.of({
        using: (request, decode, use) =>
          Effect.flatMap(
            CallerKey.ofRequest(request),
            (caller) =>
              FormBody.using({ budget, caller, limits, senders }, request, (body) => strictly(decode(body)), use)
          ),
        usingJson: (request, use, bounds = JsonBody.formBounds) =>
          Effect.flatMap(
            CallerKey.ofRequest(request),
            (caller) => JsonBody.using({ budget, caller, limits, senders }, request, use, bounds)
          ),
        limited: (request, principal, scope) => {
          const caller = CallerKey.ofPrincipal(principal, Option.getOrUndefined(request.remoteAddress))
          return RequestText.of(request, { budget, caller, limits, scope, senders })
        },
        reservation: (caller) => BodyBytes.reservation({ budget, caller, senders })
      })
    })
  )
}
