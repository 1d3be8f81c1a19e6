// What a caller may choose for a run of any kind of component, beside its input.
import type * as Json from "@svc/domain/Json"

export interface SharedOptions {
  /** Merged into the stored state of the session. */
  readonly session_state: Json.Object | undefined
  readonly dependencies: Json.Object
  readonly metadata: Json.Object | undefined
}
