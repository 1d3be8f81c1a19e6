// `svc eval`: evaluations from files.
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as AdminCredential from "../admin/AdminCredential.ts"
import * as AdminTarget from "../admin/AdminTarget.ts"
import { type CliError, CommandFailed } from "../CliError.ts"
import { type Answer, documentOf, present, showError } from "../CommandResult.ts"
import * as EvaluationExecution from "../evaluation/EvaluationExecution.ts"
import * as EvaluationFile from "../evaluation/EvaluationFile.ts"
import * as EvaluationReport from "../evaluation/EvaluationReport.ts"
import * as EvaluationSource from "../evaluation/EvaluationSource.ts"
import * as JUnit from "../evaluation/JUnit.ts"
import * as Flags from "../Flags.ts"
import { Mode } from "../Mode.ts"
import { address, credentials, Variables } from "../terminal/HelpPage.ts"
import { Output } from "../terminal/Output.ts"
import { onOneLine } from "../terminal/Printable.ts"

// `svc eval run FILE`: runs the items of a file, rates the answers, and fails if a threshold is not reached.

const flags = {
  file: Argument.String("file").pipe(
    Argument.withDescription("A YAML or JSON file with items, scorers and thresholds")
  ),
  junit: Flags.text("junit", "FILE", "Write the results as JUnit XML, for CI"),
  ...AdminTarget.flags
}

const show = Effect.fnUntraced(function*(evaluation: EvaluationFile.Evaluation, report: EvaluationReport.Report) {
  const output = yield* Output
  if (report.results.length > 0) {
    yield* output.line()
    yield* output.table(
      [{ title: "Scorer" }, { title: "Mean" }, { title: "Passed" }],
      report.scorers.map(({ mean, name, pass_rate }) => [name, mean.toFixed(3), `${(100 * pass_rate).toFixed(1)}%`])
    )
    yield* output.line()
  }
  for (const result of report.results.filter(({ status }) => status !== "passed")) {
    const title = onOneLine(EvaluationReport.titleOf(result, evaluation))
    yield* output.warn([`${result.status}: ${title}`, ...EvaluationReport.reasonsOf(result)].join("\n  "))
  }
  if (report.runs_missing > 0) {
    yield* output.error(
      `${report.runs_missing} of ${report.results.length + report.runs_missing} runs were not executed`
    )
  }
  for (const { actual, minimum, name: given, passed } of report.thresholds) {
    const name = onOneLine(given)
    yield* passed
      ? output.success(`${name} is ${actual}, at least ${minimum}`)
      : output.error(`${name} is ${actual}, below ${minimum}`)
  }
})

const reportDocument = (
  { component: { id, kind }, name }: EvaluationFile.Evaluation,
  report: EvaluationReport.Report
) => ({
  name,
  [`${kind}_id`]: id,
  passed: report.passed,
  pass_rate: report.pass_rate,
  runs_missing: report.runs_missing,
  thresholds: report.thresholds.map((threshold) => ({ ...threshold })),
  scorers: report.scorers.map((scorer) => ({ ...scorer })),
  results: report.results.map((result) => ({ ...result, scores: result.scores.map((score) => ({ ...score })) }))
})

const run = Command.make("run", flags, ({ file, json, junit, ...given }) =>
  present(
    json,
    Effect.gen(function*() {
      const output = yield* Output
      const exported = yield* AdminCredential.exported
      let secrets = exported === undefined ? [] : [exported]
      const target = junit === undefined ? JUnit.noFile : yield* JUnit.openFile(junit)
      const unended = (suite: string, error?: CliError) => JUnit.ofUnended(suite, error, secrets)
      const writeError = (suite: string) => (error: CliError) => Effect.ignore(target.write(unended(suite, error)))
      yield* target.writeForNow(unended(file))
      const source = yield* Effect.tapError(EvaluationSource.read(file), writeError(file))
      const suite = EvaluationFile.nameIn(source)
      yield* target.writeForNow(unended(suite))
      const evaluation = yield* Effect.tapError(EvaluationFile.decode(source), writeError(suite))
      const results: EvaluationExecution.Results = []
      const write = (report: EvaluationReport.Report, error?: CliError) =>
        target.write(JUnit.of({ evaluation, report, error, secrets }))
      const answerOf = (report: EvaluationReport.Report, error?: CommandFailed): Answer => {
        const shown = error === undefined
          ? show(evaluation, report)
          : Effect.andThen(show(evaluation, report), showError(error))
        return {
          document: { ...(error === undefined ? {} : documentOf(error)), ...reportDocument(evaluation, report) },
          human: Effect.provideService(shown, Output, output),
          ending: report.passed ? "ok" : "failed"
        }
      }
      const isJson = (yield* Mode) === "json"
      // the results so far are reported
      const interrupted = Effect.gen(function*() {
        const report = EvaluationReport.make(evaluation, results)
        const error = new CommandFailed({ message: "The evaluation was interrupted" })
        yield* write(report, error)
        const { document = null, human } = answerOf(report, error)
        yield* isJson ? output.print(document) : human
      })
      const executed = Effect.flatMap(AdminTarget.open(given), (access) => {
        // a prompt can give another one than the environment
        if (access.token !== undefined) {
          secrets = [access.token]
        }
        const running = EvaluationExecution.run(access, evaluation, results)
        return Effect.onInterrupt(running, () => Effect.ignore(interrupted))
      })
      const error = yield* executed.pipe(
        Effect.tapError((error) => Effect.ignore(write(EvaluationReport.make(evaluation, results), error))),
        Effect.as(undefined),
        Effect.catchTag("CommandFailed", (error) => Effect.succeed(error))
      )
      const report = EvaluationReport.make(evaluation, results)
      if (error === undefined) yield* write(report)
      return answerOf(report, error)
    })
  )).pipe(
    Command.withDescription(
      "Run the items of a file against a service, rate the answers, and fail with exit code 1 if a threshold is not " +
        "reached. The file has exactly one of agent_id, team_id and workflow_id, and items, scorers and thresholds."
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

export const evaluate = Command.make("eval").pipe(
  Command.withDescription("Run evaluations: see how good the answers of agents, teams and workflows are."),
  Command.withShortDescription("Evaluate the answers of agents, teams and workflows"),
  Command.withSubcommands([run])
)
