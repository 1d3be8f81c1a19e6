import { Data } from "effect"

/** The request was not made, or its answer was not taken. The message is a sentence for who named the address. */
export class FetchRefused extends Data.TaggedError("FetchRefused")<{
  readonly reason: "address" | "format" | "port" | "redirects" | "too_large" | "type" | "url"
  readonly message: string
}> {}

/** There was no answer. Another attempt can succeed. */
export class FetchFailed extends Data.TaggedError("FetchFailed")<{
  readonly reason: "connection" | "timeout"
  readonly message: string
}> {}

export type FetchError = FetchFailed | FetchRefused
