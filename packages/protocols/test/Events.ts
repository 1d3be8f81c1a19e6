// Events of a run of an agent, with the fields that encoders read.
import type { Requirement } from "@svc-runtime/domain/Requirement"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import type { Encoder } from "../src/run/Encoder.ts"
import * as RunPieces from "../src/run/RunPieces.ts"

let index = 0

export const event = (name: string, fields: object = {}): RunEvent.RunEvent => ({
  event: name,
  event_index: index++,
  created_at: 1,
  agent_id: "a",
  agent_name: "Anna",
  run_id: "r",
  session_id: "s",
  nested_depth: 0,
  ...fields
} as RunEvent.RunEvent)

export const content = (text: string, reasoning_content = "") =>
  event("RunContent", { content: text, content_type: "str", reasoning_content, workflow_agent: false })

export const requested = ToolExecution.requested({ tool_call_id: "c", tool_name: "send", tool_args: {}, created_at: 1 })

export const call = (name: string, fields: Partial<ToolExecution.ToolExecution> = {}) =>
  event(name, { tool: { ...requested, ...fields } })

export const paused = () => {
  const requirement: Requirement = {
    id: "q",
    created_at: "2026-01-01T00:00:00Z",
    tool_execution: { ...requested, requires_confirmation: true }
  }
  return event("RunPaused", { content: "It waits.", tools: [], requirements: [requirement] })
}

export const completed = (text: string) =>
  event("RunCompleted", { content: text, content_type: "str", session_state: {}, metrics: {} })

interface Frame {
  readonly type: string
  readonly sequence_number?: number
}

/** The JSON of the frames, with the begin and the end of the stream. */
export const framesOf = (
  encoder: Encoder,
  events: ReadonlyArray<RunEvent.RunEvent>
): ReadonlyArray<Frame> => {
  const pieces = RunPieces.make("r")
  const shown = events.flatMap((each) => pieces.push(each)).map((piece) => encoder.push(piece)).join("")
  return `${encoder.begin}${shown}${encoder.end()}`.split("\n").filter((frame) => frame.startsWith("data: {"))
    .map((frame): Frame => JSON.parse(frame.slice("data: ".length)))
}
