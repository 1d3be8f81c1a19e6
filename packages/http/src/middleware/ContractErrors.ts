// A request that does not fit its schema gets the 422 of the contract; a response that does not is a defect of the
// service.
import { ContractErrors, Errors } from "@svc-runtime/api"
import { fromSchemaError } from "@svc-runtime/domain/schema/ValidationProblems"
import { Effect, type Layer } from "effect"
import { type HttpApiError, HttpApiMiddleware } from "effect/http-api"

const parts = { Params: "path", Query: "query", Headers: "header", Payload: "body" } as const

/** An issue with the whole body, and not with a value in it, means that the body is not JSON. */
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
