// The reader of the bodies of runs. All requests share one budget of bytes.
import { Context, type Effect, Layer } from "effect"
import type { HttpServerRequest } from "effect/http"
import { ServerSettings } from "../Settings.ts"
import * as ByteBudget from "./ByteBudget.ts"
import * as FormBody from "./FormBody.ts"

export class Forms extends Context.Service<Forms, {
  readonly using: <F, E1, R1, A, E2, R2>(
    request: HttpServerRequest.HttpServerRequest,
    decode: (body: FormBody.FormBody) => Effect.Effect<F, E1, R1>,
    use: (read: FormBody.Read<F>) => Effect.Effect<A, E2, R2>
  ) => Effect.Effect<A, E1 | E2 | FormBody.Refused, R1 | R2>
}>()("@svc/server/forms/Forms") {
  static readonly layer: Layer.Layer<Forms, never, ServerSettings> = Layer.effect(
    Forms,
    ServerSettings.useSync(({ limits }) => {
      // The rest of the time to receive a request is left for its bytes.
      const budget = ByteBudget.make(limits.uploadsInFlight, limits.receiveMillis / 3)
      return Forms.of({ using: (request, decode, use) => FormBody.using({ budget, limits }, request, decode, use) })
    })
  )
}
