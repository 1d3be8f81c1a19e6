// A report as JUnit XML, which CI services read: a test case for each run, and one for each threshold. CI services show
// it to many people, so texts that look like credentials are replaced.
import { redact } from "@svc/telemetry/Redaction"
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

const ofResult = (result: Result, evaluation: Evaluation): Case => {
  const named = { name: titleOf(result, evaluation), seconds: result.seconds }
  if (result.status === "passed") return named
  const { output, run_id, session_id } = result
  const reasons = reasonsOf(result)
  // an error has no answer
  const answer = output === null ? "" : `\n${redact(textOf(output))}`
  return {
    ...named,
    problem: {
      element: result.status === "error" ? "error" : "failure",
      message: redact(reasons.join("; ")),
      text: `run ${run_id ?? "unknown"} in session ${session_id}${answer}`
    }
  }
}

const ofThreshold = ({ actual, minimum, name, passed }: Threshold): Case => ({
  name: `${name} is at least ${minimum}`,
  seconds: 0,
  ...(passed ? {} : { problem: { element: "failure", message: `${name} is ${actual}, below ${minimum}`, text: "" } })
})

const ofMissing = ({ results, runs_missing: missing }: Report): ReadonlyArray<Case> => {
  const message = `${missing} of ${results.length + missing} runs were not executed`
  return missing === 0
    ? []
    : [{ name: "all runs are executed", seconds: 0, problem: { element: "error", message, text: "" } }]
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

const suite = (name: string, classname: string, cases: ReadonlyArray<Case>): string =>
  [
    `  <testsuite${attributes({ name, ...counts(cases) })}>`,
    ...cases.map((each) => caseLines(each, classname)),
    "  </testsuite>"
  ].join("\n")

export const of = (evaluation: Evaluation, report: Report): string => {
  const { component: { id, kind }, name } = evaluation
  const runs = report.results.map((result) => ofResult(result, evaluation))
  const limits = [...ofMissing(report), ...report.thresholds.map(ofThreshold)]
  return [
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
    `<testsuites${attributes({ name, ...counts([...runs, ...limits]) })}>`,
    suite(name, `${kind}.${id}`, runs),
    suite(`${name} thresholds`, `${kind}.${id}`, limits),
    "</testsuites>\n"
  ].join("\n")
}
