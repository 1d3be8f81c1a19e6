// The sessions that a run may use: the summary of its own, and the past ones of its user with its component.
import type * as ConversationRequest from "@svc-runtime/agents/agent/read/ConversationRequest"
import type * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import type { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Context, Effect } from "effect"
import type { SearchSettings, SummarySettings } from "./SessionOptions.ts"

/** What an agent that summarizes or searches sessions needs. */
export interface SessionParts {
  readonly sessions: SessionStore["Service"]
  readonly settings: MemorySettingsStore["Service"]
  /** The model that writes summaries, and its fallbacks. */
  readonly models: ConversationRequest.Models
}

export interface RunSessions extends SessionParts {
  /** Undefined also in runs of members and of steps: their session is that of the team or the workflow. */
  readonly summaries: SummarySettings | undefined
  readonly search: SearchSettings | undefined
  readonly user_id: Ids.UserId | undefined
  readonly session_id: Session.Id
  readonly run_id: Run.Id
  readonly kind: ComponentKind.ComponentKind
  readonly componentId: string
}

/** Whether the user lets agents remember. It is read each time, so that a change counts at once. */
export const isEnabled = (
  settings: MemorySettingsStore["Service"],
  user_id: Ids.UserId | null | undefined
): Effect.Effect<boolean, StorageUnavailable> =>
  user_id === null || user_id === undefined ? Effect.succeed(true) : settings.isEnabled(user_id)

/** Of the executing run, for the tool. Undefined: its caller wants no memory. */
export class CurrentSessions extends Context.Service<CurrentSessions, RunSessions | undefined>()(
  "@svc-runtime/features/summaries/RunSessions/CurrentSessions"
) {}
