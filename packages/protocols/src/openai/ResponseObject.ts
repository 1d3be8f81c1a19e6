// A run as the object of `responses`.
import * as AnyRun from "@svc-runtime/domain/AnyRun"
import type * as Json from "@svc-runtime/domain/Json"
import * as Run from "@svc-runtime/domain/Run"
import * as Usage from "@svc-runtime/domain/Usage"
import type { Question } from "../pause/Question.ts"
import * as Questions from "../pause/Questions.ts"
import { textOf } from "../run/RunPiece.ts"
import * as OpaqueId from "./OpaqueId.ts"
import * as UsageOf from "./Usage.ts"

export interface Described extends OpaqueId.RunAddress {
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
  readonly usage?: object
}

export const make = (described: Described, { error, output, status, usage }: Changing): object => ({
  id: OpaqueId.ofResponse(described),
  object: "response",
  created_at: described.created,
  status,
  error: error ?? null,
  incomplete_details: null,
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

export const messageItem = (
  id: string,
  status: "in_progress" | "completed" | "incomplete",
  content: ReadonlyArray<object>
) => ({
  id,
  type: "message",
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
  type: "function_call",
  status,
  call_id: OpaqueId.ofCall({ run_id, session_id, toolCallId }),
  name,
  arguments: args
})

/** Of a run that was asked to end. */
export const cancelled = (described: Described): object => make(described, { status: "cancelled", output: [] })

/** `counted` is the usage that an earlier response of the run had. */
export const of = (run: AnyRun.Output, described: Described, counted?: Usage.RunMetrics): object => {
  const usage = UsageOf.ofResponse(Usage.since(counted, AnyRun.usageOf(run)))
  if (Run.isActive(run.status)) {
    return make(described, { status: "in_progress", output: [] })
  }
  if (run.status === "CANCELLED") return cancelled(described)
  if (run.status === "ERROR") {
    const error = { code: "server_error", message: textOf(run.content) }
    return make(described, { status: "failed", output: [], error, usage })
  }
  if (run.status === "PAUSED") {
    const output = Questions.of(run).map((question, index) =>
      callItem(
        described,
        `fc_${run.run_id}_${index}`,
        "completed",
        question,
        JSON.stringify(Questions.argsOf(question))
      )
    )
    return make(described, { status: "completed", output, usage })
  }
  const output = [messageItem(`msg_${run.run_id}`, "completed", [textPart(textOf(run.content))])]
  return make(described, { status: "completed", output, usage })
}
