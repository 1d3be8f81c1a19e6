// Converts answers of the AI SDK to parts of `effect/ai`. Arguments of a tool call are text: they are parsed as JSON,
// are `{}` if absent, and stay text if they are not JSON, so that the caller can answer the call with an error. Values
// that `effect/ai` would not decode (undefined in metadata, broken URLs, fractional token counts, results of undeclared
// tools) are corrected or left out.
import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4ResponseMetadata,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata
} from "@ai-sdk/provider"
import { Option } from "effect"
import { Tool } from "effect/ai"
import type { LanguageModel, Response } from "effect/ai"
import { Base64 } from "effect/encoding"
import * as JsonValue from "./JsonValue.ts"

/** Names of the tools of the request: `effect/ai` accepts results of provider tools only for these. */
export type Declared = ReadonlySet<string>

export const declared = (tools: LanguageModel.ProviderOptions["tools"]): Declared =>
  new Set(tools.map((tool): string => tool.name))

const metadata = (value: SharedV4ProviderMetadata | undefined): { readonly metadata?: Response.ProviderMetadata } =>
  value === undefined ? {} : { metadata: JsonValue.from(value) as Response.ProviderMetadata }

/** An escape, also of a character by its two halves, or a half. */
const escapes = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|\\./g

/** Halves of characters without the other half are replaced, as they are and as escapes. */
const wholeJson = (json: string): string =>
  json.toWellFormed().replace(escapes, (found) => found.length === 6 ? "\\ufffd" : found)

const parseJson = Option.liftThrowable(Tool.unsafeSecureJsonParse)

const params = (input: string): unknown =>
  input.trim() === "" ? {} : Option.getOrElse(parseJson(wholeJson(input)), () => input.toWellFormed())

const tokens = (value: number | undefined): number | undefined =>
  value === undefined || !Number.isFinite(value) ? undefined : Math.round(value)

const usage = ({ inputTokens, outputTokens }: LanguageModelV4Usage): Response.FinishPartEncoded["usage"] => ({
  inputTokens: {
    uncached: tokens(inputTokens.noCache),
    total: tokens(inputTokens.total),
    cacheRead: tokens(inputTokens.cacheRead),
    cacheWrite: tokens(inputTokens.cacheWrite)
  },
  outputTokens: {
    total: tokens(outputTokens.total),
    text: tokens(outputTokens.text),
    reasoning: tokens(outputTokens.reasoning)
  }
})

const finishReason = (reason: LanguageModelV4FinishReason): Response.FinishReason =>
  reason.raw === "pause_turn"
    ? "pause"
    // the window of the model is full: the answer is cut as by its token limit
    : reason.raw === "model_length"
    ? "length"
    : reason.unified === "interrupted"
    ? "error"
    : reason.unified

/** Gemini ends an answer so, without the call. */
const isUnreadableCall = ({ raw }: LanguageModelV4FinishReason): boolean => raw === "MALFORMED_FUNCTION_CALL"

/**
 * The provider's own usage is in the metadata of the finish part, as `raw_usage`, and `unreadable_call` if it could not
 * read a call of a tool that the model wrote.
 */
export const finish = (
  result: Pick<LanguageModelV4GenerateResult, "finishReason" | "usage" | "providerMetadata">
): Response.FinishPartEncoded => ({
  type: "finish",
  reason: finishReason(result.finishReason),
  usage: usage(result.usage),
  metadata: {
    ...metadata(result.providerMetadata).metadata,
    ...(result.usage.raw === undefined ? {} : { raw_usage: JsonValue.from(result.usage.raw) }),
    ...(isUnreadableCall(result.finishReason) ? { unreadable_call: true } : {})
  }
})

/** Whether the finish part says that a call of a tool could not be read. */
export const hasUnreadableCall = (metadata: Response.ProviderMetadata | undefined): boolean =>
  metadata?.["unreadable_call"] === true

export const responseMetadata = (value: LanguageModelV4ResponseMetadata): Response.ResponseMetadataPartEncoded => ({
  type: "response-metadata",
  ...(value.id === undefined ? {} : { id: value.id }),
  ...(value.modelId === undefined ? {} : { modelId: value.modelId }),
  ...(value.timestamp === undefined || Number.isNaN(value.timestamp.getTime())
    ? {}
    : { timestamp: value.timestamp.toISOString() })
})

type FileContent = Extract<LanguageModelV4Content, { type: "file" }>
type SourceContent = Extract<LanguageModelV4Content, { type: "source" }>
type Shared = Extract<LanguageModelV4Content, { type: "file" | "source" | "tool-call" | "tool-result" }>

