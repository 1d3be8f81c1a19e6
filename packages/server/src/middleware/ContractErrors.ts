// A request that does not fit its schema gets the 422 of the contract; an answer that does not is a fault of ours.
import { ContractErrors, Errors } from "@svc/api"
import { Effect, type Layer } from "effect"
import { type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { fromSchemaError } from "./ValidationProblems.ts"

const parts = { Params: "path", Query: "query", Headers: "header", Payload: "body" } as const

/** The one thing that can be wrong with a whole body, and not with a value in it, is that it is no JSON. */
const isMalformedJson = ({ cause, kind }: HttpApiError.HttpApiSchemaError) =>
  kind === "Payload" && cause.issue._tag === "InvalidValue"

const notJson = Errors.invalid([{ loc: ["body"], msg: "JSON decode error", type: "json_invalid" }])

export const toInvalid = (error: HttpApiError.HttpApiSchemaError): Effect.Effect<never, Errors.Invalid> => {
  if (error.kind === "Body" || error.kind === "ResponseHeaders") return Effect.die(error.cause)
  return Effect.fail(
    isMalformedJson(error) ? notJson : Errors.invalid(fromSchemaError(parts[error.kind], error.cause))
  )
}

export const layer: Layer.Layer<ContractErrors> = HttpApiMiddleware.layerSchemaErrorTransform(ContractErrors, toInvalid)
