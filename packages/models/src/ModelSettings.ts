// The settings of requests to a model. An agent has them for all of its requests, and a run may choose some of them.
// They are read from the context of a request, so that each of the models of an agent gets the same ones.
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider"
import * as Wire from "@svc-runtime/domain/ModelSettings"
import { type Duration, Redacted, type Schema } from "effect"

/** What `sendReasoning` can be. */
export const sentReasoning = ["run", "calls", "none"] as const

export interface TimeLimits {
  /** The time to the first part of a streamed answer; reasoning that is not sent counts. Default 3 minutes. */
  readonly startTimeout?: Duration.Input | undefined
  /** The time for a whole answer that is not streamed. Default 10 minutes. */
  readonly answerTimeout?: Duration.Input | undefined
}

export interface ModelSettings extends TimeLimits {
  /** From 0 to 2. Less is more predictable. */
  readonly temperature?: number | undefined
  /** The limit of one answer, its reasoning included. */
  readonly maxOutputTokens?: number | undefined
  /** From 0 to 1. */
  readonly topP?: number | undefined
  /** A whole number from 1. */
  readonly topK?: number | undefined
  /** From -2 to 2. */
  readonly presencePenalty?: number | undefined
  /** From -2 to 2. */
  readonly frequencyPenalty?: number | undefined
  /** A whole number from 0. */
  readonly seed?: number | undefined
  /** At most 16 texts of at most 256 characters. */
  readonly stopSequences?: ReadonlyArray<string> | undefined
  /**
   * How much the model reasons before it answers: `none`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`. A
   * provider may take fewer.
   */
  readonly reasoning?: NonNullable<LanguageModelV4CallOptions["reasoning"]> | undefined
  /**
   * The reasoning that is sent back to servers of Chat Completions: that of the run, also that of earlier calls
   * (`calls`), or none. Default: what the provider takes, and that of the run for unknown ones.
   */
  readonly sendReasoning?: typeof sentReasoning[number] | undefined
  /** The headers of each HTTP request. */
  readonly headers?: Readonly<Record<string, string | Redacted.Redacted>> | undefined
  /** Options of one provider under its name, for example `{ anthropic: { thinking: … } }`. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, Schema.Json>>>> | undefined
}

export const none: ModelSettings = {}

const fieldOf = {
  temperature: "temperature",
  max_output_tokens: "maxOutputTokens",
  top_p: "topP",
  top_k: "topK",
  presence_penalty: "presencePenalty",
  frequency_penalty: "frequencyPenalty",
  seed: "seed",
  stop_sequences: "stopSequences",
  reasoning_effort: "reasoning"
} as const satisfies Record<Wire.Name, keyof ModelSettings>

/** A problem of settings on the wire, with the names that authors write. */
export const withOwnNames = (problem: string): string =>
  Wire.names.reduce((text, name) => text.replaceAll(`["${name}"]`, `["${fieldOf[name]}"]`), problem)

/** Without headers and options of providers, which may have secrets. */
export const toWire = (settings: ModelSettings): Wire.ModelSettings =>
  Object.fromEntries(
    Wire.names.flatMap((name) => settings[fieldOf[name]] === undefined ? [] : [[name, settings[fieldOf[name]]]])
  )

export const fromWire = (settings: Wire.ModelSettings): ModelSettings =>
  Object.fromEntries(
    Wire.names.flatMap((name) => settings[name] === undefined ? [] : [[fieldOf[name], settings[name]]])
  )

type Defined<A> = { readonly [Name in keyof A]?: Exclude<A[Name], undefined> }

const defined = <A extends object>(fields: A): Defined<A> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<A>

/** The second ones have priority. Headers and options of one provider are merged. */
export const merge = (base: ModelSettings, own: ModelSettings): ModelSettings => {
  const providerOptions = { ...base.providerOptions }
  for (const [name, options] of Object.entries(own.providerOptions ?? {})) {
    providerOptions[name] = { ...providerOptions[name], ...options }
  }
  return {
    ...base,
    ...defined(own),
    ...(base.headers === undefined && own.headers === undefined
      ? {}
      : { headers: { ...base.headers, ...own.headers } }),
    ...(Object.keys(providerOptions).length === 0 ? {} : { providerOptions })
  }
}

type CallOptions = Omit<
  LanguageModelV4CallOptions,
  "prompt" | "tools" | "toolChoice" | "responseFormat" | "abortSignal"
>

/** The settings in the form of a provider's client. */
export const toCall = (
  { answerTimeout: _answer, headers, sendReasoning: _reasoning, startTimeout: _start, ...settings }: ModelSettings
): CallOptions => ({
  ...(defined(settings) as CallOptions),
  ...(headers === undefined ? {} : {
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, Redacted.isRedacted(value) ? Redacted.value(value) : value])
    )
  })
})
