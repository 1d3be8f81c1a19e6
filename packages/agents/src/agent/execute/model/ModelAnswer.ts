// Collects the parts of one model answer. Streamed or not, the result is the same.
import * as Json from "@svc-runtime/domain/Json"
import type * as Run from "@svc-runtime/domain/Run"
import * as Usage from "@svc-runtime/domain/Usage"
import { bytesOf } from "@svc-runtime/engine/limits/ByteLimits"
import type { GeneratedMedium } from "@svc-runtime/engine/media/GeneratedMedia"
import type { OfferedBy } from "@svc-runtime/engine/tool/ToolSource"
import type * as ModelSpan from "@svc-runtime/telemetry/ModelSpan"
import { Predicate } from "effect"
import { Response } from "effect/ai"

export interface RequestedCall {
  readonly id: string
  readonly name: string
  /** The model's text, not yet validated. */
  readonly input: unknown
  /** Undefined: the tool that has the name. */
  readonly offered_by?: OfferedBy | undefined
}

export interface ModelAnswer {
  /** The original parts, for the next request of this run. */
  readonly parts: Array<Response.AnyPart>
  readonly calls: Array<RequestedCall>
  readonly files: Array<GeneratedMedium>
  text: string
  reasoning: string
  /** Of the text, the reasoning and the arguments of calls. */
  bytes: number
  usage: Usage.Counters
  citations: Run.Citations | undefined
  /** The provider could not read a call, and has left it out. */
  hasUnreadableCall: boolean
  response: ModelSpan.Response
}

export const make = (): ModelAnswer => ({
  parts: [],
  calls: [],
  files: [],
  text: "",
  reasoning: "",
  bytes: 0,
  usage: {},
  citations: undefined,
  hasUnreadableCall: false,
  response: {}
})

const isWithin = (max: number, value: unknown): value is number =>
  Predicate.isNumber(value) && value >= 0 && value <= max

/** Numbers that no request has count as zero. */
const tokens = (value: number | undefined): number => isWithin(Usage.max.tokens, value) ? value : 0

const usageOf = ({ inputTokens, outputTokens }: Response.Usage): Usage.Counters => {
  const input = tokens(inputTokens.total)
  const output = tokens(outputTokens.total)
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    cache_read_tokens: tokens(inputTokens.cacheRead),
    cache_write_tokens: tokens(inputTokens.cacheWrite),
    reasoning_tokens: tokens(outputTokens.reasoning)
  }
}

/** Some providers report what a request has cost, as OpenRouter does. */
const reportedCost = (metadata: Response.ProviderMetadata): Pick<Usage.Counters, "cost"> => {
  const { raw_usage: raw } = metadata as { readonly raw_usage?: unknown }
  return Predicate.hasProperty(raw, "cost") && isWithin(Usage.max.cost, raw.cost) ? { cost: raw.cost } : {}
}

const withSource = (
  { documents = [], urls = [] }: Run.Citations,
  part: Response.UrlSourcePart | Response.DocumentSourcePart
): Run.Citations => {
  if (part.sourceType === "url") {
    return {
      urls: [...urls, { url: part.url.href, title: part.title }],
      ...(documents.length === 0 ? {} : { documents })
    }
  }
  const document = {
    document_title: part.title,
    ...(part.fileName === undefined ? {} : { file_name: part.fileName })
  }
  return { ...(urls.length === 0 ? {} : { urls }), documents: [...documents, document] }
}

type CallPart = Extract<Response.AnyPart, { readonly type: "tool-call" }>

/** Whether the run must execute the call: providers execute some calls themselves. */
export const isCall = (part: Response.AnyPart): part is CallPart =>
  part.type === "tool-call" && part.providerExecuted !== true

export const callOf = ({ id, name, params }: CallPart): RequestedCall => ({ id, name, input: params })

/** Text that is not JSON: the tool reports this to the model. */
const tooDeep = `(arguments that are nested deeper than ${Json.maxDepth} levels)`

/** Deeply nested values cannot be written into a journal, and overflow the stack. */
const shallow = (part: Response.AnyPart): Response.AnyPart =>
  part.type === "tool-call" && !Json.isShallow(part.params as Json.Value) ? { ...part, params: tooDeep } : part

