// Logs go to standard error, because standard output is for data: readable lines for people at a
// terminal, one JSON object per line for everything else.
import { Config as Env, Effect, Layer, Logger, References } from "effect"
import { oneOf } from "../config/ConfigReaders.ts"
import { NodeName } from "../config/NodeName.ts"
import * as LogFormat from "./LogFormat.ts"
import { isLogged, LogLevels, lowest } from "./LogLevels.ts"
import * as LogWriter from "./LogWriter.ts"

/** Undefined: readable at a terminal, and JSON elsewhere. */
const format = Env.map(
  oneOf("LOG_FORMAT", ["json", "readable", "auto"]),
  (form) => form === "auto" ? undefined : form
)

export interface Logging {
  readonly levels: LogLevels
  readonly format: "json" | "readable" | undefined
}

export const Logging: Env.Config<Logging> = Env.all({ levels: LogLevels, format })

/** A setting that cannot be read does not change the others. */
const atStart: Effect.Effect<Logging> = Effect.all({
  levels: Effect.orElseSucceed(LogLevels, (): LogLevels => ({ other: "Info", parts: {} })),
  format: Effect.orElseSucceed(format, () => undefined)
})

/** Drops the lines whose part has a higher level, and writes the others. */
export const writing = (
  levels: LogLevels,
  form: Logger.Logger<unknown, string>,
  writer: Pick<LogWriter.LogWriter, "add">
) =>
  Logger.make<unknown, void>((line) => {
    if (isLogged(levels, LogFormat.partOf(line), line.logLevel)) writer.add(form.log(line))
  })

/** `node` is the name of this process. */
export const layer = ({ format, levels }: Logging, node?: string): Layer.Layer<never> => {
  const isReadable = format === undefined ? process.stderr.isTTY : format === "readable"
  const form = isReadable ? LogFormat.readable : LogFormat.json(node)
  return Layer.mergeAll(
    Logger.layer([writing(levels, form, LogWriter.standardError())]),
    Layer.succeed(References.MinimumLogLevel, lowest(levels))
  )
}

/** Before the settings are read. Settings that cannot be read do not prevent the line that says so. */
export const early: Layer.Layer<never> = Layer.unwrap(
  Effect.map(
    Effect.all([atStart, Effect.orElseSucceed(NodeName, () => undefined)]),
    ([logging, node]) => layer(logging, node)
  )
)
