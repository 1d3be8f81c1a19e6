// Makes the next summary of a session, and stores it unless the earlier one was changed meanwhile.
import { addUsage, type RunRecorder } from "@svc-runtime/agents/agent/execute/RunRecorder"
import type * as ConversationRequest from "@svc-runtime/agents/agent/read/ConversationRequest"
import * as Transcript from "@svc-runtime/agents/agent/read/Transcript"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import { toDateTime } from "@svc-runtime/domain/Time"
import { now } from "@svc-runtime/engine/now"
import type { ChatMessage, SummaryThreshold, Unsummarized } from "@svc-runtime/engine/session/SessionSummaries"
import { Cause, Effect, Option } from "effect"
import { isEnabled, type RunSessions, type SessionParts } from "./RunSessions.ts"
import * as SummaryRequest from "./SummaryRequest.ts"

export interface Update<E, R> extends SessionParts {
  readonly session_id: Session.Id
  readonly threshold: SummaryThreshold
  readonly instructions: string | undefined
  /** The run that asks, with its messages, which are not stored yet. */
  readonly run?: { readonly run_id: Run.Id; readonly messages: ReadonlyArray<ChatMessage> } | undefined
  /** Called when there is enough for a summary. */
  readonly onDue: () => void
  readonly onUsage: ConversationRequest.OnUsage<E, R>
}

/** `NotDue` also if the user has switched memory off. `Outdated`: it was not stored. */
export type Outcome =
  | { readonly _tag: "NotDue" }
  | { readonly _tag: "Outdated" }
  | { readonly _tag: "Stored"; readonly summary: Session.Summary | null }

const notDue: Outcome = { _tag: "NotDue" }

const transcriptOf = ({ isRunIncluded, messages }: Unsummarized, own: ReadonlyArray<ChatMessage>): string =>
  Transcript.make(isRunIncluded ? [...messages, ...own] : messages)

export const run = Effect.fnUntraced(function*<E, R>(update: Update<E, R>) {
  const { instructions, models, run, session_id, sessions, settings, threshold } = update
  const found = yield* sessions.unsummarized(session_id, threshold, run?.run_id)
  if (Option.isNone(found) || !(yield* isEnabled(settings, found.value.user_id))) return notDue
  const { covered, first, last, summary: earlier, user_id, version } = found.value
  update.onDue()
  const transcript = transcriptOf(found.value, run?.messages ?? [])
  const at = yield* now
  const written = transcript === "" ? earlier : {
    ...(yield* SummaryRequest.ask({ models, instructions, earlier, transcript, created_at: at }, update.onUsage)),
    updated_at: toDateTime(at)
  }
  // the user may have switched it off while the model answered
  if (!(yield* isEnabled(settings, user_id))) return notDue
  const isStored = yield* sessions.summarize({
    session_id,
    user_id,
    version,
    covered,
    first,
    last,
    summary: written,
    at
  })
  const outcome: Outcome = isStored ? { _tag: "Stored", summary: written } : { _tag: "Outdated" }
  return outcome
})

/** Before the end of a run, which it does not fail. */
export const inline = Effect.fnUntraced(function*(of: RunSessions, recorder: RunRecorder) {
  const { models, run_id, session_id, sessions, settings, summaries } = of
  if (summaries === undefined) return
  let isDue = false
  const outcome = yield* run({
    models,
    session_id,
    sessions,
    settings,
    threshold: summaries.threshold,
    instructions: summaries.instructions,
    run: { run_id, messages: recorder.messages },
    onDue: () => {
      isDue = true
      recorder.emit({ event: "SessionSummaryStarted" })
    },
    onUsage: (usage, model) => Effect.sync(() => addUsage(recorder, "session_summary_model", model, usage))
  }).pipe(
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logWarning("A session could not be summarized in the run", cause), notDue)
    )
  )
  if (!isDue) return
  const summary = outcome._tag === "Stored" ? outcome.summary : null
  recorder.emit({ event: "SessionSummaryCompleted", ...(summary === null ? {} : { session_summary: summary }) })
})
