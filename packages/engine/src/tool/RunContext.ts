// The facts of a run for an author's functions: instructions, hooks and, with facts of the call, tools.
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { Enqueue } from "../jobs/Enqueue.ts"
import type { RunContextOptions } from "../RunContextOptions.ts"

export interface RunContext extends RunContextOptions {
  readonly agentId: string
  readonly runId: Run.Id
  readonly sessionId: Session.Id
  readonly userId: Ids.UserId | undefined
  /** The session state. Changes are stored when the run ends. */
  readonly sessionState: Record<string, Json.Value>
  /**
   * Stores a background job for the user and the session of the run. A call that is repeated after a crash enqueues
   * again, so give the job a `key`, such as the `effectId` of the call.
   */
  readonly enqueue: Enqueue
}
