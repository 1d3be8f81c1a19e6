// The tool with which a model searches the earlier messages of its session, also what its requests leave out.
import type { AgentCommand } from "@svc-runtime/agents/agent/execute/AgentCommand"
import { given } from "@svc-runtime/agents/agent/execute/RunPart"
import type * as Run from "@svc-runtime/domain/Run"
import type * as Session from "@svc-runtime/domain/Session"
import type { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { wordsOf } from "@svc-runtime/engine/session/SessionSummaries"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Context, Effect, Schema } from "effect"

class SearchUnusable extends Schema.TaggedError<SearchUnusable>()("SearchUnusable", { message: Schema.String }) {}

export interface RunHistory {
  readonly sessions: SessionStore["Service"]
  readonly session_id: Session.Id
  readonly run_id: Run.Id
}

/** Of the executing run. Undefined: its session is that of a team or a workflow. */
export class CurrentHistory extends Context.Service<CurrentHistory, RunHistory | undefined>()(
  "@svc-runtime/features/summaries/HistorySearch/CurrentHistory"
) {}

export const historyOf = (
  { root_run_id, run_id, session_id }: AgentCommand,
  sessions: SessionStore["Service"]
): RunHistory | undefined => root_run_id === undefined ? { sessions, session_id, run_id } : undefined

const name = "search_history"

export const searchHistory = Tool.make({
  name,
  description: "Finds earlier messages of this conversation, and earlier results of tools, by words. Use it for what " +
    "you no longer see",
  parameters: Schema.Struct({ query: Schema.String.check(Schema.isMaxLength(1000)) }),
  effects: "read",
  execute: ({ query }) =>
    Effect.gen(function*() {
      const history = yield* given(CurrentHistory)
      if (history === undefined) {
        return yield* new SearchUnusable({ message: "This run has no conversation of its own" })
      }
      const words = wordsOf(query)
      if (words.length === 0) return yield* new SearchUnusable({ message: "Give words to search for" })
      const { run_id, session_id, sessions } = history
      const found = yield* sessions.searchHistory({ session_id, run_id, words, except: name })
      return found.map(({ role, text, tool_name }) => ({ role, ...(tool_name === "" ? {} : { tool_name }), text }))
    })
})
