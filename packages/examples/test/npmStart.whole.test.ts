// The services of npm scripts, started as programs.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

describe("a service of an npm script", () => {
  it.effect("a service that is started with --help prints where its settings are, and ends", () =>
    Effect.sync(() => {
      const service = fileURLToPath(new URL("../src/structured.ts", import.meta.url))
      const { status, stderr, stdout } = spawnSync(process.execPath, [service, "--help"], { encoding: "utf8" })
      assert.deepStrictEqual({ status, stderr }, { status: 0, stderr: "" })
      assert.match(stdout, /^Serves .*\n[^]*HOST, PORT[^]*docs\/reference\/settings\.md\n$/)
    }))

  it.effect("the service of npm start is bundled, and starts like other programs", () =>
    Effect.sync(() => {
      const preload = new URL("../../../scripts/bundled.mjs", import.meta.url)
      const outputOf = (program: string) => {
        const file = fileURLToPath(new URL(program, import.meta.url))
        const args = [`--import=${preload.href}`, file, "--help"]
        const { status, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
        return { status, isHelp: stdout.startsWith("Serves ") }
      }
      assert.deepStrictEqual(outputOf("../src/quickstart.ts"), { status: 0, isHelp: true })
      assert.isTrue(existsSync(new URL("../node_modules/.cache/bundle/program.js", preload)))
      assert.deepStrictEqual(outputOf("../src/structured.ts"), { status: 0, isHelp: true })
    }))
})
