// Values as text for a model to read.
import type { Json } from "@svc/domain"
import { Formatter, Result } from "effect"

export const ofJson = (value: Json.Value): string => typeof value === "string" ? value : JSON.stringify(value)

/**
 * What a tool gave: a text as it is, nothing as the empty text, anything else as JSON. JSON has no words for a value that
 * contains itself or for a large integer: the first is shown without itself, the second as its digits.
 */
export const ofResult = (value: unknown): Result.Result<string, Error> => {
  if (typeof value === "string") return Result.succeed(value)
  return Result.try(() => JSON.stringify(value) ?? "").pipe(
    Result.orElse(() => Result.try(() => Formatter.formatJson(value))),
    Result.mapError(() => new Error("The tool has run, but its result cannot be written as JSON"))
  )
}
