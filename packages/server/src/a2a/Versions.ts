// The version of the protocol that a request states: in a header, or in its query, because browsers cannot always send
// the header.
import type * as A2aError from "@svc-runtime/protocols/a2a/A2aError"
import * as Version from "@svc-runtime/protocols/a2a/Version"
import { Result } from "effect"
import type { HttpServerRequest } from "effect/http"

export const header = "a2a-version"

export const queryOf = ({ url }: HttpServerRequest.HttpServerRequest): URLSearchParams => {
  const start = url.indexOf("?")
  return new URLSearchParams(start < 0 ? "" : url.slice(start + 1))
}

/** In the header and in the query. An empty one counts as none. */
const textsOf = (request: HttpServerRequest.HttpServerRequest): ReadonlyArray<string> =>
  [
    request.headers[header] ?? "",
    ...[...queryOf(request)].flatMap(([name, text]) => name.toLowerCase() === header ? [text] : [])
  ].filter((text) => text.trim() !== "")

export const isStated = (request: HttpServerRequest.HttpServerRequest): boolean => textsOf(request).length > 0

/** Undefined if the request states none. All that it states must agree. */
export const statedIn = (
  request: HttpServerRequest.HttpServerRequest
): Result.Result<Version.Version | undefined, A2aError.A2aError> =>
  Result.flatMap(Result.all(textsOf(request).map(Version.of)), ([version, ...others]) => {
    const other = others.find((each) => each !== version)
    return other === undefined
      ? Result.succeed(version)
      : Result.fail(Version.unsupported(`The request states the versions ${version} and ${other} of A2A`))
  })

/** Fails if the request states another version. */
export const allowed = (
  request: HttpServerRequest.HttpServerRequest,
  version: Version.Version
): Result.Result<void, A2aError.A2aError> =>
  Result.flatMap(statedIn(request), (stated) =>
    stated === undefined || stated === version
      ? Result.void
      : Result.fail(Version.unsupported(`The routes of this path are those of version ${version}`)))
