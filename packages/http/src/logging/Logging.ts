// Logs go to standard error, because standard output is for data: readable lines for people at a
// terminal, one JSON object per line for everything else.
import { currentWorker, type Worker } from "@svc-runtime/domain/Worker"
import { type LogPart, parts } from "@svc-runtime/telemetry/LogPart"
import { Config as Env, Effect, Layer, Logger, LogLevel, Option, References, Schema } from "effect"
import { oneOf } from "../config/ConfigReaders.ts"
import * as NodeName from "../config/NodeName.ts"
import * as LogFormat from "./LogFormat.ts"
import * as LogWriter from "./LogWriter.ts"

// The least level of log lines, for each part of the service.

export interface LogLevels {
  /** Of parts without their own. */
  readonly other: LogLevel.LogLevel
  readonly parts: Readonly<Partial<Record<LogPart, LogLevel.LogLevel>>>
}

const names = new Map(
  (["All", "Trace", "Debug", "Info", "Warn", "Error", "Fatal", "None"] as const).map((level) => [
    level.toLowerCase(),
    level
  ])
)

const spellings = [...names.keys()].join(", ")

const LevelName = Schema.String.check(
  Schema.makeFilter((text) => text.trim() === "" || names.has(text.trim().toLowerCase()), {
    expected: `one of ${spellings}`
  })
)

/** In any case. An empty variable counts as unset. */
const level = Env.option(Env.schema(LevelName, "LOG_LEVEL")).pipe(
  Env.map((given) => names.get(Option.getOrElse(given, () => "").trim().toLowerCase()) ?? "Info")
)

const isPart = (name: string): name is LogPart => parts.some((part) => part === name)

/** Undefined if it is not of the form `part=level`. */
const entryOf = (text: string): readonly [LogPart, LogLevel.LogLevel] | undefined => {
  const [name = "", given = "", ...rest] = text.split("=").map((piece) => piece.trim().toLowerCase())
  const found = names.get(given)
  return rest.length === 0 && isPart(name) && found !== undefined ? [name, found] : undefined
}

const entriesOf = (text: string) => text.split(",").filter((entry) => entry.trim() !== "").map(entryOf)

const PartLevels = Schema.String.check(
  Schema.makeFilter((text) => !entriesOf(text).includes(undefined), {
    expected: `parts with levels, such as http=warn,runs=debug (parts: ${parts.join(", ")}; levels: ${spellings})`
  })
)

const partLevels = Env.option(Env.schema(PartLevels, "LOG_LEVELS")).pipe(
  Env.map((given): LogLevels["parts"] =>
    Object.fromEntries(
      entriesOf(Option.getOrElse(given, () => "")).flatMap((entry) => entry === undefined ? [] : [entry])
    )
  )
)

export const LogLevels: Env.Config<LogLevels> = Env.all({ other: level, parts: partLevels })

/** The least of all: lines below it are not made. */
export const lowest = ({ other, parts }: LogLevels): LogLevel.LogLevel =>
  Object.values(parts).reduce((least, level) => LogLevel.isLessThan(level, least) ? level : least, other)

export const isLogged = ({ other, parts }: LogLevels, part: unknown, level: LogLevel.LogLevel): boolean =>
  !LogLevel.isLessThan(level, parts[part as LogPart] ?? other)

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

/** `node` is the name of this process. Readable lines have it where several processes write them. */
export const layer = ({ format, levels }: Logging, node?: string, worker?: Worker): Layer.Layer<never> => {
  const isReadable = format === undefined ? process.stderr.isTTY : format === "readable"
  const form = !isReadable
    ? LogFormat.json(node)
    : worker === undefined || node === undefined
    ? LogFormat.readable
    : Logger.map(LogFormat.readable, (line) => `${node} ${line}`)
  return Layer.mergeAll(
    Logger.layer([writing(levels, form, LogWriter.standardError())]),
    Layer.succeed(References.MinimumLogLevel, lowest(levels))
  )
}

/** Before the settings are read. Settings that cannot be read do not prevent the line that says so. */
export const early: Layer.Layer<never> = Layer.unwrap(
  Effect.map(
    Effect.all([atStart, Effect.orElseSucceed(NodeName.Named, () => undefined), currentWorker]),
    ([logging, named, worker]) => layer(logging, named === undefined ? undefined : NodeName.of(named, worker), worker)
  )
)
