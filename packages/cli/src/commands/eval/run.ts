// `svc eval run FILE`: runs the items of a file, rates the answers, and fails if a threshold is not reached.
import { Effect, FileSystem, Option, Path, type PlatformError } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminTarget from "../../admin/AdminTarget.ts"
import { CommandFailed } from "../../CliError.ts"
import { present } from "../../CommandResult.ts"
import { Environment } from "../../Environment.ts"
import * as EvaluationExecution from "../../evaluation/EvaluationExecution.ts"
import * as EvaluationFile from "../../evaluation/EvaluationFile.ts"
import * as EvaluationReport from "../../evaluation/EvaluationReport.ts"
import * as JUnit from "../../evaluation/JUnit.ts"
import { inWords } from "../../FileError.ts"
import * as Flags from "../../Flags.ts"
import { Mode } from "../../Mode.ts"
import { address, credentials, Variables } from "../../terminal/HelpPage.ts"
import { Output } from "../../terminal/Output.ts"

const flags = {
  file: Argument.String("file").pipe(
    Argument.withDescription("A YAML or JSON file with items, scorers and thresholds")
  ),
  junit: Flags.text("junit", "FILE", "Write the results as JUnit XML, for CI"),
  ...AdminTarget.flags
}

const unwritable = (file: string, reason: string) =>
  new CommandFailed({ message: `Could not write ${file}: ${reason}` })

/** Checked before the runs, whose results would be lost. */
const junitAt = Effect.fnUntraced(function*(file: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd } = yield* Environment
  const target = path.resolve(cwd, file)
  const refused = (error: PlatformError.PlatformError) => unwritable(file, inWords(error))
  yield* Effect.mapError(files.access(path.dirname(target), { writable: true }), refused)
  const isFolder = yield* Effect.map(
    Effect.option(files.stat(target)),
    Option.exists(({ type }) => type === "Directory")
  )
  if (isFolder) return yield* unwritable(file, "it is a folder")
  return (text: string) => Effect.mapError(files.writeFileString(target, text), refused)
})

const show = Effect.fnUntraced(function*(evaluation: EvaluationFile.Evaluation, report: EvaluationReport.Report) {
  const output = yield* Output
  yield* output.line()
  yield* output.table(
    [{ title: "Scorer" }, { title: "Mean" }, { title: "Passed" }],
    report.scorers.map(({ mean, name, pass_rate }) => [name, mean.toFixed(3), `${(100 * pass_rate).toFixed(1)}%`])
  )
  yield* output.line()
  for (const result of report.results.filter(({ status }) => status !== "passed")) {
    yield* output.warn(
      [`${result.status}: ${EvaluationReport.titleOf(result, evaluation)}`, ...EvaluationReport.reasonsOf(result)].join(
        "\n  "
      )
    )
  }
  if (report.runs_missing > 0) yield* output.error(`${report.runs_missing} runs were not executed`)
  for (const { actual, minimum, name, passed } of report.thresholds) {
    yield* passed
      ? output.success(`${name} is ${actual}, at least ${minimum}`)
      : output.error(`${name} is ${actual}, below ${minimum}`)
  }
})

const documentOf = ({ component: { id, kind }, name }: EvaluationFile.Evaluation, report: EvaluationReport.Report) => ({
  name,
  [`${kind}_id`]: id,
  passed: report.passed,
  pass_rate: report.pass_rate,
  runs_missing: report.runs_missing,
  thresholds: report.thresholds.map((threshold) => ({ ...threshold })),
  scorers: report.scorers.map((scorer) => ({ ...scorer })),
  results: report.results.map((result) => ({ ...result, scores: result.scores.map((score) => ({ ...score })) }))
})

export const run = Command.make("run", flags, ({ file, json, junit, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const evaluation = yield* EvaluationFile.read(file)
      const write = junit === undefined ? undefined : yield* junitAt(junit)
      const service = yield* AdminTarget.find(given)
      const access = yield* AdminTarget.access(service, given, { secretResponse: false })
      const results: EvaluationExecution.Results = []
      const written = Effect.suspend(() => {
        const report = EvaluationReport.make(evaluation, results)
        const human = Effect.provideService(show(evaluation, report), Output, output)
        const answer = { document: documentOf(evaluation, report), human }
        return Effect.as(write?.(JUnit.of(evaluation, report)) ?? Effect.void, { report, answer })
      })
      const isJson = (yield* Mode) === "json"
      // the results so far are reported
      const interrupted = Effect.flatMap(written, ({ answer: { document, human } }) =>
        isJson ? output.print(document) : human)
      yield* EvaluationExecution.run(access, evaluation, results).pipe(
        Effect.onInterrupt(() =>
          Effect.ignore(interrupted)
        ),
        Effect.tapError(() => results.length === 0 ? Effect.void : written)
      )
      const { answer, report } = yield* written
      return { ...answer, ending: report.passed ? "ok" as const : "failed" as const }
    })
  )).pipe(
    Command.withDescription(
      "Run the items of a file against a service, rate the answers, and fail with exit code 1 if a threshold is not " +
        "reached. The file has one of agent_id, team_id and workflow_id, and items, scorers and thresholds."
    ),
    Command.annotate(Variables, [address, ...credentials]),
    Command.withShortDescription("Run the items of a file and rate the answers"),
    Command.withExamples([
      { command: "svc eval run evaluation.yaml" },
      { command: "svc eval run evaluation.yaml --junit results.xml", description: "In CI" },
      {
        command: "svc eval run evaluation.yaml --json | jq -r '.results[] | select(.status != \"passed\") | .name'",
        description: "The names of items that did not pass"
      }
    ])
  )
