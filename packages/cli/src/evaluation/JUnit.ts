// A report as JUnit XML, which CI services read: a test case for each run, and one for each threshold. CI services show
// it to many people, so texts that look like credentials are replaced, in names too.
import { redact } from "@svc-runtime/telemetry/Redaction"
import { Effect, FileSystem, Option, Path, type PlatformError, type Redacted } from "effect"
import { type CliError, CommandFailed } from "../CliError.ts"
import { Environment } from "../Environment.ts"
import { inWords } from "../FileError.ts"
import type { Evaluation } from "./EvaluationFile.ts"
import { reasonsOf, type Report, type Result, type Threshold, titleOf } from "./EvaluationReport.ts"
import { textOf } from "./RatedRun.ts"

/** XML 1.0 has no form of these characters. */
// oxlint-disable-next-line no-control-regex -- they are what is removed
const illegal = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "\"": "&quot;",
  "\t": "&#9;",
  "\n": "&#10;",
  "\r": "&#13;"
}

const escaped = (text: string): string =>
  text.replaceAll(illegal, "\uFFFD").replaceAll(/[&<>"\t\n\r]/g, (character) => entities[character] ?? "")

const attributes = (values: Readonly<Record<string, string | number>>): string =>
  Object.entries(values).map(([name, value]) => ` ${name}="${escaped(String(value))}"`).join("")

interface Case {
  readonly name: string
  readonly seconds: number
  readonly problem?: { readonly element: "failure" | "error"; readonly message: string; readonly text: string }
}

type Secrets = ReadonlyArray<Redacted.Redacted>

/** CI services tell cases apart by their names: a name that is replaced in part gets the number of its item. */
const shownNames = ({ items }: Evaluation, secrets: Secrets): ReadonlyMap<string, string> =>
  new Map(items.map(({ name }, index) => {
    const shown = redact(name, secrets)
    return [name, shown === name ? name : `${shown} (item ${index + 1})`]
  }))

const ofResult = (result: Result, title: string, secrets: Secrets): Case => {
  const named = { name: title, seconds: result.seconds }
  if (result.status === "passed") return named
  const { output, run_id, session_id } = result
  const reasons = reasonsOf(result)
  // an error has no answer
  const answer = output === null ? "" : `\n${redact(textOf(output), secrets)}`
  return {
    ...named,
    problem: {
      element: result.status === "error" ? "error" : "failure",
      message: redact(reasons.join("; "), secrets),
      text: `run ${run_id ?? "unknown"} in session ${session_id}${answer}`
    }
  }
}

const ofThreshold = ({ actual, minimum, name, passed }: Threshold, secrets: Secrets): Case => {
  const shown = redact(name, secrets)
  const message = `${shown} is ${actual}, below ${minimum}`
  return {
    name: `${shown} is at least ${minimum}`,
    seconds: 0,
    ...(passed ? {} : { problem: { element: "failure", message, text: "" } })
  }
}

const incomplete = (message: string, text: string): Case => ({
  name: "all runs are executed",
  seconds: 0,
  problem: { element: "error", message, text }
})

const hintOf = (error: CliError | undefined, secrets: Secrets): string =>
  error?._tag === "CommandFailed" ? redact(error.hint ?? "", secrets) : ""

const ofMissing = (
  { results, runs_missing: missing }: Report,
  error: CliError | undefined,
  secrets: Secrets
): ReadonlyArray<Case> => {
  if (missing === 0) return []
  const reason = error === undefined ? "" : `: ${redact(error.message, secrets)}`
  const message = `${missing} of ${results.length + missing} runs were not executed${reason}`
  return [incomplete(message, hintOf(error, secrets))]
}

const caseLines = ({ name, problem, seconds }: Case, classname: string): string => {
  const start = `    <testcase${attributes({ name, classname, time: seconds.toFixed(3) })}`
  if (problem === undefined) return `${start}/>`
  const { element, message, text } = problem
  return `${start}>\n      <${element}${attributes({ message })}>${escaped(text)}</${element}>\n    </testcase>`
}

const counts = (cases: ReadonlyArray<Case>) => ({
  tests: cases.length,
  failures: cases.filter(({ problem }) => problem?.element === "failure").length,
  errors: cases.filter(({ problem }) => problem?.element === "error").length,
  time: cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3)
})

interface Suite {
  readonly name: string
  readonly cases: ReadonlyArray<Case>
}

const suiteLines = ({ cases, name }: Suite, classname: string): string =>
  [
    `  <testsuite${attributes({ name, ...counts(cases) })}>`,
    ...cases.map((each) => caseLines(each, classname)),
    "  </testsuite>"
  ].join("\n")

const document = (name: string, classname: string, suites: ReadonlyArray<Suite>): string =>
  [
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    `<testsuites${attributes({ name, ...counts(suites.flatMap(({ cases }) => cases)) })}>`,
    ...suites.filter(({ cases }) => cases.length > 0).map((suite) => suiteLines(suite, classname)),
    "</testsuites>\n"
  ].join("\n")

export interface Ending {
  readonly evaluation: Evaluation
  readonly report: Report
  /** Why it ended before all runs were executed. */
  readonly error: CliError | undefined
  readonly secrets: Secrets
}

export const of = ({ error, evaluation, report, secrets }: Ending): string => {
  const { component: { id, kind } } = evaluation
  const name = redact(evaluation.name, secrets)
  const names = shownNames(evaluation, secrets)
  const runs = report.results.map((result) => {
    const shown = { ...result, name: names.get(result.name) ?? "" }
    return ofResult(result, titleOf(shown, evaluation), secrets)
  })
  const limits = report.thresholds.map((threshold) => ofThreshold(threshold, secrets))
  return document(name, redact(`${kind}.${id}`, secrets), [
    { name, cases: [...runs, ...ofMissing(report, error, secrets)] },
    { name: `${name} thresholds`, cases: limits }
  ])
}

/** The report of an evaluation that has not ended, or whose file is invalid. */
export const ofUnended = (suite: string, error: CliError | undefined, secrets: Secrets): string => {
  const name = redact(suite, secrets)
  const message = error === undefined ? "The evaluation did not end" : redact(error.message, secrets)
  return document(name, name, [{ name, cases: [incomplete(message, hintOf(error, secrets))] }])
}

// The file of `--junit`. It is written before the evaluation too, which could be killed: CI would read the results of
// an earlier one in it.

/** Enough to see what a file is. */
const headBytes = 64

const unwritable = (file: string, reason: string, hint?: string) =>
  new CommandFailed({ message: `Could not write ${file}: ${reason}`, hint })

/** Its beginning without white space; empty if it cannot be read. */
const headOf = Effect.fnUntraced(
  function*(path: string) {
    const files = yield* FileSystem.FileSystem
    const bytes = yield* (yield* files.open(path)).readAlloc(headBytes)
    return Option.match(bytes, { onNone: () => "", onSome: (bytes) => new TextDecoder().decode(bytes).trimStart() })
  },
  Effect.scoped,
  Effect.orElseSucceed(() => "")
)

interface JUnitFile {
  readonly write: (text: string) => Effect.Effect<void, CommandFailed>
  /** Writes what is replaced later. */
  readonly writeForNow: (text: string) => Effect.Effect<void, CommandFailed>
}

/** Fails if the file cannot be written. */
export const openFile = Effect.fn("JUnitFile.open")(function*(file: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd } = yield* Environment
  const target = path.resolve(cwd, file)
  const refused = (error: PlatformError.PlatformError) => unwritable(file, inWords(error))
  const write = (text: string) => Effect.mapError(files.writeFileString(target, text), refused)
  const type = Option.map(yield* Effect.option(files.stat(target)), ({ type }) => type)
  const isFile = Option.contains(type, "File")
  if (isFile && !/^(<|$)/.test(yield* headOf(target))) {
    return yield* unwritable(file, "it exists, and is not XML", "Name another file, or remove it.")
  }
  // a device or a pipe would get several documents
  const isReplaceable = Option.isNone(type) || isFile || Option.contains(type, "Directory")
  if (!isReplaceable) yield* Effect.mapError(files.access(target, { writable: true }), refused)
  const opened: JUnitFile = { write, writeForNow: isReplaceable ? write : () => Effect.void }
  return opened
})

/** The reports of an evaluation without a JUnit file. */
export const noFile: JUnitFile = { write: () => Effect.void, writeForNow: () => Effect.void }
