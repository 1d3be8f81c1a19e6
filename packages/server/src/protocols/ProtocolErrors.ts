// The requests of protocols that have the errors of the HTTP API.
import { Errors } from "@svc-runtime/api"
import { fromSchemaError } from "@svc-runtime/domain/schema/ValidationProblems"
import { ContinueRejected } from "@svc-runtime/engine/run/ContinueRejected"
import * as WireResponse from "@svc-runtime/http/wire/WireResponse"
import type { AnswerRejected } from "@svc-runtime/protocols/pause/AnswerRejected"
import { Effect, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"

export const orError = <E extends WireResponse.WireError, R>(
  response: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catch(response, (error) => Effect.succeed(WireResponse.of(error)))

/** Reads a body by its schema: what does not fit is refused with the place of each problem. */
export const decoder = <A>(schema: Schema.Codec<A, unknown>) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all" })
  return (body: unknown) => Effect.mapError(decode(body), (error) => Errors.invalid(fromSchemaError("body", error)))
}

export const rejected = ({ message, reason }: AnswerRejected): Errors.Invalid | Errors.Conflict =>
  reason === "decided" ? Errors.conflict(message) : Errors.invalidValue(["body"], message)

const isRejected = Schema.is(ContinueRejected)

/** A run that is continued with an answer, or why not if an approval has decided otherwise. */
export const orDecided = <A, E, R>(continued: Effect.Effect<A, E, R>) =>
  Effect.catch(
    continued,
    (error) => isRejected(error) && error.reason === "decided" ? Effect.succeed(error) : Effect.fail(error)
  )
