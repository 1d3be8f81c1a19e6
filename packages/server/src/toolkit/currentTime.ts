// A tool that says what time it is.
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Validate from "@svc-runtime/engine/userCode/Validate"
import { Data, DateTime, Effect, Option, Schema } from "effect"
import { expected } from "./expected.ts"
import { check, type ToolOptions } from "./ToolOptions.ts"

const Parameters = Schema.Struct({
  timezone: Schema.optionalKey(Schema.String.annotate({ description: "Of the IANA database, such as Europe/Paris" }))
})

class UnknownTimezone extends Data.TaggedError("UnknownTimezone")<{ readonly message: string }> {}

export interface Options extends ToolOptions {
  /** If the model names none. Default: UTC. */
  readonly timezone?: string | undefined
}

export const currentTime = (given: Options = {}): Tool.Tool => {
  check("Toolkit.currentTime", given, { timezone: "text" })
  const { timezone = "UTC", ...options } = given
  Validate.timezone("The tool of the current time", timezone)
  return Tool.make({
    name: "current_time",
    description: "The current date, time and weekday.",
    ...options,
    parameters: Parameters,
    effects: "read",
    execute: Effect.fnUntraced(function*({ timezone: named = timezone }) {
      const zone = DateTime.zoneMakeNamed(named)
      if (Option.isNone(zone)) return yield* new UnknownTimezone({ message: `There is no timezone '${named}'` })
      const now = DateTime.setZone(yield* DateTime.now, zone.value)
      const weekday = DateTime.format(now, { locale: "en", weekday: "long" })
      return { time: DateTime.formatIsoOffset(now), timezone: named, weekday }
    }, expected)
  })
}
