// What a caller asks an agent for: already decoded, with its ids given out.
import type { Ids, Json, Run, Session } from "@svc/domain"
import type { Agent } from "./Agent.ts"
import type { OutputSchema } from "./StructuredOutput.ts"

export interface RunCommand {
  readonly agent: Agent
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly user_id: Ids.UserId | undefined
  /** The caller is kept apart from others, and runs only in sessions of their own. */
  readonly isolated: boolean
  readonly input: Run.Input
  /** Ask the model for a stream, and keep the run's events. */
  readonly stream: boolean
  /** Nobody waits for it. Its events are kept, for whoever comes to see how it is getting on. */
  readonly background: boolean
  /** Merged into the stored state of the session. */
  readonly session_state: Json.Object | undefined
  readonly dependencies: Json.Object
  readonly metadata: Json.Object | undefined
  /** Instead of the agent's own. */
  readonly outputSchema: OutputSchema | undefined
  /** Instead of the agent's own. */
  readonly addHistoryToContext: boolean | undefined
  readonly addDependenciesToContext: boolean
  readonly addSessionStateToContext: boolean
}
