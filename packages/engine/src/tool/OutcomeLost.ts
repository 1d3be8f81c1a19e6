// The cause of a failed call that may have had its effect: its answer was lost on the way. A `once` call is then not
// answered, and its outcome is unknown, as after a crash.
import { Data } from "effect"

export class OutcomeLost extends Data.TaggedError("OutcomeLost")<{ readonly message: string }> {}
