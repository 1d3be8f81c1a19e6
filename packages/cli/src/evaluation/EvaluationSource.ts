// The text of an evaluation as a value, YAML or JSON. Messages about it name the field and, in YAML, the line.
import { ofSchemaError } from "@svc-runtime/domain/schema/ValidationProblems"
import { Effect, FileSystem, Path, Result, type Schema } from "effect"
import { parse } from "effect/encoding/Yaml"
import { CommandFailed } from "../CliError.ts"
import { Environment } from "../Environment.ts"
import { inWords } from "../FileError.ts"

const maxBytes = 10_000_000

/** Finding a line of a larger text takes too long. */
const maxSearchedLength = 100_000

/** More of them at once do not help. */
const maxProblems = 5

export interface Source {
  readonly file: string
  readonly text: string
  readonly value: unknown
}

export const invalid = (file: string, problem: string) =>
  new CommandFailed({ message: `Invalid evaluation ${file}: ${problem}` })

const isJson = (file: string): boolean => file.endsWith(".json")

const messageOf = (thrown: unknown): string => thrown instanceof Error ? thrown.message : String(thrown)

type Place = ReadonlyArray<string | number>

const hasKey = (value: unknown, key: string | number): value is Record<string | number, unknown> =>
  typeof value === "object" && value !== null && key in value

const has = (value: unknown, [key, ...rest]: Place): boolean =>
  key === undefined || hasKey(value, key) && has(value[key], rest)

const parsed = (text: string) => Result.try({ try: (): unknown => parse(text), catch: (thrown) => messageOf(thrown) })

/** The number of the first line up to which the text passes. */
const firstLine = (text: string, passes: (parsed: Result.Result<unknown, string>) => boolean): number => {
  const lines = text.split("\n")
  const beginningPasses = (count: number) => passes(parsed(lines.slice(0, count).join("\n")))
  let [least, most] = [1, lines.length]
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    if (beginningPasses(middle)) most = middle
    else least = middle + 1
  }
  return least
}

/** Errors of the parser have a line, or an offset that says nothing to people. */
const syntaxProblem = (text: string, message: string): string => {
  const [, problem = message, line] = /^(.*?)(?: at (?:line (\d+)|flow offset \d+))?$/s.exec(message) ?? []
  if (line !== undefined) return `line ${line}: ${problem}`
  if (text.length > maxSearchedLength) return problem
  const found = firstLine(text, (beginning) => Result.isFailure(beginning) && beginning.failure === message)
  return `line ${found}: ${problem}`
}

/** The line of a place in the source. A place inside of brackets of several lines has none. */
const lineOf = ({ file, text }: Source, place: Place): number | undefined => {
  if (isJson(file) || place.length === 0 || text.length > maxSearchedLength) return undefined
  const line = firstLine(text, (beginning) => Result.isSuccess(beginning) && has(beginning.success, place))
  const before = parsed(text.split("\n").slice(0, line - 1).join("\n"))
  return Result.isSuccess(before) && !has(before.success, place) ? line : undefined
}

/** `items[0].input` */
const nameOf = (place: Place): string =>
  place.map((key, index) => typeof key === "number" ? `[${key}]` : index === 0 ? key : `.${key}`).join("")

/** The words for types of problems. Other problems have a sentence. */
const words: Readonly<Record<string, string>> = {
  missing: "is missing",
  extra_forbidden: "is not a known key",
  too_short: "is empty",
  string_too_short: "is empty"
}

const problemText = (source: Source, { loc, msg, type }: ReturnType<typeof ofSchemaError>[number]): string => {
  const line = lineOf(source, type === "missing" ? loc.slice(0, -1) : loc)
  const name = loc.length === 0 ? "the file" : nameOf(loc)
  const sentence = words[type] ??
    msg.replace(/^(Input|List|String) (?=should )/, "").replace(/^Expected /, "should be ")
  return `${line === undefined ? "" : `line ${line}: `}${name} ${sentence}`
}

/** The first problem of each field. */
export const problemsOf = (source: Source, error: Schema.SchemaError): string => {
  const byField = new Map(ofSchemaError(error).toReversed().map((problem) => [nameOf(problem.loc), problem]))
  const problems = [...byField.values()].toReversed().slice(0, maxProblems)
  return problems.map((problem) => problemText(source, problem)).join("; ")
}

const textOf = Effect.fnUntraced(function*(file: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd } = yield* Environment
  const bytes = yield* Effect.mapError(
    files.readFile(path.resolve(cwd, file)),
    (error) => new CommandFailed({ message: `Could not read ${file}: ${inWords(error)}` })
  )
  if (bytes.length > maxBytes) return yield* invalid(file, `it is larger than ${maxBytes} bytes`)
  return new TextDecoder().decode(bytes)
})

export const read = Effect.fn("EvaluationSource.read")(function*(file: string) {
  const text = yield* textOf(file)
  const value = yield* Effect.try({
    try: (): unknown => isJson(file) ? JSON.parse(text) : parse(text),
    catch: (thrown) => invalid(file, isJson(file) ? messageOf(thrown) : syntaxProblem(text, messageOf(thrown)))
  })
  const source: Source = { file, text, value }
  return source
})
