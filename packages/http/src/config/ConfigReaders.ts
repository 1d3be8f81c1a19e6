// Reads environment variables as typed values. An invalid value stops the start.
import { Config as Env, Duration, Option, Redacted, Schema, SchemaGetter } from "effect"
import { availableParallelism } from "node:os"

/** An empty variable counts as unset. */
const optional = (name: string) =>
  Env.option(Env.String(name)).pipe(Env.map((value) => Option.filter(value, (text) => text.trim() !== "")))

export const text = (name: string) => Env.map(optional(name), Option.getOrUndefined)
export const textOr = (name: string, fallback: string) => Env.map(optional(name), Option.getOrElse(() => fallback))
export const secret = (name: string) =>
  Env.map(optional(name), (value) => Option.isSome(value) ? Redacted.make(value.value.trim()) : undefined)
export const list = (name: string) =>
  Env.map(
    optional(name),
    (value) =>
      Option.isNone(value) ? [] : value.value.split(",").map((item) => item.trim()).filter((item) => item !== "")
  )
/** A value that refuses everything, as a limit of zero does, stops the start. */
const atLeast = (minimum: number, example = Math.max(minimum, 10)) => {
  const expected = `a whole number of at least ${minimum}, such as ${example}`
  return Schema.String.check(
    Schema.makeFilter((text) => /^\d{1,15}$/.test(text.trim()) && Number(text) >= minimum, { expected })
  ).pipe(Schema.decodeTo(Schema.FiniteFromString))
}

export const count = (name: string, fallback: number, minimum = 1) =>
  Env.schema(atLeast(minimum, fallback), name).pipe(Env.withDefault(fallback))

/** Undefined: without a limit. */
export const limit = (name: string) => Env.map(Env.option(Env.schema(atLeast(1), name)), Option.getOrUndefined)

/** Of a vector: as many as are stored. */
const Dimensions = atLeast(1).check(
  Schema.makeFilter((dimensions) => dimensions <= 4096, { expected: "at most 4096, such as 1536" })
)

export const dimensions = (name: string) => Env.map(Env.option(Env.schema(Dimensions, name)), Option.getOrUndefined)

const DurationText = Schema.String.check(
  Schema.makeFilter((text) => Option.isSome(Duration.fromInput(text as Duration.Input)), {
    expected: "a length of time with its unit, such as '30 seconds'"
  })
)

const Timeout = DurationText.pipe(Schema.decodeTo(Schema.DurationFromString)).check(
  Schema.makeFilter((duration) => Duration.toMillis(duration) >= 0, {
    expected: "a length of time that is not negative, such as '30 seconds'"
  })
)
export const timeout = (name: string, fallback: Duration.Duration) =>
  Env.schema(Timeout, name).pipe(Env.withDefault(fallback))

/** How long ended data is kept. Undefined, which is zero: forever. */
export const retention = (name: string, fallback: Duration.Duration) =>
  Env.map(timeout(name, fallback), (period) => Duration.isZero(period) ? undefined : period)

/** Heartbeats are sent four times as often, and not more often than every quarter of a second. */
export const NodeTimeout = Timeout.check(
  Schema.makeFilter((duration) => Duration.toMillis(duration) === 0 || Duration.toMillis(duration) >= 1000, {
    expected: "at least 1 second, or 0 seconds for never"
  })
)

export const Port = Schema.String.check(
  Schema.makeFilter((text) => /^\d{1,5}$/.test(text.trim()) && Number(text) <= 65_535, {
    expected: "a port from 0 to 65535, such as 7777"
  })
).pipe(Schema.decodeTo(Schema.FiniteFromString))

const WorkerCount = Schema.String.check(
  Schema.makeFilter((text) => /^(auto|[1-9]\d{0,2})$/i.test(text.trim()), {
    expected: "auto for one process per core, or a number from 1 to 999"
  })
).pipe(Schema.decodeTo(Schema.Finite, {
  decode: SchemaGetter.transform((text: string) => Number(text) || availableParallelism()),
  encode: SchemaGetter.transform(String)
}))

/** How many processes a service has. */
export const workers = Env.schema(WorkerCount, "WORKERS").pipe(Env.withDefault(1))

const flags: ReadonlyMap<string, boolean> = new Map([
  ...["true", "yes", "on", "1", "y"].map((text) => [text, true] as const),
  ...["false", "no", "off", "0", "n"].map((text) => [text, false] as const)
])

const spelling = (text: string) => text.trim().toLowerCase()

const FlagText = Schema.String.check(
  Schema.makeFilter((text) => flags.has(spelling(text)), { expected: "true or false" })
)

/** An empty variable counts as unset. */
const filled = <S extends Schema.Codec<string, string>>(schema: S, name: string) =>
  Env.map(
    Env.option(Env.schema(Schema.Union([Schema.Literal(""), schema]), name)),
    (value) => Option.getOrUndefined(Option.filter(value, (text) => text !== ""))
  )

export const flag = (name: string) =>
  Env.map(filled(FlagText, name), (text) => text === undefined ? undefined : flags.get(spelling(text)))

export const flagOr = (name: string, fallback: boolean) => Env.map(flag(name), (value) => value ?? fallback)

/** One of these values, in any case. */
export const oneOf = <const A extends string>(name: string, values: ReadonlyArray<A>) => {
  const known = new Map<string, A>(values.map((value) => [value, value]))
  const expected = `one of ${values.join(", ")}`
  const Text = Schema.String.check(Schema.makeFilter((text) => known.has(spelling(text)), { expected }))
  return Env.map(filled(Text, name), (text) => text === undefined ? undefined : known.get(spelling(text)))
}

export const optionalCount = (name: string) =>
  Env.map(
    Env.option(Env.schema(Schema.FiniteFromString.pipe(Schema.decodeTo(Schema.Natural)), name)),
    Option.getOrUndefined
  )
