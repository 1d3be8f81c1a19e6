// The errors of the wire as responses, for routes that are not of the API.
import type { Errors } from "@svc-runtime/api"
import { Schema, Struct } from "effect"
import { HttpServerResponse } from "effect/http"

export type WireError = Error & { readonly detail: string }

/** Each class of errors is annotated with its status. */
export const statusOf = ({ constructor }: object): number => {
  const status = Schema.isSchema(constructor) ? Schema.resolveAnnotations(constructor)?.["httpApiStatus"] : undefined
  return typeof status === "number" ? status : 500
}

export const bodyOf = (error: WireError): object =>
  Struct.omit({ ...error } as WireError & { readonly _tag?: Errors.BadRequest["_tag"] }, ["_tag"])

export const of = (error: WireError): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(bodyOf(error), { status: statusOf(error) })
