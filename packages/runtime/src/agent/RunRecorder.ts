// What a run has said and done so far. The loop writes here; the run's answer, its events and its stored form are read
// from here. One recorder belongs to one run and is never shared.
import {
  type Json,
  type Media,
  type Message,
  type Reasoning,
  type Requirement,
  type Run,
  type RunEvent,
  Time,
  ToolExecution,
  Usage
} from "@svc/domain"
import { Clock, Effect } from "effect"
import type { Model } from "../model/Model.ts"
import { NewId } from "../NewId.ts"
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
  usage: Usage.Counters
  details: Usage.Details
  timeToFirstToken: number | undefined
  /** What the run waits for, or has waited for. */
  requirements: ReadonlyArray<Requirement.Requirement>
  /** Where the run comes from, when it goes on from another one. */
  origin: Based["origin"] | undefined
  /** Seconds that the run was executed before it came into this process, or was paused. */
  earlier: number
  /** What the model has said of the answer that it is giving at this moment, as far as it was shown. */
  partial: string
  /** When the run started, in epoch seconds. */
  readonly createdAt: number
  readonly newId: () => string
  /** Epoch seconds. */
  readonly now: () => number
  /** Seconds with a fraction, since the epoch. */
  readonly preciseNow: () => number
  /** Seconds that the run has been executed. */
  readonly elapsed: () => number
  readonly message: (
    role: Message.Role,
    fields: Partial<Omit<Message.Message, "id" | "role" | "created_at">>
  ) => Message.Message
}

export const make = Effect.fnUntraced(function*(emit: Emit, createdAt: number) {
  const clock = yield* Clock.Clock
  const newId = yield* NewId
  const startedAt = clock.currentTimeNanosUnsafe()
  const now = () => Time.fromMillis(clock.currentTimeMillisUnsafe())
  const recorder: RunRecorder = {
    emit,
    messages: [],
    tools: [],
    reasoningSteps: [],
    files: [],
    reasoning: "",
    citations: undefined,
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
    elapsed: () => recorder.earlier + Number(clock.currentTimeNanosUnsafe() - startedAt) / 1e9,
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

/** Makes a run that ends in the middle one that can be read: with what was said, and without calls that seem to go on. */
export const cutOff = (recorder: RunRecorder): void => {
  const { partial, tools } = recorder
  if (partial !== "") recorder.messages.push(recorder.message("assistant", { content: partial }))
  tools.splice(0, tools.length, ...tools.map(ToolExecution.cutOff))
}

/** Adds what one model request cost, in the role that the model played. */
export const addUsage = (recorder: RunRecorder, role: string, model: Model, usage: Usage.Counters): void => {
  recorder.usage = Usage.add(recorder.usage, usage)
  recorder.details = Usage.addDetails(recorder.details, {
    [role]: [{ ...Usage.countersOf(usage), id: model.id, provider: model.provider }]
  })
}

/** What a later process needs to go on counting. */
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

/** A piece of the answer, or of what the model thinks on its way to one. */
export const show = (
  { emit }: RunRecorder,
  piece: { readonly content?: Json.Value; readonly content_type?: string; readonly reasoning_content?: string }
): void => emit({ event: "RunContent", workflow_agent: false, content_type: "str", reasoning_content: "", ...piece })

/** The keys of an output that are left out as long as there is nothing to say. */
export const extrasOf = (recorder: RunRecorder): {
  readonly reasoning_content?: string
  readonly reasoning_steps?: ReadonlyArray<Reasoning.ReasoningStep>
  readonly citations?: Run.Citations
  readonly files?: ReadonlyArray<Media.File>
  readonly images?: ReadonlyArray<Media.Image>
} => {
  const images = recorder.files.filter((file) => file.mime_type?.startsWith("image/"))
  const files = recorder.files.filter((file) => !file.mime_type?.startsWith("image/"))
  return {
    ...(recorder.reasoning === "" ? {} : { reasoning_content: recorder.reasoning }),
    ...(recorder.reasoningSteps.length === 0 ? {} : { reasoning_steps: recorder.reasoningSteps }),
    ...(recorder.citations === undefined ? {} : { citations: recorder.citations }),
    ...(files.length === 0 ? {} : { files }),
    ...(images.length === 0 ? {} : { images })
  }
}
