// A request that does not fit its schema gets the 422 of the contract; an answer that does not is a fault of ours.
import { ContractErrors, Errors } from "@svc/api"
import { Effect, type Layer } from "effect"
import { type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import { fromSchemaError } from "./Problems.ts"

const parts = { Params: "path", Query: "query", Headers: "header", Payload: "body" } as const

export const toInvalid = (error: HttpApiError.HttpApiSchemaError): Effect.Effect<never, Errors.Invalid> =>
  error.kind === "Body" || error.kind === "ResponseHeaders"
    ? Effect.die(error.cause)
    : Effect.fail(Errors.invalid(fromSchemaError(parts[error.kind], error.cause)))

export const layer: Layer.Layer<ContractErrors> = HttpApiMiddleware.layerSchemaErrorTransform(ContractErrors, toInvalid)