const file = (
  { data, mediaType, providerMetadata }: FileContent
): Response.FilePartEncoded | Response.UrlSourcePartEncoded => {
  if (data.type === "data") {
    const base64 = typeof data.data === "string" ? data.data : Base64.encode(data.data)
    return { type: "file", mediaType, data: base64, ...metadata(providerMetadata) }
  }
  const url = data.url.href
  return { type: "source", sourceType: "url", id: url, url, title: mediaType, ...metadata(providerMetadata) }
}

const source = (
  content: SourceContent
): ReadonlyArray<Response.UrlSourcePartEncoded | Response.DocumentSourcePartEncoded> => {
  const { id } = content
  const shared = metadata(content.providerMetadata)
  if (content.sourceType === "document") {
    const { filename, mediaType, title } = content
    const name = filename === undefined ? {} : { fileName: filename }
    return [{ type: "source", sourceType: "document", id, mediaType, title, ...name, ...shared }]
  }
  const { title, url } = content
  return URL.canParse(url) ? [{ type: "source", sourceType: "url", id, url, title: title ?? url, ...shared }] : []
}

const shared = (
  content: Shared,
  declared: Declared
): ReadonlyArray<Response.PartEncoded & Response.StreamPartEncoded> => {
  switch (content.type) {
    case "file":
      return [file(content)]
    case "source":
      return source(content)
    case "tool-call": {
      const { input, providerExecuted, providerMetadata, toolCallId, toolName } = content
      if (providerExecuted === true && !declared.has(toolName)) return []
      return [{
        type: "tool-call",
        id: toolCallId,
        name: toolName,
        params: params(input),
        providerExecuted: providerExecuted === true,
        ...metadata(providerMetadata)
      }]
    }
    case "tool-result": {
      const { isError, preliminary, providerMetadata, result, toolCallId, toolName } = content
      if (!declared.has(toolName)) return []
      return [{
        type: "tool-result",
        id: toolCallId,
        name: toolName,
        result: JsonValue.from(result),
        isFailure: isError === true,
        preliminary: preliminary === true,
        providerExecuted: true,
        ...metadata(providerMetadata)
      }]
    }
  }
}

/** The parts of a content that was not streamed. */
export const fromContent = (
  content: LanguageModelV4Content,
  declared: Declared
): ReadonlyArray<Response.PartEncoded> => {
  switch (content.type) {
    case "text":
    case "reasoning":
      return content.text === "" && content.providerMetadata === undefined
        ? []
        : [{ type: content.type, text: content.text.toWellFormed(), ...metadata(content.providerMetadata) }]
    case "file":
    case "source":
    case "tool-call":
    case "tool-result":
      return shared(content, declared)
    default:
      return []
  }
}

/** The parts of one part of a stream; errors are not among them. */
export const fromStreamPart = (
  part: LanguageModelV4StreamPart,
  declared: Declared
): ReadonlyArray<Response.StreamPartEncoded> => {
  switch (part.type) {
    case "text-delta":
    case "reasoning-delta":
      return part.delta === "" && part.providerMetadata === undefined
        ? []
        : [{ type: part.type, id: part.id, delta: part.delta, ...metadata(part.providerMetadata) }]
    case "text-start":
    case "text-end":
    case "reasoning-start":
    case "reasoning-end":
      return [{ type: part.type, id: part.id, ...metadata(part.providerMetadata) }]
    case "tool-input-start":
      return part.providerExecuted === true && !declared.has(part.toolName) ? [] : [{
        type: "tool-params-start",
        id: part.id,
        name: part.toolName,
        providerExecuted: part.providerExecuted === true,
        ...metadata(part.providerMetadata)
      }]
    case "tool-input-delta":
      return [{ type: "tool-params-delta", id: part.id, delta: part.delta, ...metadata(part.providerMetadata) }]
    case "tool-input-end":
      return [{ type: "tool-params-end", id: part.id, ...metadata(part.providerMetadata) }]
    case "file":
    case "source":
    case "tool-call":
    case "tool-result":
      return shared(part, declared)
    case "response-metadata":
      return [responseMetadata(part)]
    case "finish":
      return [finish(part)]
    default:
      return []
  }
}

/**
 * Whether a part, streamed or not, has content of the answer. Empty texts have none, though their metadata (such as
 * signatures) return to the provider.
 */
export const hasContent = (
  part: LanguageModelV4Content | Response.PartEncoded | Response.StreamPartEncoded
): boolean => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text !== ""
    case "text-delta":
    case "reasoning-delta":
      return part.delta !== ""
    case "response-metadata":
    case "text-start":
    case "text-end":
    case "reasoning-start":
    case "reasoning-end":
    case "tool-params-start":
    case "finish":
      return false
    default:
      return true
  }
}

/** An answer that has ended without content. */
export const isEmpty = ({ content, finishReason }: LanguageModelV4GenerateResult): boolean =>
  finishReason.unified === "stop" && !content.some(hasContent)
