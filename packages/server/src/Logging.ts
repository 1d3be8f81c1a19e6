// Logs go to standard error, because standard output is for data: readable lines for people at a
// terminal, one JSON object per line for everything else.
import { Layer, Logger, type LogLevel, References } from "effect"
import { styleText } from "node:util"

const styles: Readonly<Record<string, Parameters<typeof styleText>[0]>> = {
  FATAL: "red",
  ERROR: "red",
  WARN: "yellow",
  INFO: "green"
}

/** Texts without blanks stay as they are; control characters are escaped, as they would reach the terminal. */
const shown = (value: unknown): string => {
  if (value instanceof Error) return value.stack ?? value.message
  return typeof value === "string" && /^[\w:.,/@+-]+$/.test(value) ? value : JSON.stringify(value)
}

/** The time, the level, the message and the annotations in one line, and the cause below it. */
export const readable: Logger.Logger<unknown, string> = Logger.map(
  Logger.formatStructured,
  ({ annotations, cause, level, message, timestamp }) => {
    const texts = [message].flat().map((part) => typeof part === "string" ? part : shown(part))
    const fields = Object.entries(annotations).map(([key, value]) => `${key}=${shown(value)}`)
    const line = [timestamp, styleText(styles[level] ?? "dim", level, { stream: process.stderr }), ...texts, ...fields]
    return [line.join(" "), ...(cause === undefined ? [] : [cause])].join("\n")
  }
)

export const layer = (level: LogLevel.LogLevel): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([Logger.withConsoleError(process.stderr.isTTY ? readable : Logger.formatJson)]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, level)
  )
