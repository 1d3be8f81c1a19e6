// Reads the delay that a provider requests: `retry-after-ms` in milliseconds, or `retry-after` in seconds or as a date.
import { DateTime, Option } from "effect"

/** Milliseconds from `now`, never negative. Undefined if the headers have no valid value. */
export const parseRetryAfter = (headers: Readonly<Record<string, string>>, now: number): number | undefined => {
  const millis = Number(headers["retry-after-ms"] || "none")
  if (Number.isFinite(millis)) return Math.max(0, millis)
  const value = headers["retry-after"]?.trim()
  if (value === undefined || value === "") return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  return Option.match(DateTime.make(value), {
    onNone: () => undefined,
    onSome: (at) => Math.max(0, DateTime.toEpochMillis(at) - now)
  })
}
