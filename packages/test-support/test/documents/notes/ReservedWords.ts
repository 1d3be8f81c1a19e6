// The words that a note may not begin with, which the application declares.
import { Context } from "effect"

export class ReservedWords extends Context.Service<ReservedWords, ReadonlyArray<string>>()(
  "@svc-runtime/features/notes/ReservedWords"
) {}
