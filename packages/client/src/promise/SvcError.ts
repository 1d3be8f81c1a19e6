// What a request or a run ends with instead of a result.
import type { NeededDecision } from "./generated/types.ts"
import type { RunReference } from "./RunReference.ts"

/** The response of the service instead of a result. */
export class SvcError extends Error {
  override readonly name = "SvcError"
  /** The status code of HTTP. */
  readonly status: number
  /** A code for programs, such as `NOT_FOUND`. A response of something between client and service has none. */
  readonly code: string | undefined
  /** The problem of the request, and how to solve it. */
  readonly detail: string
  /** The id of the request in the log of the service. */
  readonly requestId: string | undefined
  /** Seconds after which the request may be repeated. */
  readonly retryAfter: number | undefined
  /** One for each field of a request that cannot be read. */
  readonly problems: ReadonlyArray<Problem>

  constructor(status: number, body: unknown, headers: Headers) {
    const { detail, error_code, errors, hint } = (typeof body === "object" && body !== null ? body : {}) as ErrorBody
    const text = typeof detail === "string" && detail !== "" ? detail : `The service responded with status ${status}`
    super(typeof hint === "string" && hint !== "" ? `${text}. ${hint}` : text)
    this.status = status
    this.code = error_code
    this.detail = text
    this.requestId = headers.get("x-request-id") ?? undefined
    this.retryAfter = secondsOf(headers.get("retry-after") ?? "")
    this.problems = Array.isArray(errors) ? errors : []
  }
}

export interface Problem {
  readonly loc: ReadonlyArray<string | number>
  readonly msg: string
  readonly type: string
  /** What a decision lacks on what a run waits for. */
  readonly needs?: ReadonlyArray<NeededDecision>
}

interface ErrorBody {
  readonly detail?: unknown
  readonly error_code?: string
  readonly errors?: unknown
  /** What to do, where clients compare the text of `detail`. */
  readonly hint?: unknown
}

/** The service could not be reached, or the connection was cut. `cause` has the error of the network. */
export class SvcConnectionError extends Error {
  override readonly name = "SvcConnectionError"

  constructor(url: string, cause: unknown, hint = "") {
    super(`No response from ${url}: ${reasonOf(cause)}${hint}`, { cause })
  }
}

/** Text that is no whole answer, thrown where only the text of a run is read. `run` can be continued or watched. */
export class SvcRunError extends Error {
  override readonly name = "SvcRunError"
  /** `RUNNING`: the run continues, and the model answers again. */
  readonly status: "ERROR" | "CANCELLED" | "PAUSED" | "RUNNING"
  readonly run: RunReference

  constructor(status: SvcRunError["status"], reason: string, run: RunReference) {
    super(reason)
    this.status = status
    this.run = run
  }
}

/** `Retry-After` is a number of seconds or a date. */
const secondsOf = (text: string): number | undefined => {
  if (/^\d+$/.test(text)) return Number(text)
  const date = /[a-z] /i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - Date.now()) / 1000))
}

/** `fetch` says why in the cause of its error. */
const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message || error.message : error.message
}
