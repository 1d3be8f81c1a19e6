// The least level of log lines, for each part of the service.
import { type LogPart, parts } from "@svc-runtime/telemetry/LogPart"
import { Config as Env, LogLevel, Option, Schema } from "effect"

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
