// The cost of requests to models, by the prices of their providers. A request has no cost if the price of one of its
// kinds of tokens is missing.
//
// The usage of all providers has the same shape here: cached tokens, read and written, are part of the input tokens,
// and reasoning tokens are part of the output tokens.
import * as NameList from "@svc-runtime/domain/NameList"
import type * as Usage from "@svc-runtime/domain/Usage"
import { Schema } from "effect"
import shipped from "./prices.json" with { type: "json" }
import * as ProviderNames from "./ProviderNames.ts"

const Amount = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const optional = Schema.optionalKey(Amount)

/** For as many tokens. */
const unit = 1_000_000

const rates = {
  input: Amount,
  output: Amount,
  /** The price of input tokens that the provider has read from its cache. */
  cached_input: optional,
  /** The price of input tokens that the provider has written into its cache. */
  cache_write: optional,
  /** The price of reasoning tokens. Default: the price of other output. */
  reasoning: optional,
  audio_input: optional,
  audio_output: optional
}

const Rates = Schema.Struct(rates)
type Rates = typeof Rates.Type

const Tokens = Schema.Natural
const DateText = Schema.String.check(Schema.isPattern(/^\d{4}-\d{2}-\d{2}$/))

/** The limit of the id of a model. */
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

let decoded: Prices | undefined

/** The prices that ship. */
export const standard = (): Prices => decoded ??= withList({ models: [] })

/** Further digits are rounding errors of sums. */
const digits = 12

const ratesOf = (price: Price, input: number): Rates | undefined => {
  if (price.long_prompt !== undefined && input > price.long_prompt.above) return price.long_prompt
  return price.up_to !== undefined && input > price.up_to ? undefined : price
}

type Part = readonly [kind: keyof Rates, tokens: number, price: number | undefined]

/** The tokens of a request, each in one kind. */
const partsOf = (rates: Rates, usage: Usage.Counters): ReadonlyArray<Part> => {
  const { input_tokens: input = 0, output_tokens: output = 0, reasoning_tokens: reasoning = 0 } = usage
  const { cache_read_tokens: read = 0, cache_write_tokens: written = 0 } = usage
  const { audio_input_tokens: audioInput = 0, audio_output_tokens: audioOutput = 0 } = usage
  const parts: ReadonlyArray<Part> = [
    ["input", input - read - written - audioInput, rates.input],
    ["cached_input", read, rates.cached_input],
    ["cache_write", written, rates.cache_write],
    ["audio_input", audioInput, rates.audio_input],
    ["output", output - reasoning - audioOutput, rates.output],
    ["reasoning", reasoning, rates.reasoning ?? rates.output],
    ["audio_output", audioOutput, rates.audio_output]
  ]
  return parts.filter(([, tokens]) => tokens > 0)
}

/** The cost of one request, or why it is not known. */
const costOrGap = (price: Price | undefined, usage: Usage.Counters, day: string): number | string => {
  if (price === undefined) return "no price is listed for it"
  if (price.until !== undefined && day > price.until) return `its price ended on ${price.until}`
  const rates = ratesOf(price, usage.input_tokens ?? 0)
  if (rates === undefined) return `no price is listed for a request with more than ${price.up_to} input tokens`
  let total = 0
  const missing: Array<string> = []
  for (const [kind, tokens, rate] of partsOf(rates, usage)) {
    if (rate === undefined) missing.push(kind)
    else total += tokens * rate
  }
  return missing.length > 0 ? `its price has no ${NameList.all(missing)}` : Number((total / unit).toFixed(digits))
}

/** The cost of one request. `day`: the day of the request, as `2026-11-22`. */
export const costOf = (price: Price | undefined, usage: Usage.Counters, day: string): number | undefined => {
  const found = costOrGap(price, usage, day)
  return typeof found === "number" ? found : undefined
}

/** Why the cost of a request is not known. Undefined if it is. */
export const gapOf = (price: Price | undefined, usage: Usage.Counters, day: string): string | undefined => {
  const found = costOrGap(price, usage, day)
  return typeof found === "string" ? found : undefined
}
