// The version of the protocol that a request states: in a header, or in its query, because browsers cannot always send
// the header.
import type * as A2aError from "@svc/protocols/a2a/A2aError"
import * as Version from "@svc/protocols/a2a/Version"
import { Result } from "effect"
import type { HttpServerRequest } from "effect/http"

export const header = "a2a-version"

export const queryOf = ({ url }: HttpServerRequest.HttpServerRequest): URLSearchParams => {
  const start = url.indexOf("?")
  return new URLSearchParams(start < 0 ? "" : url.slice(start + 1))
}

const textOf = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const sent = request.headers[header]
  if (sent !== undefined && sent.trim() !== "") return sent
  return [...queryOf(request)].find(([name]) => name.toLowerCase() === header)?.[1]
}

export const isStated = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const text = textOf(request)
  return text !== undefined && text.trim() !== ""
}

/** Undefined if the request states none. */
export const statedIn = (
  request: HttpServerRequest.HttpServerRequest
): Result.Result<Version.Version | undefined, A2aError.A2aError> => {
  const text = textOf(request)
  return text === undefined || text.trim() === "" ? Result.succeed(undefined) : Version.of(text)
}
