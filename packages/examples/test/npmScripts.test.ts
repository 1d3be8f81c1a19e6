// What the scripts of package.json do with signals: npm passes one to its shell only.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"

const run = fileURLToPath(new URL("../../../scripts/run.mjs", import.meta.url))

const program = "process.on('SIGTERM', () => { console.log('stopped'); process.exit() }); console.log('started'); " +
  "setInterval(() => {}, 1000)"

describe.skipIf(process.platform === "win32")("a script of npm", () => {
  it.live("a command stops when the shell that started its script was stopped", () =>
    Effect.gen(function*() {
      const line = `"${process.execPath}" "${run}" "${process.execPath}" -e "${program}"; exit 0`
      const env = { ...process.env, npm_lifecycle_event: "start" }
      const shell = yield* Effect.acquireRelease(
        Effect.sync(() => spawn("sh", ["-c", line], { env, detached: true, stdio: ["ignore", "pipe", "ignore"] })),
        ({ pid }) =>
          Effect.ignore(Effect.try(() => {
            if (pid !== undefined) process.kill(-pid, "SIGKILL")
          }))
      )
      let output = ""
      yield* Effect.callback<void>((resume) => {
        shell.stdout.on("data", (chunk) => {
          output += String(chunk)
          if (output === "started\n") shell.kill("SIGTERM")
        })
        // the pipe ends with the last process that writes to it
        shell.stdout.once("end", () => resume(Effect.void))
      })
      assert.strictEqual(output, "started\nstopped\n")
    }))
})
