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

/** How lines are written: read from the fiber, which has other values later. */
export interface Output {
  readonly fiber: Fiber.Fiber<unknown, unknown>
  readonly loggers: ReadonlySet<Logger.Logger<unknown, unknown>>
  readonly least: LogLevel.LogLevel
  readonly clock: Clock.Clock
}

export const outputOf = (fiber: Fiber.Fiber<unknown, unknown>): Output => ({
  fiber,
  loggers: fiber.getRef(Logger.CurrentLoggers),
  least: fiber.getRef(References.MinimumLogLevel),
  clock: fiber.getRef(Clock.Clock)
})

/** Unless the level is below the least one. */
export const writeTo = (
  { clock, fiber, least, loggers }: Output,
  logLevel: LogLevel.Severity,
  message: () => unknown
): void => {
  if (LogLevel.isLessThan(logLevel, least)) return
  const line = {
    cause: Cause.empty,
    // @effect-diagnostics-next-line globalDate:off because loggers take a date
    date: new Date(clock.currentTimeMillisUnsafe()),
    fiber,
    logLevel,
    message: [message()]
  }
  for (const logger of loggers) logger.log(line)
}

export const isWritten = (fiber: Fiber.Fiber<unknown, unknown>, level: LogLevel.Severity): boolean =>
  !LogLevel.isLessThan(level, fiber.getRef(References.MinimumLogLevel))

/** Gives the message to the loggers of the fiber. */
export const write = (fiber: Fiber.Fiber<unknown, unknown>, logLevel: LogLevel.Severity, message: unknown): void =>
  writeTo(outputOf(fiber), logLevel, () => message)
