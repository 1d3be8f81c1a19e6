// The tool with which a model searches the past sessions of the user with the same component.
import { toDateTime } from "@svc-runtime/domain/Time"
import { type PastSession, wordsOf } from "@svc-runtime/engine/session/SessionSummaries"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Effect, Schema } from "effect"
import { CurrentSessions, isEnabled } from "./RunSessions.ts"

class SearchUnusable extends Schema.TaggedError<SearchUnusable>()("SearchUnusable", { message: Schema.String }) {}

/** Characters of a result. */
const maxCharacters = 16_000

const maxSummaryLength = 4000

const current = Effect.gen(function*() {
  const sessions = yield* CurrentSessions
  if (sessions?.search === undefined || sessions.user_id === undefined) {
    return yield* new SearchUnusable({
      message: "This run has no past sessions: it has no user, or memory is switched off"
    })
  }
  if (!(yield* isEnabled(sessions.settings, sessions.user_id))) {
    return yield* new SearchUnusable({ message: "The user has switched memory off" })
  }
  return { ...sessions, search: sessions.search, user_id: sessions.user_id }
})

/** As much as fits, the best first. */
const shown = (found: ReadonlyArray<PastSession>) => {
  let remaining = maxCharacters
  const fits = (text: string) => (remaining -= text.length) >= 0
  return found.map(({ created_at, name, runs, summary }) => {
    const text = summary?.summary.slice(0, maxSummaryLength) ?? ""
    return {
      name,
      created_at: toDateTime(created_at),
      ...(text !== "" && fits(text) ? { summary: text } : {}),
      runs: runs.filter(fits)
    }
  })
}

export const searchPastSessions = Tool.make({
  name: "search_past_sessions",
  description: "Finds earlier conversations with this user, by words. Without words it gives the newest ones",
  parameters: Schema.Struct({ query: Schema.String.check(Schema.isMaxLength(1000)) }),
  effects: "read",
  execute: ({ query }) =>
    Effect.gen(function*() {
      const { componentId, kind, search, session_id, sessions, user_id } = yield* current
      const words = wordsOf(query)
      return shown(yield* sessions.searchPast({ ...search, user_id, kind, componentId, current: session_id, words }))
    })
})
