// A log line that every run has. It is written without an effect, which would cost more than the line.
import { Cause, Clock, type Fiber, Logger, LogLevel, References } from "effect"
import type { LogPart } from "./LogPart.ts"

/** The message of the line. Its fields replace annotations of the fiber with the same names. */
export class LogLine {
  readonly part: LogPart
  readonly text: string
  readonly fields: Readonly<Record<string, unknown>>
  constructor(part: LogPart, text: string, fields: Readonly<Record<string, unknown>>) {
    this.part = part
    this.text = text
    this.fields = fields
  }
  toString(): string {
    return this.text
  }
}

export const isWritten = (fiber: Fiber.Fiber<unknown, unknown>, level: LogLevel.Severity): boolean =>
  !LogLevel.isLessThan(level, fiber.getRef(References.MinimumLogLevel))

/** Gives the message to the loggers of the fiber. */
export const write = (fiber: Fiber.Fiber<unknown, unknown>, logLevel: LogLevel.Severity, message: unknown): void => {
  const line = {
    cause: Cause.empty,
    // @effect-diagnostics-next-line globalDate:off because loggers take a date
    date: new Date(fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()),
    fiber,
    logLevel,
    message: [message]
  }
  for (const logger of fiber.getRef(Logger.CurrentLoggers)) logger.log(line)
}
