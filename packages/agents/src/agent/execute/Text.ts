// Values as text for a model to read.
import type * as Json from "@svc-runtime/domain/Json"
import { Formatter, Result } from "effect"

export const ofJson = (value: Json.Value): string => typeof value === "string" ? value : JSON.stringify(value)

/**
 * The result of a tool: text unchanged, nothing as empty text, other values as JSON. Circular references are left out,
 * and large integers are written as digits.
 */
export const ofResult = (value: unknown): Result.Result<string, Error> => {
  if (typeof value === "string") return Result.succeed(value)
  return Result.try(() => JSON.stringify(value) ?? "").pipe(
    Result.orElse(() => Result.try(() => Formatter.formatJson(value))),
    Result.mapError(() => new Error("The tool has run, but its result cannot be written as JSON"))
  )
}
