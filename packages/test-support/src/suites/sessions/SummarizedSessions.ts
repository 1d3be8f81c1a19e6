// Completed runs of sessions, and their summaries.
import type * as Session from "@svc-runtime/domain/Session"
import { RunStore } from "@svc-runtime/engine/run/store/RunStore"
import type { NewRun } from "@svc-runtime/engine/run/store/RunWrites"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import type { NewSummary, Unsummarized } from "@svc-runtime/engine/session/SessionSummaries"
import { Effect, Option } from "effect"
import { ending, newRun, sessionId, talk } from "../Samples.ts"

export const at = 1_700_000_900
export const one = { runs: 1, bytes: 1 }

/** Completed runs of a session, each with a message of the user and an answer. */
export const runIn = Effect.fnUntraced(function*(begun: NewRun, question: string, answer = `Answer to ${question}`) {
  const runs = yield* RunStore
  yield* runs.create(begun)
  yield* runs.finish(ending(begun, { run: { messages: talk(question, answer) } }))
  return begun
})

export const runsIn = Effect.fnUntraced(function*(fields: Partial<NewRun>, ...questions: ReadonlyArray<string>) {
  const session_id = fields.session_id ?? sessionId()
  yield* Effect.forEach(questions, (question) => runIn(newRun({ ...fields, session_id }), question))
  return session_id
})

export const next = (id: Session.Id, threshold = one) =>
  SessionStore.use((store) => store.unsummarized(id, threshold)).pipe(Effect.flatMap(Effect.fromOption))

export const isNone = (id: Session.Id, threshold = one) =>
  SessionStore.use((store) => store.unsummarized(id, threshold)).pipe(Effect.map(Option.isNone))

export const questionsIn = ({ messages }: Unsummarized) =>
  messages.flatMap(({ content, role }) => role === "user" ? [content] : [])

export const newSummary = (session_id: Session.Id, from: Unsummarized, text: string): NewSummary => {
  const { covered, first, last, user_id, version } = from
  return { session_id, user_id, version, first, last, covered, summary: { summary: text, topics: [] }, at }
}

export const summarize = (summary: NewSummary) => SessionStore.use((store) => store.summarize(summary))
