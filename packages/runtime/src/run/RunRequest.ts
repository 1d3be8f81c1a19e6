// The fields of a run request that all kinds of components share: already decoded, and with its ids.
import type { Ids, Json, Run, Session } from "@svc/domain"
import type { Lifetime } from "../factory/Lifetime.ts"

/** What becomes of a run in whose session others have not ended: it waits, is refused, or has those cancelled. */
export type IfBusy = "queue" | "reject" | "interrupt"

export interface RunRequest {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly user_id: Ids.UserId | undefined
  /** The caller is kept apart from others, and runs only in sessions of their own. */
  readonly isolated: boolean
  readonly input: Run.Input
  /** Ask models for a stream, and keep the run's events. */
  readonly stream: boolean
  /** The caller does not wait for it. Its events are kept, for later watchers. */
  readonly background: boolean
  /**
   * Of what the component's factory has opened. The engine closes it with the run; until the run is accepted, its
   * caller does.
   */
  readonly lifetime?: Lifetime | undefined
  /** Of what the component's factory has made it: kept with the run, which may have to be made again. */
  readonly factory_input?: Json.Object | undefined
  /** Queued when left out. */
  readonly ifBusy?: IfBusy | undefined
}
