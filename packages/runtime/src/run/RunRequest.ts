// What every run is asked with, whatever kind of component it is a run of: already decoded, with its ids given out.
import type { Ids, Run, Session } from "@svc/domain"

export interface RunRequest {
  readonly run_id: Run.Id
  readonly session_id: Session.Id
  readonly user_id: Ids.UserId | undefined
  /** The caller is kept apart from others, and runs only in sessions of their own. */
  readonly isolated: boolean
  readonly input: Run.Input
  /** Ask models for a stream, and keep the run's events. */
  readonly stream: boolean
  /** Nobody waits for it. Its events are kept, for whoever comes to see how it is getting on. */
  readonly background: boolean
}
