// The span of one request to a language model, `chat`. A retry is a request of its own.
import type { ModelSettings } from "@svc-runtime/domain/ModelSettings"
import type * as Usage from "@svc-runtime/domain/Usage"
import type { Effect } from "effect"
import type { Prompt } from "effect/ai"
import * as Content from "./Content.ts"
import * as ModelRequests from "./ModelRequests.ts"
import { OpenSpan } from "./OpenSpan.ts"
import * as ProviderNames from "./ProviderNames.ts"

// Messages of models in the form of the conventions (`gen_ai.input.messages`): a role and parts. Bytes of files are
// left out.

interface Call {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

type Part = Readonly<Record<string, unknown>>

interface Message {
  readonly role: string
  readonly parts: ReadonlyArray<Part>
}

const partOf = (part: Prompt.Part): Part => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, content: part.text }
    case "file":
      return { type: "blob", mime_type: part.mediaType, name: part.fileName }
    case "tool-call":
      return { type: "tool_call", id: part.id, name: part.name, arguments: part.params }
    case "tool-result":
      return { type: "tool_call_response", id: part.id, name: part.name, response: part.result }
    default:
      return { type: part.type }
  }
}

const messageOf = ({ content, role }: Prompt.Message): Message => ({
  role,
  parts: typeof content === "string" ? [{ type: "text", content }] : content.map(partOf)
})

/** More than what fits into a value: the last messages, behind the first one, which has the instructions. */
const most = 50

const ofPrompt = ({ content }: Prompt.Prompt): ReadonlyArray<Message> => {
  const shown = content.length <= most ? content : [...content.slice(0, 1), ...content.slice(1 - most)]
  return shown.map(messageOf)
}

const ofAnswer = (
  { calls, text }: { readonly text: string; readonly calls: ReadonlyArray<Call> }
): ReadonlyArray<Message> => [{
  role: "assistant",
  parts: [
    ...(text === "" ? [] : [{ type: "text", content: text }]),
    ...calls.map(({ id, input, name }) => ({ type: "tool_call", id, name, arguments: input }))
  ]
}]

/** What a request does not have of the conversation. */
export interface LeftOut {
  readonly messages: number
  readonly tool_results: number
  readonly media?: number | undefined
  readonly is_summarized?: boolean | undefined
  /** The limits that it keeps. */
  readonly reasons: ReadonlyArray<string>
}

const leftOutOf = (leftOut: LeftOut | undefined) =>
  leftOut === undefined ? {} : {
    "svc.context.left_out.messages": positive(leftOut.messages),
    "svc.context.left_out.tool_results": positive(leftOut.tool_results),
    "svc.context.left_out.media": positive(leftOut.media),
    "svc.context.left_out.reasons": leftOut.reasons,
    "svc.context.is_summarized": leftOut.is_summarized
  }

export interface Request {
  readonly model: { readonly id: string; readonly provider: string; readonly settings?: ModelSettings | undefined }
  /** They have priority over those of the model. */
  readonly settings?: ModelSettings | undefined
  readonly prompt: Prompt.Prompt
  readonly stream: boolean
  readonly leftOut?: LeftOut | undefined
  /** What the provider does not find in its cache, because it differs from the request before. */
  readonly changed?: ReadonlyArray<string> | undefined
  /** The span has no text of the answer, or neither that nor the prompt. */
  readonly hides?: "answer" | "all" | undefined
}

/** What the provider says about its response. */
export interface Response {
  readonly id?: string | undefined
  /** May be another name than the one of the request. */
  readonly model?: string | undefined
  readonly finishReason?: string | undefined
}

export interface Answer {
  readonly text: string
  readonly calls: ReadonlyArray<Call>
  readonly usage: Usage.Counters
  readonly response: Response
  /** Seconds. */
  readonly timeToFirstToken: number | undefined
}

/** The names of the conventions, where they differ. */
const finishReasons: Readonly<Record<string, string>> = {
  "content-filter": "content_filter",
  "tool-calls": "tool_call"
}

const reasonsOf = (reason: string | undefined) =>
  reason === undefined || reason === "unknown" ? undefined : [finishReasons[reason] ?? reason]

const positive = (count: number | undefined) => count === undefined || count === 0 ? undefined : count

const answered = (span: OpenSpan, answer: Answer, hasContent: boolean) => {
  const { response, timeToFirstToken, usage } = answer
  span.add({
    "gen_ai.usage.input_tokens": usage.input_tokens,
    "gen_ai.usage.output_tokens": usage.output_tokens,
    "gen_ai.usage.cache_read.input_tokens": positive(usage.cache_read_tokens),
    "gen_ai.usage.cache_write.input_tokens": positive(usage.cache_write_tokens),
    "gen_ai.usage.reasoning.output_tokens": positive(usage.reasoning_tokens),
    "llm.token_count.prompt": usage.input_tokens,
    "llm.token_count.completion": usage.output_tokens,
    "llm.token_count.total": usage.total_tokens,
    "llm.token_count.prompt_details.cache_read": positive(usage.cache_read_tokens),
    "llm.token_count.prompt_details.cache_write": positive(usage.cache_write_tokens),
    "llm.token_count.completion_details.reasoning": positive(usage.reasoning_tokens),
    "gen_ai.response.id": response.id,
    "gen_ai.response.model": response.model,
    "gen_ai.response.finish_reasons": reasonsOf(response.finishReason),
    "gen_ai.response.time_to_first_chunk": timeToFirstToken,
    ...(hasContent ? Content.attributesOf("output", ofAnswer(answer)) : {})
  })
}

const attributesOf = (settings: ModelSettings = {}) => ({
  "gen_ai.request.temperature": settings.temperature,
  "gen_ai.request.max_tokens": settings.max_output_tokens,
  "gen_ai.request.top_p": settings.top_p,
  "gen_ai.request.top_k": settings.top_k,
  "gen_ai.request.presence_penalty": settings.presence_penalty,
  "gen_ai.request.frequency_penalty": settings.frequency_penalty,
  "gen_ai.request.seed": settings.seed,
  "gen_ai.request.stop_sequences": settings.stop_sequences
})

export const around = <A extends Answer, E, R>(
  effect: Effect.Effect<A, E, R>,
  { changed = [], hides, leftOut, model, prompt, settings, stream }: Request
) =>
  ModelRequests.spanned(
    effect,
    ({ around, hasContent }) => ({
      name: `chat ${model.id}`,
      kind: "client",
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": ProviderNames.of(model.provider).genAi,
        "gen_ai.conversation.id": around instanceof OpenSpan ? around.run.session_id : undefined,
        "gen_ai.request.model": model.id,
        "gen_ai.request.stream": stream,
        ...attributesOf(settings === undefined ? model.settings : { ...model.settings, ...settings }),
        ...leftOutOf(leftOut),
        "svc.prompt_cache.changed": changed.length === 0 ? undefined : changed,
        "openinference.span.kind": "LLM",
        "llm.model_name": model.id,
        "llm.provider": ProviderNames.of(model.provider).openInference,
        ...(hasContent && hides !== "all" ? Content.attributesOf("input", ofPrompt(prompt)) : {})
      }
    }),
    (span, exit, { hasContent }) => {
      if (exit._tag === "Success") answered(span, exit.value, hasContent && hides === undefined)
    }
  )
