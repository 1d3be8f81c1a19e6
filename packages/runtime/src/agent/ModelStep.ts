// One request to a model, streamed or not, and what came back of it. Tool calls are only collected here: the loop
// executes them. A failed request is made again as often as the agent says, as long as nothing of its answer was shown.
import type { Agent as AgentSchema, Media, Run, Usage } from "@svc/domain"
import { Clock, Effect, Schedule, Stream } from "effect"
import { type AiError, type LanguageModel, type Prompt, type Response, type Tool as AiTool, type Toolkit } from "effect/ai"
import { Base64 } from "effect/encoding"
import { type Model, ResponseFormat } from "../model/Model.ts"
import type { Agent } from "./Agent.ts"

export type AnyToolkit = Toolkit.WithHandler<Record<string, AiTool.Any>>

export interface StepRequest {
  readonly model: Model
  readonly prompt: Prompt.Prompt
  readonly toolkit: AnyToolkit | undefined
  readonly toolChoice: AgentSchema.ToolChoice
  readonly format: ResponseFormat
  readonly stream: boolean
  /** Called for every piece as it arrives, only when streamed. Left out, it is shown to nobody. */
  readonly onText: ((delta: string) => void) | undefined
  readonly onReasoning: ((delta: string) => void) | undefined
}

export interface RequestedCall {
  readonly id: string
  readonly name: string
  /** What the model wrote, not yet checked. */
  readonly input: unknown
}

export interface StepResult {
  /** As they came: what the next request of this run sends back. */
  readonly parts: ReadonlyArray<Response.AnyPart>
  readonly text: string
  readonly reasoning: string
  readonly calls: ReadonlyArray<RequestedCall>
  readonly usage: Usage.Counters
  readonly files: ReadonlyArray<Media.File>
  readonly citations: Run.Citations | undefined
  /** Seconds from the request to the first piece of text, reasoning or tool call. */
  readonly timeToFirstToken: number | undefined
}

const usageOf = ({ inputTokens, outputTokens }: Response.Usage): Usage.Counters => {
  const input = inputTokens.total ?? 0
  const output = outputTokens.total ?? 0
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cache_read_tokens: inputTokens.cacheRead ?? 0,
    cache_write_tokens: inputTokens.cacheWrite ?? 0,
    reasoning_tokens: outputTokens.reasoning ?? 0
  }
}

interface Collector {
  readonly parts: Array<Response.AnyPart>
  readonly calls: Array<RequestedCall>
  readonly files: Array<Media.File>
  readonly urls: Array<{ url: string; title: string }>
  readonly documents: Array<{ document_title: string; file_name?: string }>
  text: string
  reasoning: string
  usage: Usage.Counters
  firstAt: number | undefined
}

const collect = (into: Collector, part: Response.AnyPart, request: StepRequest): void => {
  into.parts.push(part)
  switch (part.type) {
    case "text":
      into.text += part.text
      break
    case "text-delta":
      into.text += part.delta
      if (part.delta !== "") request.onText?.(part.delta)
      break
    case "reasoning":
      into.reasoning += part.text
      break
    case "reasoning-delta":
      into.reasoning += part.delta
      if (part.delta !== "") request.onReasoning?.(part.delta)
      break
    case "tool-call":
      if (part.providerExecuted !== true) into.calls.push({ id: part.id, name: part.name, input: part.params })
      break
    case "file":
      into.files.push({ mime_type: part.mediaType, content: Base64.encode(part.data) })
      break
    case "source":
      if (part.sourceType === "url") into.urls.push({ url: part.url.href, title: part.title })
      else {
        into.documents.push({
          document_title: part.title,
          ...(part.fileName === undefined ? {} : { file_name: part.fileName })
        })
      }
      break
    case "finish":
      into.usage = usageOf(part.usage)
      break
  }
}

