// What summaries of sessions add to agents: options, a section of the context or a message instead of old ones, a tool
// that searches past sessions, and jobs after runs.
import { group, unless } from "@svc-runtime/agents/agent/define/AgentDetail"
import type { AgentPart } from "@svc-runtime/agents/agent/define/AgentPart"
import { type AgentCommand, isWithoutMemory } from "@svc-runtime/agents/agent/execute/AgentCommand"
import type { RunPart, ServedPart } from "@svc-runtime/agents/agent/execute/RunPart"
import { MemorySettingsStore } from "@svc-runtime/engine/session/MemorySettingsStore"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import { Effect } from "effect"
import { searchPastSessions } from "./PastSessionTool.ts"
import { CurrentSessions, type RunSessions, type SessionParts } from "./RunSessions.ts"
import * as SessionOptions from "./SessionOptions.ts"
import * as SummaryContext from "./SummaryContext.ts"
import * as SummaryJob from "./SummaryJob.ts"
import * as SummaryUpdate from "./SummaryUpdate.ts"

declare module "@svc-runtime/agents/agent/define/AgentPart" {
  interface FeatureOptions {
    /**
     * Summarize each session from time to time, and show the summary to the model in its later runs, so that
     * `numHistoryRuns` can be small. True means the defaults. Sessions of workflows are not summarized.
     */
    readonly sessionSummaries?: boolean | SessionOptions.SummaryOptions | undefined
    /**
     * Show the model a summary of the session instead of what its requests leave out of the history. A background
     * job keeps it. True means the defaults. Not beside `sessionSummaries`.
     */
    readonly summarizeHistory?: boolean | SessionOptions.HistorySummaryOptions | undefined
    /** The model gets a tool that searches the past sessions of the user with this agent. */
    readonly searchPastSessions?: boolean | SessionOptions.SearchOptions | undefined
  }
  interface FeatureSettings {
    readonly sessionSummaries: SessionOptions.SummarySettings | undefined
    readonly searchPastSessions: SessionOptions.SearchSettings | undefined
  }
}

const name = "summaries"

export const part: AgentPart = {
  name,
  define: (options, { name, numHistoryRuns }) => {
    const search = SessionOptions.search(name, options.searchPastSessions ?? false)
    return {
      settings: {
        sessionSummaries: SessionOptions.summaries(name, { ...options, numHistoryRuns }),
        searchPastSessions: search
      },
      tools: search === undefined ? [] : [searchPastSessions]
    }
  },
  isUsed: ({ searchPastSessions, sessionSummaries }) =>
    sessionSummaries !== undefined || searchPastSessions !== undefined,
  detail: ({ searchPastSessions, sessionSummaries }) => ({
    sessions: group({
      enable_session_summaries: unless(sessionSummaries !== undefined, false),
      search_past_sessions: unless(searchPastSessions !== undefined, false),
      num_past_sessions_to_search: searchPastSessions?.sessions,
      num_past_session_runs_in_search: searchPastSessions?.runs
    })
  }),
  backgroundModel: ({ sessionSummaries }) =>
    sessionSummaries?.inline === false
      ? {
        name: sessionSummaries.context === "history" ? "summarizeHistory" : "sessionSummaries",
        own: sessionSummaries.model
      }
      : undefined
}

/** Undefined: the caller wants no memory. */
const sessionsOf = (command: AgentCommand, isLeader: boolean, parts: SessionParts): RunSessions | undefined => {
  const { agent: { id, searchPastSessions, sessionSummaries }, root_run_id, run_id, session_id, user_id } = command
  if (isWithoutMemory(command)) return undefined
  return {
    ...parts,
    summaries: root_run_id === undefined ? sessionSummaries : undefined,
    search: searchPastSessions,
    user_id,
    session_id,
    run_id,
    kind: isLeader ? "team" : "agent",
    componentId: id
  }
}

export const forAgent = Effect.gen(function*() {
  const [sessions, settings] = [yield* SessionStore, yield* MemorySettingsStore]
  const forAgent: ServedPart["forAgent"] = (agent, readers) =>
    Effect.map(readers(agent.sessionSummaries?.model), (models) => ({ command, isLeader }): RunPart => {
      const run = sessionsOf(command, isLeader, { sessions, settings, models })
      return {
        order: 10,
        sources: run?.summaries?.context === true ? [SummaryContext.source(run)] : [],
        historySummary: run?.summaries?.context === "history"
          ? SummaryContext.message(run, { ...command, message: "" })
          : undefined,
        beforeEnd: run?.summaries?.inline === true ? (recorder) => SummaryUpdate.inline(run, recorder) : undefined,
        jobs: run === undefined ? undefined : SummaryJob.after(run, agent),
        provide: Effect.provideService(CurrentSessions, run)
      }
    })
  return forAgent
})
