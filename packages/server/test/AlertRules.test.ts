// The alert rules of docs/operate/observability, with series of failures and of ordinary times. `promtool` of
// Prometheus reads them: without it this is skipped.
import { assert, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const promtool = (...args: ReadonlyArray<string>) => spawnSync("promtool", args, { encoding: "utf8" })

const isInstalled = promtool("--version").status === 0

const pathOf = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

describe.skipIf(!isInstalled)("docs/operate/observability/alerts.yml", () => {
  it("Prometheus accepts the alert rules", () => {
    const { status, stderr, stdout } = promtool(
      "check",
      "rules",
      pathOf("../../../docs/operate/observability/alerts.yml")
    )
    assert.strictEqual(status, 0, stdout + stderr)
  })

  it("the rules raise their alerts for failures, and for nothing else", () => {
    const { status, stderr, stdout } = promtool("test", "rules", pathOf("alertRules.yml"), pathOf("alertRules.day.yml"))
    assert.strictEqual(status, 0, stdout + stderr)
  })
})
