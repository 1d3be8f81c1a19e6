// Two formats of time on the wire: epoch seconds (run outputs, messages, events) and RFC 3339 in UTC (session details
// and run records). Both have whole seconds, like the store.
import { DateTime as Instant, Option, Schema } from "effect"

/** Seconds since the epoch. */
export const EpochSeconds = Schema.Int.annotate({
  identifier: "EpochSeconds",
  description: "Seconds since 1970-01-01T00:00:00Z",
  examples: [1_767_225_600]
})
export type EpochSeconds = typeof EpochSeconds.Type

/** `2026-11-20T23:52:15Z`; with a fraction only if it is not zero. */
export const DateTime = Schema.String.annotate({ format: "date-time" })
export type DateTime = typeof DateTime.Type

export const fromMillis = (millis: number): EpochSeconds => Math.floor(millis / 1000)

export const toDateTime = (seconds: EpochSeconds): DateTime => formatMillis(seconds * 1000)

/** RFC 3339 without a zero fraction. */
export const formatMillis = (millis: number): DateTime =>
  Instant.formatIso(Instant.makeUnsafe(millis)).replace(".000Z", "Z")

/** `2026-11-22`. Days that their month does not have are no dates. */
export const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  Option.exists(Instant.make(`${text}T00:00:00Z`), (time) => Instant.formatIso(time).startsWith(text))

const timePattern = /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** The microseconds of a time in ISO 8601. A time without a zone is UTC. Digits beyond microseconds are dropped. */
export const microsecondsOf = (text: string): Option.Option<number> => {
  const [, date, fraction = "", zone] = timePattern.exec(text) ?? []
  if (date === undefined || !isDate(date)) return Option.none()
  const zoned = zone === undefined && text.length > date.length ? `${text}Z` : text
  return Option.map(
    Instant.make(zoned),
    (time) => Instant.toEpochMillis(time) * 1000 + Number(fraction.slice(3, 6).padEnd(3, "0"))
  )
}

/** The plus sign of an offset in a query is read as a blank. */
export const fromQuery = (time: string): string => time.replace(/^([^:]*:.*) (\d{2}:?\d{2})$/, "$1+$2")
