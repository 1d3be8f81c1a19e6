// A run as the object of `responses`.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import type * as Usage from "@svc-runtime/domain/Usage"
import type { Question } from "../pause/Question.ts"
import { textOf } from "../run/RunPiece.ts"
import * as OpaqueId from "./OpaqueId.ts"
import * as UsageOf from "./Usage.ts"

export interface Described extends OpaqueId.ResponseAddress {
  readonly model: string
  /** Epoch seconds. */
  readonly created: number
  readonly previous: string | null
  readonly instructions: string | null
  readonly metadata: Json.Object
  /** Whether the run continues without its client. */
  readonly background?: boolean | undefined
}

export type Status = "in_progress" | "completed" | "failed" | "incomplete" | "cancelled"

interface Changing {
  readonly status: Status
  readonly output: ReadonlyArray<object>
  readonly error?: { readonly code: string; readonly message: string }
  /** Why the answer ends before its end. */
  readonly finishReason?: Run.FinishReason | undefined
  /** Undefined: the provider has sent none. */
  readonly usage?: object | undefined
}

const incompleteReasons = { length: "max_output_tokens", content_filter: "content_filter" } as const

/** The status of a run that has completed. */
export const completedAs = (finishReason: Run.FinishReason | undefined) =>
  finishReason === undefined ? "completed" : "incomplete"

export const make = (described: Described, { error, finishReason, output, status, usage }: Changing): object => ({
  id: OpaqueId.ofResponse(described),
  object: "response",
  created_at: described.created,
  status,
  error: error ?? null,
  incomplete_details: finishReason === undefined ? null : { reason: incompleteReasons[finishReason] },
  instructions: described.instructions,
  metadata: described.metadata,
  model: described.model,
  output,
  parallel_tool_calls: true,
  previous_response_id: described.previous,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null,
  ...(described.background === true ? { background: true } : {}),
  ...(usage === undefined ? {} : { usage })
})

export const textPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] })

export interface Item {
  readonly id: string
  readonly type: "message" | "reasoning" | "function_call"
}

export const messageItem = (
  id: string,
  status: "in_progress" | "completed" | "incomplete",
  content: ReadonlyArray<object>
) => ({
  id,
  type: "message" as const,
  status,
  role: "assistant",
  content
})

/** The id of the call leads back to the run: clients that send the whole input name no response. */
export const callItem = (
  { run_id, session_id }: OpaqueId.RunAddress,
  id: string,
  status: "in_progress" | "completed",
  { name, toolCallId }: Question,
  args: string
) => ({
  id,
  type: "function_call" as const,
  status,
  call_id: OpaqueId.ofCall({ run_id, session_id, toolCallId }),
  name,
  arguments: args
})

/** Of a run that was asked to end, and has not ended yet. */
export const cancelled = (described: Described): object => make(described, { status: "cancelled", output: [] })

/** What the stream of a response has. */
export interface Shown {
  readonly items: ReadonlyArray<Item>
  /** Of the requests to models in it. */
  readonly usage: Usage.Counters
  /** It ends with calls. The run can have continued since, in another response. */
  readonly isPaused: boolean
}

/** Clients join all texts. A typed answer would not be JSON any more, and a workflow answers with its last step. */
const outputOf = (run: AnyRun.Output, items: ReadonlyArray<Item>): ReadonlyArray<Item> => {
  if (run.status !== "COMPLETED" || (!AnyRun.isWorkflow(run) && run.content_type === "str")) return items
  const last = items.findLast(({ type }) => type === "message")
  return items.filter((item) => item.type !== "message" || item === last)
}

export const of = (run: AnyRun.Output, described: Described, shown: Shown): object => {
  const { isPaused, items, usage: counters } = shown
  if (isPaused && run.status !== "PAUSED") {
    return make(described, { status: "completed", output: items, usage: UsageOf.ofResponse(counters) })
  }
  if (Run.isActive(run.status)) return make(described, { status: "in_progress", output: [] })
  // the response before it has the usage until then
  const usage = UsageOf.ofResponse(described.from === undefined ? AnyRun.usageOf(run) : counters)
  const output = outputOf(run, items)
  // what the model has written so far
  if (run.status === "CANCELLED") return make(described, { status: "cancelled", output, usage })
  if (run.status === "ERROR") {
    const error = { code: "server_error", message: textOf(run.content) }
    return make(described, { status: "failed", output, error, usage })
  }
  const finishReason = run.status === "COMPLETED" ? run.finish_reason : undefined
  return make(described, { status: completedAs(finishReason), finishReason, output, usage })
}
