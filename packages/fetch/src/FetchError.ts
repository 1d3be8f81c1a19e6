import { Data } from "effect"

/** The request was not sent, or its response was refused. The message is a sentence for the caller. */
export class FetchRejected extends Data.TaggedError("FetchRejected")<{
  readonly reason: "address" | "format" | "port" | "redirects" | "too_large" | "type" | "url"
  readonly message: string
}> {}

/** There was no response. Another attempt can succeed. */
export class FetchFailed extends Data.TaggedError("FetchFailed")<{
  /** `unconnected`: nothing was sent. */
  readonly reason: "connection" | "timeout" | "unconnected"
  readonly message: string
}> {}

export type FetchError = FetchFailed | FetchRejected
