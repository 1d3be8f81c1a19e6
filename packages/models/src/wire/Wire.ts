// What a wire asks of a request. There is one module for each: it knows the rules of its providers, and nothing else
// does. A rule that is not set has no effect.
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider"
import type { JsonSchema } from "effect"
import type { PromptCache } from "../PromptCache.ts"

/**
 * The reasoning that is sent back. `signed`: what the provider has signed. `run`: that of the current run.
 * `calls`: also that of earlier answers with calls. `none`: nothing.
 */
export type Reasoning = "signed" | "run" | "calls" | "none"

export interface Adapted {
  readonly call: LanguageModelV4CallOptions
  /** What is sent in another form than it was asked for. */
  readonly warning?: string | undefined
}

export interface Wire {
  /** The names that a call in the history may have. */
  readonly toolName?: RegExp
  /** The ids that a call may have. */
  readonly callId: RegExp
  /** Makes such an id of one that is not. */
  readonly newCallId: (hash: string) => string
  readonly reasoning: Reasoning
  /** The names of the options that have its signatures. */
  readonly signatures: ReadonlyArray<string>
  /** A conversation begins with a message of the user. */
  readonly startsWithUser?: boolean
  /** A conversation does not end with an answer. */
  readonly endsWithUser?: boolean
  /** No message of the user comes directly after results. */
  readonly answersResults?: boolean
  /** Calls and results need tools in the request. */
  readonly toolsForCalls?: boolean
  /** Calls and results are texts. */
  readonly textCalls?: boolean
  /** Requests have no tools. */
  readonly withoutTools?: boolean
  /** No message of the user follows another one. */
  readonly joinsUsers?: boolean
  /** Files are sent as base64 only. */
  readonly withoutAddresses?: boolean
  /** The messages of tools have text only. */
  readonly textResults?: boolean
  /** Tools cannot be strict. */
  readonly withoutStrictTools?: boolean
  /** The schema in the form that it takes. */
  readonly schema?: (schema: JsonSchema.JsonSchema) => JsonSchema.JsonSchema
  /** The schema in the form that strict mode takes. Undefined if it has none. */
  readonly strict?: (schema: JsonSchema.JsonSchema) => JsonSchema.JsonSchema | undefined
  /** The names of the options that make the schema of the answer strict or not. Set: it is strict by default. */
  readonly strictOptions?: ReadonlyArray<string>
  /** Marks what the provider caches, or says where it finds it. Left out: it caches by itself, or not at all. */
  readonly cached?: (call: LanguageModelV4CallOptions, cache: PromptCache) => LanguageModelV4CallOptions
  /** Last changes, when everything else has its form. */
  readonly adapt?: (call: LanguageModelV4CallOptions) => Adapted
}

export type Message = LanguageModelV4Prompt[number]

type Role<R extends Message["role"]> = Extract<Message, { readonly role: R }>
export type User = Role<"user">
export type Assistant = Role<"assistant">
export type ToolMessage = Role<"tool">
export type AssistantPart = Assistant["content"][number]
export type Call = Extract<AssistantPart, { readonly type: "tool-call" }>
export type Result = Extract<ToolMessage["content"][number], { readonly type: "tool-result" }>

/** Whether the call is one of the service. Providers answer their own calls. */
export const isCall = (part: AssistantPart): part is Call => part.type === "tool-call" && part.providerExecuted !== true
