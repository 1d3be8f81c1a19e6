// The facts of a run for an author's functions: instructions, hooks and, with facts of the call, tools.
import type * as Ids from "@svc/domain/Ids"
import type * as Json from "@svc/domain/Json"
import type * as Run from "@svc/domain/Run"
import type * as Session from "@svc/domain/Session"

export interface RunContext {
  readonly agentId: string
  readonly runId: Run.Id
  readonly sessionId: Session.Id
  readonly userId: Ids.UserId | undefined
  /** The session state. Changes are stored when the run ends. */
  readonly sessionState: Record<string, Json.Value>
  readonly dependencies: Json.Object
  readonly metadata: Json.Object
}
