// Why a request to an MCP server has failed. The message is for models, callers and the log.
import { FetchFailed, FetchRejected } from "@svc-runtime/fetch"
import { Data, Predicate } from "effect"
import { printable } from "./printable.ts"

export class McpFailure extends Data.TaggedError("McpFailure")<{
  /**
   * `refused`: it was not executed, or its response is an error. `gone`: it was not executed, and a new connection can
   * help. `lost`: it may have been executed.
   */
  readonly kind: "refused" | "gone" | "lost"
  readonly message: string
}> {}

const maxMessage = 500

/** The code of the error that ends a request whose stream of responses broke off. */
export const brokenStream = -32_099

const gone = ["NOT_CONNECTED", "NOT_INITIALIZED"]
const lost = ["CONNECTION_CLOSED", "REQUEST_TIMEOUT", "SEND_FAILED", String(brokenStream)]

/** A message that is none of the protocol: what the error says is a list of its faults. */
const isInvalid = (error: unknown): boolean => Predicate.hasProperty(error, "issues")

const textOf = (error: unknown): string =>
  printable((Predicate.hasProperty(error, "message") ? String(error.message) : String(error)).slice(0, maxMessage))

const codeOf = (error: unknown): string => Predicate.hasProperty(error, "code") ? String(error.code) : ""

const statusOf = (error: unknown): number | undefined =>
  Predicate.hasProperty(error, "status") && Predicate.isNumber(error.status) ? error.status : undefined

const kindOf = (error: unknown): McpFailure["kind"] => {
  if (error instanceof FetchFailed) return error.reason === "unconnected" ? "refused" : "lost"
  // a response that is too large is one of an executed call
  if (error instanceof FetchRejected) return error.reason === "too_large" ? "lost" : "refused"
  const status = statusOf(error)
  // the server has forgotten the session
  if (status === 404) return "gone"
  if (status !== undefined) return status >= 500 ? "lost" : "refused"
  const code = codeOf(error)
  return gone.includes(code) ? "gone" : lost.includes(code) ? "lost" : "refused"
}

const isUnauthorized = (error: unknown): boolean =>
  statusOf(error) === 401 || (Predicate.hasProperty(error, "name") && error.name === "UnauthorizedError")

/** `server`: its name. */
export const of = (server: string, error: unknown): McpFailure => {
  if (error instanceof McpFailure) return error
  if (isUnauthorized(error)) {
    return new McpFailure({ kind: "refused", message: `The MCP server ${server} does not accept the token` })
  }
  return new McpFailure({ kind: kindOf(error), message: `The MCP server ${server} failed: ${textOf(error)}` })
}

/** The server has executed a call, and responded with what is no result. */
export const unreadable = new McpFailure({
  kind: "refused",
  message: "The tool was executed, but its result cannot be read"
})

/** Of a call. What the result should have been is nothing for a model. */
export const ofCall = (server: string, error: unknown): McpFailure =>
  codeOf(error) === "INVALID_RESULT" || isInvalid(error) ? unreadable : of(server, error)
