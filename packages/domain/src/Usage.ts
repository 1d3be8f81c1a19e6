// Tokens, cost and time of a run, counted per message, per run and per session. Messages and runs leave out counters of
// zero, but not a cost of zero, which is known. A session always has its nine integer counters.
import { Schema } from "effect"

/** The counters of tokens, each with this value. */
export const tokens = <A>(value: A) => ({
  input_tokens: value,
  output_tokens: value,
  total_tokens: value,
  audio_input_tokens: value,
  audio_output_tokens: value,
  audio_total_tokens: value,
  cache_read_tokens: value,
  cache_write_tokens: value,
  reasoning_tokens: value
})

export const counters = {
  ...tokens(Schema.optionalKey(Schema.Natural)),
  /** In US dollars, as the provider reports it or by the price of the model. Absent if it is not known. */
  cost: Schema.optionalKey(Schema.Finite)
}

/** More than one request to a model can use: larger numbers of a provider are mistakes. */
export const max = { tokens: 1_000_000_000, cost: 1_000_000 }

export const Counters = Schema.Struct(counters).annotate({ identifier: "UsageCounters" })
export type Counters = typeof Counters.Type

/** Counters of one model in one role (`model`, `reasoning_model`, …). */
export const ModelUsage = Schema.Struct({ id: Schema.String, provider: Schema.String, ...counters })
  .annotate({ identifier: "ModelUsage" })
export type ModelUsage = typeof ModelUsage.Type

/** The models of each role. */
export const Details = Schema.Record(Schema.String, Schema.Array(ModelUsage))
export type Details = typeof Details.Type

const seconds = Schema.optionalKey(Schema.Finite)

export const MessageMetrics = Schema.Struct({ ...counters, time_to_first_token: seconds, duration: seconds })
  .annotate({ identifier: "MessageMetrics" })
export type MessageMetrics = typeof MessageMetrics.Type

export const RunMetrics = Schema.Struct({
  ...counters,
  /** Seconds from the start of the run to the first part of its answer. */
  time_to_first_token: seconds,
  /** Seconds. */
  duration: seconds,
  details: Schema.optionalKey(Details)
}).annotate({ identifier: "RunMetrics" })
export type RunMetrics = typeof RunMetrics.Type

export const SessionMetrics = Schema.Struct({ ...counters, details: Schema.optionalKey(Details) })
  .annotate({ identifier: "SessionMetrics" })
export type SessionMetrics = typeof SessionMetrics.Type

/** The integer counters, each zero. */
export const zero = tokens(0)

const names = Object.keys(counters) as ReadonlyArray<keyof Counters>

/** Leaves out sums of zero, except the cost if one of the two is a known cost of zero. */
export const add = (left: Counters, right: Counters): Counters => {
  const result: { -readonly [K in keyof Counters]: Counters[K] } = {}
  for (const name of names) {
    const sum = (left[name] ?? 0) + (right[name] ?? 0)
    if (sum !== 0 || (name === "cost" && (left.cost === 0 || right.cost === 0))) result[name] = sum
  }
  return result
}

/** The counters of a value, without its other fields. */
export const countersOf = (usage: Counters): Counters => add(usage, {})

const hasUnknownCost = ({ cost, total_tokens = 0 }: Counters): boolean => cost === undefined && total_tokens !== 0

/** A sum of known and unknown costs is not known. */
const sumOfModel = (model: ModelUsage, usage: ModelUsage): ModelUsage => {
  const { cost, ...sum } = add(model, usage)
  const isKnown = cost !== undefined && !hasUnknownCost(model) && !hasUnknownCost(usage)
  return { ...sum, ...(isKnown ? { cost } : {}), id: model.id, provider: model.provider }
}

const addModel = (models: ReadonlyArray<ModelUsage>, usage: ModelUsage): ReadonlyArray<ModelUsage> => {
  const index = models.findIndex((model) => model.id === usage.id && model.provider === usage.provider)
  if (index < 0) return [...models, usage]
  return models.map((model, at) => at === index ? sumOfModel(model, usage) : model)
}

export const addDetails = (left: Details, right: Details): Details => {
  const result: Record<string, ReadonlyArray<ModelUsage>> = { ...left }
  for (const [role, models] of Object.entries(right)) {
    result[role] = models.reduce(addModel, result[role] ?? [])
  }
  return result
}

/** One request to a model, in its role. */
export interface Request {
  readonly role: string
  readonly model: Pick<ModelUsage, "id" | "provider">
  readonly usage: Counters
}

/** With the counters of its model. */
export const ofRequest = ({ model: { id, provider }, role, usage }: Request) => {
  const counters = countersOf(usage)
  return { ...counters, details: { [role]: [{ ...counters, id, provider }] } } satisfies SessionMetrics
}

const negated = (usage: Counters): Counters => {
  const result: { -readonly [K in keyof Counters]: Counters[K] } = {}
  for (const name of names) if (usage[name] !== undefined) result[name] = 0 - usage[name]
  return result
}

const negatedDetails = (details: Details): Details =>
  Object.fromEntries(
    Object.entries(details).map(([role, models]) => [
      role,
      models.map((model) => ({ ...negated(model), id: model.id, provider: model.provider }))
    ])
  )

/** The usage of a run since the last count. */
export const since = (counted: RunMetrics | undefined, usage: RunMetrics): SessionMetrics =>
  counted === undefined
    ? usage
    : addToSession(
      {
        ...negated(counted),
        ...(counted.details === undefined ? {} : { details: negatedDetails(counted.details) })
      },
      usage
    )

/** A session's metrics after one more run. Durations belong to runs and are not summed. */
export const addToSession = (session: SessionMetrics, run: RunMetrics): SessionMetrics => {
  const sum = add(session, run)
  if (session.details === undefined && run.details === undefined) return sum
  return { ...sum, details: addDetails(session.details ?? {}, run.details ?? {}) }
}
