// Logs go to standard error, because standard output is for data: readable lines for people at a
// terminal, one JSON object per line for everything else.
import { Layer, Logger, type LogLevel, References } from "effect"

export const layer = (level: LogLevel.LogLevel): Layer.Layer<never> =>
  Layer.mergeAll(
    Logger.layer([process.stderr.isTTY ? Logger.consolePretty() : Logger.withConsoleError(Logger.formatJson)]),
    Layer.succeed(Logger.LogToStderr, true),
    Layer.succeed(References.MinimumLogLevel, level)
  )
