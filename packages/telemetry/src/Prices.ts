// The cost of requests to models, by the prices of their providers. A request has no cost if the price of one of its
// kinds of tokens is missing.
//
// The usage of all providers has the same shape here: cached tokens, read and written, are part of the input tokens,
// and reasoning tokens are part of the output tokens.
import * as Time from "@svc/domain/Time"
import type * as Usage from "@svc/domain/Usage"
import { Clock, Context, type Fiber, Schema } from "effect"
import shipped from "./prices.json" with { type: "json" }
import * as ProviderNames from "./ProviderNames.ts"

const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const optional = Schema.optionalKey(Amount)

/** For as many tokens. */
const unit = 1_000_000

const rates = {
  input: Amount,
  output: Amount,
  /** Of input tokens that the provider has read from its cache. */
  cached_input: optional,
  /** Of input tokens that the provider has written into its cache. */
  cache_write: optional,
  /** As other output, when left out. */
  reasoning: optional,
  audio_input: optional,
  audio_output: optional
}

const Rates = Schema.Struct(rates)
type Rates = typeof Rates.Type

const Tokens = Schema.Natural
const DateText = Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/))

/** Of the id of a model. */
const maxNameLength = 256

/** Several `*` would take a time that grows with a power of the length of a name. */
const Name = Schema.NonEmptyString.check(
  Schema.isMaxLength(maxNameLength),
  Schema.makeFilter((name) => name.split("*").length <= 2, { message: "Expected a name with at most one '*'" })
)

/** In US dollars per million tokens. */
export const Price = Schema.Struct({
  /** Any name of the provider. Of all providers, when left out. */
  provider: Schema.optionalKey(Schema.String),
  /** The ids of the models. Names with a date at their end are included, and one `*` stands for any text. */
  models: Schema.NonEmptyArray(Name),
  ...rates,
  /** For all tokens of a request with more input tokens. */
  long_prompt: Schema.optionalKey(Schema.Struct({ above: Tokens, ...rates })),
  /** The price of a request with more input tokens is not known. */
  up_to: Schema.optionalKey(Tokens),
  /** The last day of the price. */
  until: Schema.optionalKey(DateText),
  source: Schema.optionalKey(Schema.String),
  checked: Schema.optionalKey(DateText)
}).annotate({ identifier: "ModelPrice" })
export type Price = typeof Price.Type

/** A file of prices. They come before the shipped prices, or replace them. */
export const PriceList = Schema.Struct({
  replace: Schema.optionalKey(Schema.Boolean),
  models: Schema.Array(Price)
})
export type PriceList = typeof PriceList.Type

export interface Prices {
  readonly of: (model: { readonly provider: string; readonly id: string }) => Price | undefined
}

/** `gpt-5-2026-01-31`, `claude-opus-5-20260724`, `gemini-3.1-pro-preview-06-05`, `codestral-2508`. */
const dated = String.raw`(-preview)?(-latest|[-@]\d{4}-\d{2}-\d{2}|[-@]\d{8}|-\d{4}|-\d{2}-\d{4}|-\d{2}-\d{2})?`

const escaped = (text: string): string => text.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll("*", ".*")

const patternOf = ({ models }: Price): RegExp => new RegExp(`^(${models.map(escaped).join("|")})${dated}$`, "i")

/** Models whose prices are cached: authors can make models with any name. */
const cachedModels = 1000

export const make = (list: ReadonlyArray<Price>): Prices => {
  const patterns = list.map((price) => ({ price, pattern: patternOf(price) }))
  const known = new Map<string, Price | undefined>()
  return {
    of: ({ id, provider }) => {
      if (id.length > maxNameLength) return undefined
      const key = JSON.stringify([provider, id])
      if (known.has(key)) return known.get(key)
      const found = patterns.find(({ pattern, price }) =>
        (price.provider === undefined || ProviderNames.isSame(price.provider, provider)) && pattern.test(id)
      )?.price
      if (known.size >= cachedModels) known.clear()
      known.set(key, found)
      return found
    }
  }
}

const decodeShipped = Schema.decodeUnknownSync(PriceList)

/** With the prices of a file. */
export const withList = (own: PriceList): Prices =>
  make(own.replace === true ? own.models : [...own.models, ...decodeShipped(shipped).models])

export const ModelPrices = Context.Reference<Prices>("@svc/telemetry/Prices", {
  defaultValue: () => withList({ models: [] })
})

/** Undefined: a price is missing. */
const sum = (parts: ReadonlyArray<readonly [tokens: number, price: number | undefined]>): number | undefined => {
  let total = 0
  for (const [tokens, price] of parts) {
    if (tokens <= 0) continue
    if (price === undefined) return undefined
    total += tokens * price
  }
  return total / unit
}

/** Further digits are rounding errors of sums. */
const digits = 12

const ratesOf = (price: Price, input: number): Rates | undefined => {
  if (price.long_prompt !== undefined && input > price.long_prompt.above) return price.long_prompt
  return price.up_to !== undefined && input > price.up_to ? undefined : price
}

/** The cost of one request. `day`: the day of the request, as `2026-11-22`. */
export const costOf = (price: Price | undefined, usage: Usage.Counters, day: string): number | undefined => {
  if (price === undefined || (price.until !== undefined && day > price.until)) return undefined
  const { input_tokens: input = 0, output_tokens: output = 0, reasoning_tokens: reasoning = 0 } = usage
  const { cache_read_tokens: read = 0, cache_write_tokens: written = 0 } = usage
  const { audio_input_tokens: audioInput = 0, audio_output_tokens: audioOutput = 0 } = usage
  const rates = ratesOf(price, input)
  if (rates === undefined) return undefined
  const cost = sum([
    [input - read - written - audioInput, rates.input],
    [read, rates.cached_input],
    [written, rates.cache_write],
    [audioInput, rates.audio_input],
    [output - reasoning - audioOutput, rates.output],
    [reasoning, rates.reasoning ?? rates.output],
    [audioOutput, rates.audio_output]
  ])
  return cost === undefined ? undefined : Number(cost.toFixed(digits))
}

/** The cost of a request that ends now. Undefined: not known. */
export const costNow = (
  fiber: Fiber.Fiber<unknown, unknown>,
  model: Parameters<Prices["of"]>[0],
  usage: Usage.Counters
): number | undefined => {
  const today = Time.formatMillis(fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()).slice(0, 10)
  return costOf(fiber.getRef(ModelPrices).of(model), usage, today)
}