const sizeOf = (part: Response.AnyPart): number => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return bytesOf(part.text)
    case "text-delta":
    case "reasoning-delta":
      return bytesOf(part.delta)
    case "tool-call":
      return bytesOf(JSON.stringify(part.params ?? null))
    default:
      return 0
  }
}

type Word = Extract<Response.AnyPart, { readonly type: "reasoning-delta" | "text-delta" }>

/** A delta without what providers add to it, such as a signature. */
const isWord = (part: Response.AnyPart | undefined): part is Word =>
  (part?.type === "text-delta" || part?.type === "reasoning-delta") && Object.keys(part.metadata).length === 0

/** Words that follow each other are one part: else a run keeps an object for each word until its end. */
const keep = (parts: ModelAnswer["parts"], part: Response.AnyPart): void => {
  const last = parts.at(-1)
  if (isWord(part) && isWord(last) && last.type === part.type && last.id === part.id) {
    parts[parts.length - 1] = { ...last, delta: last.delta + part.delta }
  } else parts.push(part)
}

export const add = (answer: ModelAnswer, received: Response.AnyPart): void => {
  const part = shallow(received)
  keep(answer.parts, part)
  answer.bytes += sizeOf(part)
  switch (part.type) {
    case "text":
      answer.text += part.text
      break
    case "text-delta":
      answer.text += part.delta
      break
    case "reasoning":
      answer.reasoning += part.text
      break
    case "reasoning-delta":
      answer.reasoning += part.delta
      break
    case "tool-call":
      if (isCall(part)) answer.calls.push(callOf(part))
      break
    case "file":
      answer.files.push({ mime_type: part.mediaType, bytes: part.data })
      break
    case "source":
      answer.citations = withSource(answer.citations ?? {}, part)
      break
    case "response-metadata":
      answer.response = { ...answer.response, id: part.id, model: part.modelId }
      break
    case "finish":
      answer.response = { ...answer.response, finishReason: part.reason }
      answer.hasUnreadableCall = part.metadata["unreadable_call"] === true
      answer.usage = { ...usageOf(part.usage), ...reportedCost(part.metadata) }
      break
  }
}

/** Whether the part starts the model's output. */
export const isOutput = (part: Response.AnyPart): boolean =>
  part.type === "text" || part.type === "text-delta" || part.type === "reasoning" || part.type === "reasoning-delta" ||
  part.type === "tool-call" || part.type === "tool-params-start"

/** An answer of text. */
export const of = (text: string): ModelAnswer => {
  const answer = make()
  add(answer, Response.makePart("text", { text }))
  return answer
}

/** The parts with the arguments of these calls. */
export const withCalls = (
  parts: ReadonlyArray<Response.AnyPart>,
  calls: ReadonlyArray<RequestedCall>
): Array<Response.AnyPart> =>
  parts.map((part) => {
    const call = isCall(part) ? calls.find(({ id }) => id === part.id) : undefined
    return call === undefined ? part : { ...part, params: call.input } as Response.AnyPart
  })

type Texts = Pick<ModelAnswer, "parts" | "reasoning" | "text">

const isText = ({ type }: Response.AnyPart): boolean => type.startsWith("text")
const isReasoning = ({ type }: Response.AnyPart): boolean => type.startsWith("reasoning")

/** The answer with another text or another reasoning. Changed reasoning is not sent back to the model. */
export const withTexts = (answer: Texts, { reasoning, text }: Omit<Texts, "parts">): Texts => {
  const kept = reasoning === answer.reasoning ? answer.parts : answer.parts.filter((part) => !isReasoning(part))
  if (text === answer.text) return { text, reasoning, parts: [...kept] }
  // providers want reasoning first and calls last
  const first = kept.findIndex((part) => !isReasoning(part))
  const place = first < 0 ? kept.length : first
  const added = text === "" ? [] : [Response.makePart("text", { text })]
  const rest = kept.slice(place).filter((part) => !isText(part))
  return { text, reasoning, parts: [...kept.slice(0, place), ...added, ...rest] }
}
