// What a run knows of itself, handed to an author's functions: instructions, hooks and, with the call's own facts, tools.
import type { Ids, Json, Run, Session } from "@svc/domain"

export interface RunContext {
  readonly agentId: string
  readonly runId: Run.Id
  readonly sessionId: Session.Id
  readonly userId: Ids.UserId | undefined
  /** The state of the session. Changes made here are stored when the run ends. */
  readonly sessionState: Record<string, Json.Value>
  readonly dependencies: Json.Object
  readonly metadata: Json.Object
}
