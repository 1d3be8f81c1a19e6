// The text of answers: of runs, and of the events that have an answer or a part of it.
import type * as Generated from "./generated/types.ts"

/** Added by the client. */
export interface Text {
  /** The content as text. An object is JSON, and nothing is the empty text. */
  readonly text: string
}

type Answering = `${"" | "Team"}Run${"Content" | "Completed"}` | "WorkflowCompleted"

const answering = /^(Team)?Run(Content|Completed)$|^WorkflowCompleted$/

type WithText<Event> = Event extends { readonly event: Answering } ? Event & Text : Event

/** Events of the runs of agents, by `event`. */
export type AgentEvent = WithText<Generated.AgentEvent>
/** Events of the runs of teams, by `event`. */
export type TeamEvent = WithText<Generated.TeamEvent>
/** Events of the runs of workflows, by `event`. */
export type WorkflowEvent = WithText<Generated.WorkflowEvent>

export type RunOutput = Generated.RunOutput & Text
export type TeamRunOutput = Generated.TeamRunOutput & Text
export type WorkflowRunOutput = Generated.WorkflowRunOutput & Text

interface Answer {
  readonly content?: unknown
}

const textOf = ({ content }: Answer): string =>
  typeof content === "string" ? content : content === undefined || content === null ? "" : JSON.stringify(content)

export const outputWithText = <Output>(run: unknown): Output =>
  ({ ...run as Answer, text: textOf(run as Answer) }) as Output

export const eventWithText = <Event extends { readonly event: string }>(event: Event): Event =>
  answering.test(event.event) ? { ...event, text: textOf(event as Answer) } : event
