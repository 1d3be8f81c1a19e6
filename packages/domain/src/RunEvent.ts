// Events of a run of any kind. Watchers, stores and transports share these values with their wire names, so an event is
// encoded once.
import { Schema } from "effect"
import * as AgentEvent from "./AgentEvent.ts"
import * as TeamEvent from "./TeamEvent.ts"
import * as WorkflowEvent from "./WorkflowEvent.ts"

const members = [...AgentEvent.AgentEvent.members, ...TeamEvent.TeamEvent.members, ...WorkflowEvent.members] as const

/** Looked up by name, because the union of all events is too large for a declaration. */
export interface AnyEvent extends Schema.Union<typeof members> {}

export const RunEvent: AnyEvent = Schema.Union(members)
export type RunEvent = typeof RunEvent.Type
export type Kind = RunEvent["event"]

/** Without duplicates: custom events have one name in all kinds of runs. */
export const kinds: ReadonlyArray<Kind> = [
  ...new Set(members.map((member): Kind => "fields" in member ? member.fields.event.literal : "CustomEvent"))
]

/** Control events of a stream, between the run's events: what follows, and from which index. They have no index. */
export const Control = Schema.Struct({
  event: Schema.Literals(["catch_up", "subscribed", "replay", "error"]),
  run_id: Schema.optionalKey(Schema.String),
  status: Schema.optionalKey(Schema.String),
  missed_events: Schema.optionalKey(Schema.Int),
  current_event_count: Schema.optionalKey(Schema.Int),
  total_events: Schema.optionalKey(Schema.Int),
  total_buffered: Schema.optionalKey(Schema.Int),
  last_event_index_requested: Schema.optionalKey(Schema.Int),
  message: Schema.optionalKey(Schema.String),
  error: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "StreamControl" })
export type Control = typeof Control.Type

/** Identifies the component's run in every event. */
export type Tags =
  | Pick<AgentEvent.AgentEvent, "agent_id" | "agent_name">
  | Pick<TeamEvent.TeamEvent, "team_id" | "team_name">
  | Pick<WorkflowEvent.WorkflowEvent, "workflow_id" | "workflow_name">

type Without<E, Keys extends PropertyKey> = E extends unknown ? Omit<E, Keys> : never

export type AgentPayload = Without<AgentEvent.AgentEvent, keyof typeof AgentEvent.base>
export type TeamPayload = Without<TeamEvent.TeamEvent, keyof typeof TeamEvent.base>

/** An event without the keys that every event has: what its producer supplies. */
export type Payload = AgentPayload | TeamPayload | WorkflowEvent.Payload

/** An event of a nested run: it identifies its run and lacks only its time and its index. */
export type Inner = Without<RunEvent, "created_at" | "event_index">

/** Events of a team's leader are events of the team. */
export const ofLeader = (payload: AgentPayload): TeamPayload => {
  // custom events have one name, whatever emits them
  if (payload.event === "CustomEvent") return payload
  const { event, ...fields } = payload
  if (event !== "RunContent") return { event: `Team${event}`, ...fields } as TeamPayload
  const { event: _, workflow_agent: __, ...content } = payload as Extract<
    AgentPayload,
    { readonly event: "RunContent" }
  >
  return { event: "TeamRunContent", ...content }
}

const content: ReadonlySet<Kind> = new Set([
  "RunContent",
  "RunContentPartial",
  "TeamRunContent",
  "TeamRunContentPartial",
  "StepOutput"
])
const essential: ReadonlySet<Kind> = new Set([
  "RunContent",
  "RunPaused",
  "RunCancelled",
  "RunError",
  "CustomEvent",
  "TeamRunContent",
  "TeamRunPaused",
  "TeamRunCancelled",
  "TeamRunError",
  "StepOutput",
  "WorkflowCompleted",
  "WorkflowPaused",
  "WorkflowCancelled",
  "WorkflowError"
])

/** Text events: stored for replay, but not shown among the events of a stored run. */
export const isContent = (event: { readonly event: Kind }): boolean => content.has(event.event)

/** A piece of an answer without text: it is in the place of one that was shown and lost. */
export const isBlank = (event: RunEvent): boolean =>
  (event.event === "RunContent" || event.event === "TeamRunContent") &&
  event.content === "" && event.reasoning_content === "" && event.citations === undefined && event.image === undefined

/** The events that a caller gets with `stream_events=false`: the answer or the failure. */
export const isEssential = (event: { readonly event: Kind }): boolean => essential.has(event.event)

/** The stored form of an event. It omits memories of the user, because a removal would miss them here. */
export const toStored = (event: RunEvent): RunEvent => {
  switch (event.event) {
    case "MemoryUpdateCompleted":
    case "TeamMemoryUpdateCompleted": {
      const { memories: _, ...rest } = event
      return rest
    }
    case "SessionSummaryCompleted":
    case "TeamSessionSummaryCompleted": {
      const { session_summary: _, ...rest } = event
      return rest
    }
    default:
      return event
  }
}
