// Values that the suites of the stores are written with. Ids are new each time, because the tests of a suite share one
// database.
import * as Ids from "@svc-runtime/domain/Ids"
import type * as Message from "@svc-runtime/domain/Message"
import * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import type * as Session from "@svc-runtime/domain/Session"
import type { Presence } from "@svc-runtime/engine/node/LeasedRuns"
import type { NewRun, RunCompletion } from "@svc-runtime/engine/run/store/RunWrites"
import type { NewSummary, PastQuery } from "@svc-runtime/engine/session/SessionSummaries"

export const newId = (prefix: string): string => `${prefix}-${crypto.randomUUID()}`

// Unchecked: stores are tried with ids that no caller may choose.
export const sessionId = (id: string = newId("session")) => id as Session.Id
export const runId = (id: string = newId("run")) => id as Run.Id
export const userId = (id: string = newId("user")) => Ids.UserId.make(id)

/** As `POST /sessions` makes it from an empty body. */
export const session = (fields: Partial<Session.Session> = {}): Session.Session => ({
  session_id: sessionId(),
  session_type: "agent",
  agent_id: null,
  team_id: null,
  workflow_id: null,
  user_id: null,
  session_name: null,
  derived_name: null,
  session_state: null,
  session_metrics: null,
  component_data: null,
  metadata: null,
  summary: null,
  created_at: 1_700_000_000,
  updated_at: 1_700_000_000,
  ...fields
})

/** With something in every field. */
export const filled = (fields: Partial<Session.Session> = {}): Session.Session =>
  session({
    agent_id: "assistant",
    user_id: userId(),
    session_name: "Holidays",
    derived_name: "Where shall we go?",
    session_state: { zebra: 1, apple: { list: [1, 2.5, "three", null, true] }, "": "empty key" },
    session_metrics: { input_tokens: 3, total_tokens: 5, cost: 0.25, details: { model: [{ id: "m", provider: "p" }] } },
    component_data: { name: "Assistant", model: { id: "m" } },
    metadata: { team: "blue" },
    summary: { summary: "Nothing was decided.", topics: ["holidays"], updated_at: "2026-01-01T00:00:00Z" },
    updated_at: 1_700_000_060,
    ...fields
  })

export const newRun = (fields: Partial<NewRun> = {}): NewRun => ({
  run_id: runId(),
  session_id: sessionId(),
  kind: "agent",
  component_id: "assistant",
  user_id: null,
  isolated: false,
  node: "node",
  created_at: 1_700_000_100,
  input: { input_content: "What is the time?" },
  derived_name: "What is the time?",
  component_data: { name: "Assistant", agent_id: "assistant", model: { name: "Fixed", id: "fixed", provider: "test" } },
  component_metadata: null,
  history: 0,
  command: {},
  startEvent: undefined,
  entries: [],
  isSerialized: false,
  if_busy: "queue",
  evaluation: false,
  ...fields
})

export const message = (
  role: Message.Role,
  content: string,
  fields: Partial<Message.Message> = {}
): Message.Message => ({
  id: newId("message"),
  content,
  from_history: false,
  stop_after_tool_call: false,
  role,
  created_at: 1_700_000_101,
  ...fields
})

export const talk = (question: string, answer: string): ReadonlyArray<Message.Message> => [
  message("system", "Answer in one word."),
  message("user", question),
  message("assistant", answer)
]

/** The answer to a run, unless `run` says otherwise. */
export const ending = (
  begun: NewRun,
  { run, ...fields }: Partial<Omit<RunCompletion, "run">> & { readonly run?: Partial<Run.Output> } = {}
): RunCompletion => ({
  attempt: 1,
  run: {
    ...Run.running(begun),
    agent_name: "Assistant",
    content: "Noon",
    model: "fixed",
    model_provider: "test",
    status: "COMPLETED",
    ...run
  },
  events: null,
  state_changes: undefined,
  usage: {},
  updated_at: begun.created_at + 1,
  ...fields
})

const eventBase = ({ created_at, component_id, run_id, session_id }: NewRun, event_index: number) => ({
  created_at,
  agent_id: component_id,
  agent_name: "Assistant",
  run_id,
  session_id,
  nested_depth: 0,
  event_index
})

/** A streamed run with this many pieces of an answer between its first and its last event. */
export const events = (begun: NewRun, pieces: number, content = "No"): ReadonlyArray<RunEvent.RunEvent> => [
  { event: "RunStarted", ...eventBase(begun, 0), model: "fixed", model_provider: "test" },
  ...Array.from({ length: pieces }, (_, piece): RunEvent.RunEvent => ({
    event: "RunContent",
    ...eventBase(begun, piece + 1),
    content,
    workflow_agent: false,
    content_type: "str",
    reasoning_content: ""
  })),
  { event: "RunContentCompleted", ...eventBase(begun, pieces + 1) },
  {
    event: "RunCompleted",
    ...eventBase(begun, pieces + 2),
    content: content.repeat(pieces),
    content_type: "str",
    session_state: {},
    metrics: {}
  }
]

/** Texts that something on the way to a disk may trip over. */
export const awkward = [
  "\u0000",
  "a\u0000b",
  "\ud800",
  "\udfff half",
  "👩‍👩‍👧 Ünïcödé 漢字",
  "\\u0000 \\\\u0000 \"quoted\" 'single' {brace}",
  "line\nbreak\r\n\ttab\u001f\u2028"
] as const

export const presence = (node: string, fields: Partial<Presence> = {}): Presence => ({
  node,
  process: null,
  components: [],
  format: 1,
  maxGap: 30,
  ...fields
})

/** A summary of a session, and a search of those before it. */
export const pastSessions = (session_id: Session.Id) => {
  const [user_id, at, summary] = [userId(), 1_700_000_100, { summary: "Nothing was decided." }]
  const stored: NewSummary = { session_id, user_id, version: "", covered: [1], first: 1, last: 1, at, summary }
  const past: PastQuery = {
    user_id,
    kind: "agent",
    componentId: "assistant",
    current: session_id,
    words: ["noon"],
    sessions: 1,
    runs: 1
  }
  return { summary: stored, past }
}
