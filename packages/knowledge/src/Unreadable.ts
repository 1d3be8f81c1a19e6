import { Data } from "effect"

/** Why a source has no text. The message is a sentence for its owner. */
export class Unreadable extends Data.TaggedError("Unreadable")<{
  readonly reason:
    | "annotations"
    | "broken"
    | "empty"
    | "encrypted"
    | "killed"
    | "mismatch"
    | "out_of_memory"
    | "refused"
    | "timeout"
    | "too_large"
    | "unreachable"
    | "unsupported"
  readonly message: string
}> {}
