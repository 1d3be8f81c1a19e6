// Shows a run to a person while it executes: its answer on standard output, and its steps on standard error.
import type * as Json from "@svc-runtime/domain/Json"
import type { Event } from "../service/RunEvents.ts"
import * as CallDecisions from "./CallDecisions.ts"

export interface Shown {
  /** A piece of the answer. */
  readonly answer?: string
  /** A line about what happens. */
  readonly note?: string
}

const maxLength = 200

const short = (text: string): string => {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > maxLength ? `${line.slice(0, maxLength)}…` : line
}

const nothing: Shown = {}

/** `root` is the run that is followed: runs inside of it have ids of their own. */
export const of = (event: Event, root: string): Shown => {
  switch (event.event) {
    case "RunContent":
    case "TeamRunContent":
      return event.run_id === root && typeof event.content === "string" ? { answer: event.content } : nothing
    case "ToolCallStarted":
    case "TeamToolCallStarted":
      return { note: short(`→ ${CallDecisions.titleOf(event.tool)}`) }
    case "ToolCallCompleted":
    case "TeamToolCallCompleted":
      // its failure is an event of its own
      return event.tool.tool_call_error === true
        ? nothing
        : { note: short(`← ${event.tool.tool_name}: ${event.tool.result ?? ""}`) }
    case "ToolCallError":
    case "TeamToolCallError":
      return { note: short(`← ${event.tool.tool_name} failed: ${event.tool.result ?? ""}`) }
    case "RunStarted":
      return event.run_id === root ? nothing : { note: `agent ${event.agent_id}` }
    case "TeamRunStarted":
      return event.run_id === root ? nothing : { note: `team ${event.team_id}` }
    case "StepStarted":
      return { note: `step ${event.step_name ?? event.step_id ?? ""}` }
    case "StepError":
      return { note: short(`step ${event.step_name ?? ""} failed`) }
    default:
      return nothing
  }
}

/** The note when a request is repeated whose answer a terminal already shows in part. */
export const repeated: Shown = { note: "The request to the model is repeated, and the answer begins again" }

/** Finds requests to the model that are repeated after a part of their answer, as after a crash of their node. */
export const requests = (root: () => string | undefined) => {
  let hasPart = false
  return {
    isRepeated: (event: Event): boolean => {
      if (event.run_id !== root()) return false
      const name = event.event.replace(/^Team/, "")
      const isAgain = name === "ModelRequestStarted" && hasPart
      if (name === "RunContent") hasPart = true
      if (name === "ModelRequestStarted" || name === "ModelRequestCompleted") hasPart = false
      return isAgain
    }
  }
}

/** The content of a run that ended: text as it is, values as JSON. */
export const contentOf = (content: Json.Value | undefined): string =>
  content === undefined || content === null
    ? ""
    : typeof content === "string"
    ? content
    : JSON.stringify(content, null, 2)
