// The one body of errors of the API.
export interface Failure {
  readonly message: string
  readonly code: string
  /** The field of the request that is at fault. */
  readonly param?: string
  /** Whether the caller can mend it. */
  readonly isRequest: boolean
}

export const bodyOf = ({ code, isRequest, message, param }: Failure) => ({
  error: { message, type: isRequest ? "invalid_request_error" : "server_error", param: param ?? null, code }
})

export const runFailed = (message: string): Failure => ({ message, code: "run_failed", isRequest: false })
export const runCancelled = (reason: string): Failure => ({ message: reason, code: "run_cancelled", isRequest: false })
