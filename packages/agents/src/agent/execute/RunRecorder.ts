// The progress of a run. The loop writes to it; the response, the events and the stored form are read from it. A
// recorder belongs to one run.
import type * as Json from "@svc-runtime/domain/Json"
import type * as Media from "@svc-runtime/domain/Media"
import type * as Message from "@svc-runtime/domain/Message"
import type * as Reasoning from "@svc-runtime/domain/Reasoning"
import type * as Requirement from "@svc-runtime/domain/Requirement"
import type * as Run from "@svc-runtime/domain/Run"
import type * as RunEvent from "@svc-runtime/domain/RunEvent"
import * as Time from "@svc-runtime/domain/Time"
import type * as ToolExecution from "@svc-runtime/domain/ToolExecution"
import * as Usage from "@svc-runtime/domain/Usage"
import { NewId } from "@svc-runtime/engine/NewId"
import type { Model } from "@svc-runtime/models/Model"
import { Clock, Effect } from "effect"
import type { Based, Figures } from "./AgentJournal.ts"

export type Emit = (payload: RunEvent.Payload) => void

export interface RunRecorder {
  readonly emit: Emit
  readonly messages: Array<Message.Message>
  readonly tools: Array<ToolExecution.ToolExecution>
  readonly reasoningSteps: Array<Reasoning.ReasoningStep>
  readonly files: Array<Media.File>
  reasoning: string
  citations: Run.Citations | undefined
  /** Of the last answer, if it ends before its end. */
  finishReason: Run.FinishReason | undefined
  usage: Usage.Counters
  details: Usage.Details
  timeToFirstToken: number | undefined
  /** The open and the decided requirements. */
  requirements: ReadonlyArray<Requirement.Requirement>
  /** The original run, if this one continues it. */
  origin: Based["origin"] | undefined
  /** Seconds of execution in earlier processes or before a pause. */
  earlier: number
  /** The part of the current answer that was shown. */
  partial: string
  /** The start of the run in epoch seconds. */
  readonly createdAt: number
  readonly newId: () => string
  /** Epoch seconds. */
  readonly now: () => number
  /** Epoch seconds with a fraction. */
  readonly preciseNow: () => number
  /** Seconds of execution. */
  readonly elapsed: () => number
  readonly message: (
    role: Message.Role,
    fields: Partial<Omit<Message.Message, "id" | "role" | "created_at">>
  ) => Message.Message
}

export const make = Effect.fnUntraced(function*(emit: Emit, createdAt: number) {
  const clock = yield* Clock.Clock
  const newId = yield* NewId
  const startedAt = clock.monotonicTimeNanosUnsafe()
  const now = () => Time.fromMillis(clock.currentTimeMillisUnsafe())
  const recorder: RunRecorder = {
    emit,
    messages: [],
    tools: [],
    reasoningSteps: [],
    files: [],
    reasoning: "",
    citations: undefined,
    finishReason: undefined,
    usage: {},
    details: {},
    timeToFirstToken: undefined,
    requirements: [],
    origin: undefined,
    earlier: 0,
    partial: "",
    createdAt,
    newId,
    now,
    preciseNow: () => clock.currentTimeMillisUnsafe() / 1000,
    elapsed: () => recorder.earlier + Number(clock.monotonicTimeNanosUnsafe() - startedAt) / 1e9,
    message: (role, fields) => ({
      id: newId(),
      from_history: false,
      stop_after_tool_call: false,
      role,
      created_at: now(),
      ...fields
    })
  }
  return recorder
})

/** Adds the usage of one model request in its role. */
export const addUsage = (
  recorder: RunRecorder,
  role: string,
  model: Pick<Model, "id" | "provider">,
  usage: Usage.Counters
): void => {
  recorder.usage = Usage.add(recorder.usage, usage)
  recorder.details = Usage.addDetails(recorder.details, Usage.ofRequest({ role, model, usage }).details)
}

/** The counters for a later process. */
export const figuresOf = (recorder: RunRecorder): Figures => ({
  usage: recorder.usage,
  details: recorder.details,
  ...(recorder.timeToFirstToken === undefined ? {} : { time_to_first_token: recorder.timeToFirstToken }),
  elapsed: recorder.elapsed(),
  reasoning: recorder.reasoning,
  reasoning_steps: [...recorder.reasoningSteps],
  files: [...recorder.files],
  ...(recorder.citations === undefined ? {} : { citations: recorder.citations })
})

export const metricsOf = (recorder: RunRecorder): Usage.RunMetrics => ({
  ...recorder.usage,
  ...(recorder.timeToFirstToken === undefined ? {} : { time_to_first_token: recorder.timeToFirstToken }),
  duration: recorder.elapsed(),
  ...(Object.keys(recorder.details).length === 0 ? {} : { details: recorder.details })
})

/** A part of the answer or of the reasoning. */
export const show = (
  { emit }: RunRecorder,
  piece: { readonly content?: Json.Value; readonly content_type?: string; readonly reasoning_content?: string }
): void => emit({ event: "RunContent", workflow_agent: false, content_type: "str", reasoning_content: "", ...piece })

type MediaOf = Pick<Run.Output, "audio" | "files" | "images" | "response_audio" | "videos">

const isOf = (kind: string) => ({ mime_type = "" }: Media.File): boolean => mime_type.startsWith(`${kind}/`)

/** What models made, by its kind. The first sound is the answer as sound. */
const mediaOf = (made: ReadonlyArray<Media.File>): MediaOf => {
  const [answer, ...audio] = made.filter(isOf("audio"))
  const media = {
    images: made.filter(isOf("image")),
    videos: made.filter(isOf("video")),
    audio,
    files: made.filter((file) => !["image", "video", "audio"].some((kind) => isOf(kind)(file)))
  }
  const listed = Object.fromEntries(Object.entries(media).filter(([, items]) => items.length > 0))
  return { ...listed, ...(answer === undefined ? {} : { response_audio: answer }) }
}

/** The optional keys of an output. */
export const optionalFieldsOf = (recorder: RunRecorder): {
  readonly reasoning_content?: string
  readonly reasoning_steps?: ReadonlyArray<Reasoning.ReasoningStep>
  readonly citations?: Run.Citations
  readonly finish_reason?: Run.FinishReason
} & MediaOf => ({
  ...(recorder.reasoning === "" ? {} : { reasoning_content: recorder.reasoning }),
  ...(recorder.reasoningSteps.length === 0 ? {} : { reasoning_steps: recorder.reasoningSteps }),
  ...(recorder.citations === undefined ? {} : { citations: recorder.citations }),
  ...(recorder.finishReason === undefined ? {} : { finish_reason: recorder.finishReason }),
  ...(recorder.files.length === 0 ? {} : mediaOf(recorder.files))
})
