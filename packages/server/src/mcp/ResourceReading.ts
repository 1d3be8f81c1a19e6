// Reads a resource for the caller of the request, with the errors of the protocol.
import { CurrentPrincipal } from "@svc-runtime/api"
import * as RequestId from "@svc-runtime/http/requests/RequestId"
import { Cause, Context, Effect } from "effect"
import { McpSchema } from "effect/ai"

const unexpected = Effect.fnUntraced(function*(defect: unknown) {
  const request_id = yield* RequestId.current
  yield* Effect.annotateLogs(Effect.logError("A resource could not be read", Cause.die(defect)), { request_id })
  const message = `The service failed to respond. Its log says more under request_id ${request_id}.`
  return yield* Effect.fail(new McpSchema.InternalError({ message }))
})

type Failure = { readonly message: string } | { readonly detail: string }

/** The library does not pass the data of a request to what reads a resource. */
export const forCaller = <A, E extends Failure, R>(read: Effect.Effect<A, E, R>) =>
  Effect.withFiber((fiber) =>
    read.pipe(
      Effect.provideService(CurrentPrincipal, Context.getUnsafe(fiber.context, CurrentPrincipal)),
      Effect.mapError((error) =>
        new McpSchema.InvalidParams({ message: "detail" in error ? error.detail : error.message })
      ),
      Effect.catchDefect(unexpected)
    )
  )

export const json = (uri: string, value: unknown) => ({
  contents: [{ uri, mimeType: "application/json", text: JSON.stringify(value) }]
})
