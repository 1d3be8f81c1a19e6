// What happens during a run, of whatever kind of component. Watchers, stores and every transport carry the same values:
// these are the wire's own names, so an event is encoded once.
import { Schema } from "effect"
import * as AgentEvent from "./AgentEvent.ts"
import * as TeamEvent from "./TeamEvent.ts"
import * as WorkflowEvent from "./WorkflowEvent.ts"

const members = [...AgentEvent.AgentEvent.members, ...TeamEvent.TeamEvent.members, ...WorkflowEvent.members] as const

/** By name, because the types of so many events are more than a declaration may spell out. */
export interface AnyEvent extends Schema.Union<typeof members> {}

export const RunEvent: AnyEvent = Schema.Union(members)
export type RunEvent = typeof RunEvent.Type
export type Kind = RunEvent["event"]

/** Each of them once: what authors tell has one name in all kinds of runs. */
export const kinds: ReadonlyArray<Kind> = [
  ...new Set(members.map((member): Kind => "fields" in member ? member.fields.event.literal : "CustomEvent"))
]

/** What a stream says about itself, between events: what follows, and from where. It has no index. */
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

/** What the component's run says of itself in every event. */
export type Tags =
  | Pick<AgentEvent.AgentEvent, "agent_id" | "agent_name">
  | Pick<TeamEvent.TeamEvent, "team_id" | "team_name">
  | Pick<WorkflowEvent.WorkflowEvent, "workflow_id" | "workflow_name">

type Without<E, Keys extends PropertyKey> = E extends unknown ? Omit<E, Keys> : never

export type AgentPayload = Without<AgentEvent.AgentEvent, keyof typeof AgentEvent.base>
export type TeamPayload = Without<TeamEvent.TeamEvent, keyof typeof TeamEvent.base>

/** An event without what every event carries: what the part of the system that produces it has to say. */
export type Payload = AgentPayload | TeamPayload | WorkflowEvent.Payload

/** An event of a run within the one that is watched: it says whose it is, and lacks only its moment and its number. */
export type Inner = Without<RunEvent, "created_at" | "event_index">

/** What happens to the leader of a team happens to the team. */
export const ofLeader = (payload: AgentPayload): TeamPayload => {
  const { event, ...said } = payload
  // what an author says has one name, whoever it is said by
  if (event === "CustomEvent") return payload as unknown as TeamPayload
  if (event !== "RunContent") return { event: `Team${event}`, ...said } as TeamPayload
  const { event: _, workflow_agent: __, ...content } = payload as Extract<
    AgentPayload,
    { readonly event: "RunContent" }
  >
  return { event: "TeamRunContent", ...content }
}

const content: ReadonlySet<Kind> = new Set(["RunContent", "TeamRunContent", "StepOutput"])
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

/** Pieces of an answer: kept for replay, but not shown among the events of a stored run. */
export const isContent = (event: { readonly event: Kind }): boolean => content.has(event.event)

/** What a caller gets that asked for `stream_events=false`: the answer, or why there is none. */
export const isEssential = (event: { readonly event: Kind }): boolean => essential.has(event.event)