const isOutput = (part: Response.AnyPart): boolean =>
  part.type === "text" || part.type === "text-delta" || part.type === "reasoning" || part.type === "reasoning-delta" ||
  part.type === "tool-call" || part.type === "tool-params-start"

const isShown = (part: Response.AnyPart, { onReasoning, onText }: StepRequest): boolean =>
  (part.type === "text-delta" && onText !== undefined) ||
  (part.type === "reasoning-delta" && onReasoning !== undefined)

const citationsOf = ({ documents, urls }: Collector): Run.Citations | undefined =>
  urls.length === 0 && documents.length === 0 ? undefined : {
    ...(urls.length === 0 ? {} : { urls }),
    ...(documents.length === 0 ? {} : { documents })
  }

const ask = Effect.fnUntraced(function*(request: StepRequest, shown: { any: boolean }) {
  const clock = yield* Clock.Clock
  const startedAt = clock.currentTimeNanosUnsafe()
  const into: Collector = {
    parts: [],
    calls: [],
    files: [],
    urls: [],
    documents: [],
    text: "",
    reasoning: "",
    usage: {},
    firstAt: undefined
  }
  const options = {
    prompt: request.prompt,
    ...(request.toolkit === undefined ? {} : { toolkit: request.toolkit, toolChoice: request.toolChoice }),
    disableToolCallResolution: true as const,
    toolCallValidation: "deferred" as const
  }
  const take = (parts: ReadonlyArray<Response.AnyPart>) => {
    for (const part of parts) {
      if (into.firstAt === undefined && isOutput(part)) {
        into.firstAt = Number(clock.currentTimeNanosUnsafe() - startedAt) / 1e9
      }
      if (request.stream && isShown(part, request)) shown.any = true
      collect(into, part, request)
    }
  }
  // The overloads of `LanguageModel` tell a call with tools from one without; at run time they are the same call.
  const languageModel = request.model.languageModel as unknown as Untyped
  if (request.stream) {
    yield* Stream.runForEachArray(languageModel.streamText(options), (parts) => Effect.sync(() => take(parts)))
  } else {
    take((yield* languageModel.generateText(options)).content)
  }
  const result: StepResult = {
    parts: into.parts,
    text: into.text,
    reasoning: into.reasoning,
    calls: into.calls,
    usage: into.usage,
    files: into.files,
    citations: citationsOf(into),
    timeToFirstToken: into.firstAt
  }
  return result
})

interface Untyped {
  readonly generateText: (
    options: object
  ) => Effect.Effect<LanguageModel.GenerateTextResponse<Record<string, AiTool.Any>>, AiError.AiError>
  readonly streamText: (options: object) => Stream.Stream<Response.AnyPart, AiError.AiError>
}

const delays = (agent: Agent): Schedule.Schedule<unknown> =>
  agent.exponentialBackoff
    ? Schedule.exponential(agent.delayBetweenRetries)
    : Schedule.spaced(agent.delayBetweenRetries)

/** What stays as it is however often it is tried. */
const lasting: ReadonlyArray<AiError.AiErrorReason["_tag"]> = [
  "AuthenticationError",
  "ContentPolicyError",
  "InvalidRequestError",
  "QuotaExhaustedError",
  "UnsupportedSchemaError"
]

export const run = (agent: Agent, request: StepRequest): Effect.Effect<StepResult, AiError.AiError> => {
  const shown = { any: false }
  const asked = ask(request, shown)
  const attempt = request.format.type === "text" ? asked : Effect.provideService(asked, ResponseFormat, request.format)
  return agent.retries === 0 ? attempt : Effect.retry(attempt, {
    schedule: delays(agent),
    times: agent.retries,
    while: ({ reason }) => !shown.any && !lasting.includes(reason._tag)
  })
}

/** What a step says of itself on the wire. */
export const toolCallsOf = (calls: ReadonlyArray<RequestedCall>) =>
  calls.map(({ id, input, name }) => ({
    id,
    type: "function" as const,
    function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input ?? {}) }
  }))
