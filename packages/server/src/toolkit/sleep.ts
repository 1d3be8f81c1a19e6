// A tool that lets a run wait for a time. Meanwhile the run is paused: it holds no place of a worker, and survives
// restarts of the service.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { Wait } from "@svc-runtime/engine/tool/Wait"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { DateTime, Duration, Option, Result, Schema } from "effect"
import { check, type ToolOptions } from "./ToolOptions.ts"

const Parameters = Schema.Struct({
  seconds: Schema.optionalKey(Schema.Int.annotate({ description: "How long to wait, from 1" })),
  until: Schema.optionalKey(
    Schema.String.annotate({
      description: "When to continue, with its offset from UTC, such as 2026-12-24T18:00:00+01:00"
    })
  )
})

export interface Options extends Omit<ToolOptions, "concurrency" | "maxResultBytes" | "retries" | "timeout"> {
  /** The longest wait. Default: seven days. */
  readonly longest?: Duration.Input | undefined
}

const failed = (message: string) => Result.fail(new Tool.ToolFailed({ message, cause: undefined }))

/** A time without an offset would be a guess. */
const withOffset = /(?:Z|[+-]\d{2}:?\d{2})$/

const timeOf = (given: typeof Parameters.Type, calledAt: number): Result.Result<number, Tool.ToolFailed> => {
  const { seconds, until } = given
  if ((seconds === undefined) === (until === undefined)) return failed("Give either seconds or until")
  if (seconds !== undefined) {
    return seconds >= 1 ? Result.succeed(calledAt + seconds) : failed("seconds must be at least 1")
  }
  const time = until !== undefined && withOffset.test(until) ? DateTime.make(until) : Option.none()
  if (Option.isNone(time)) return failed("until must be a time of ISO 8601 with its offset from UTC")
  return Result.succeed(Math.ceil(time.value.epochMilliseconds / 1000))
}

const checked = (
  time: number,
  calledAt: number,
  longest: Duration.Duration
): Result.Result<number, Tool.ToolFailed> => {
  const is = DateTime.formatIso(DateTime.makeUnsafe(calledAt * 1000))
  if (time <= calledAt) return failed(`The time is past: it is ${is}`)
  return time - calledAt > Duration.toSeconds(longest)
    ? failed(`The longest wait is ${Duration.format(longest)}. It is ${is}`)
    : Result.succeed(time)
}

/** Throws if `longest` is no length of time. */
export const sleep = (given: Options = {}): Tool.Tool => {
  check("Toolkit.sleep", given, { longest: "any" })
  const { longest = "7 days", ...options } = given
  const limit = Validate.duration("The tool sleep", "longest", longest)
  return Tool.make({
    name: "sleep",
    description: "Waits for some seconds, or until a time. The conversation continues then.",
    ...options,
    parameters: Parameters,
    effects: "read",
    execute: (given) =>
      new Wait({
        until: (calledAt) => Result.flatMap(timeOf(given, calledAt), (time) => checked(time, calledAt, limit))
      })
  })
}
