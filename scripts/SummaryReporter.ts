// Ends the output of the tests with one plain line, "12 passed, 0 failed", for programs that read it. A file that
// could not be loaded and an error outside of any test count as failures: the line never says 0 when the run has
// failed.
import type { Reporter, TestModule } from "vitest/node"

const count = (modules: ReadonlyArray<TestModule>, state: "passed" | "failed" | "skipped"): number =>
  modules.reduce((total, module) => total + Array.from(module.children.allTests(state)).length, 0)

const brokenWithoutFailedTest = (module: TestModule): boolean =>
  module.state() === "failed" && module.children.allTests("failed").next().done === true

export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandledErrors: ReadonlyArray<unknown>) {
    const failed = count(modules, "failed") + modules.filter(brokenWithoutFailedTest).length + unhandledErrors.length
    const skipped = count(modules, "skipped")
    const line = `${count(modules, "passed")} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`
    process.stdout.write(`${line}\n`)
  }
}
