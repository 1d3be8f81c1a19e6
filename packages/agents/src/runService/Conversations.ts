// Where people see a run that the service itself has started in a session, such as that with the result of a background
// task: a conversation on a platform can have the session. A service without channels has no conversations.
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { StorageUnavailable } from "@svc-runtime/domain/StorageUnavailable"
import { Context, Effect, Option } from "effect"
import type { ComponentRef } from "./Components.ts"

export interface StartedRun {
  readonly component: ComponentRef
  readonly run_id: Run.Id
  readonly session_id: Session.Id
}

export class Conversations extends Context.Service<Conversations, {
  /** The conversation of the session shows the run, if there is one. It may be called again for the run. */
  readonly show: (run: StartedRun) => Effect.Effect<void, StorageUnavailable>
}>()("@svc-runtime/agents/runService/Conversations") {}

/** Does nothing in a service without conversations. */
export const show: Effect.Effect<Conversations["Service"]["show"]> = Effect.map(
  Effect.serviceOption(Conversations),
  Option.match({ onNone: () => () => Effect.void, onSome: ({ show }) => show })
)
