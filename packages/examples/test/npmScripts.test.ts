// What the scripts of package.json do with signals, which npm passes to its shell only, and with files of settings.
import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import * as Lock from "../../../scripts/Lock.ts"

const source = fileURLToPath(new URL("../../../scripts/run.mjs", import.meta.url))

/** A copy that installs and builds nothing: an install would replace the packages of tests that run beside this one. */
const script = Effect.map(TemporaryDirectory.make, (directory) => {
  const scripts = join(directory, "scripts")
  mkdirSync(scripts)
  const run = join(scripts, "run.mjs")
  copyFileSync(source, run)
  for (const name of ["ensure-installed.mjs", "ensure-console.mjs"]) writeFileSync(join(scripts, name), "")
  return run
})

const program = "process.on('SIGTERM', () => { console.log('stopped'); process.exit() }); console.log('started'); " +
  "setInterval(() => {}, 1000)"

describe.skipIf(process.platform === "win32")("a script of npm", () => {
  it.live("a command stops when the shell that started its script was stopped", () =>
    Effect.gen(function*() {
      const line = `"${process.execPath}" "${yield* script}" "${process.execPath}" -e "${program}"; exit 0`
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

  it.effect("a file of settings that does not exist is not mentioned, and one that exists is read", () =>
    Effect.gen(function*() {
      const run = yield* script
      const file = `${run}.env`
      const started = () => {
        const args = [run, `--settings=${file}`, process.execPath, "-p", "process.env.SETTING"]
        const { stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" })
        return { stderr, stdout }
      }
      assert.deepStrictEqual(started(), { stderr: "", stdout: "undefined\n" })
      writeFileSync(file, "SETTING=value")
      assert.deepStrictEqual(started(), { stderr: "", stdout: "value\n" })
    }))

  it.effect("the project's own Node is found when the script is started without npm", () =>
    Effect.gen(function*() {
      const run = yield* script
      const commands = join(dirname(run), "..", "node_modules", ".bin")
      mkdirSync(commands, { recursive: true })
      writeFileSync(join(commands, "node"), "#!/bin/sh\necho own $1\n", { mode: 0o755 })
      const { stderr, stdout } = spawnSync(process.execPath, [run, "node", "file.ts"], { encoding: "utf8" })
      assert.deepStrictEqual({ stderr, stdout }, { stderr: "", stdout: "own file.ts\n" })
    }))

  it.live("a process waits for the one that has a lock, and takes over the lock of one that has ended", () =>
    Effect.gen(function*() {
      const file = join(yield* TemporaryDirectory.make, "cache", "lock")
      const ended = spawnSync(process.execPath, ["-e", ""])
      mkdirSync(dirname(file))
      writeFileSync(file, String(ended.pid))
      const noted: Array<number> = []
      const note = (holder: number) => void noted.push(holder)
      const release = yield* Effect.promise(() => Lock.acquire(file, note))
      assert.strictEqual(readFileSync(file, "utf8"), String(process.pid))
      const second = Lock.acquire(file, (holder) => {
        note(holder)
        release()
      })
      const releaseSecond = yield* Effect.promise(() => second)
      assert.deepStrictEqual(noted, [process.pid])
      assert.strictEqual(readFileSync(file, "utf8"), String(process.pid))
      releaseSecond()
      assert.isFalse(existsSync(file))
    }))
})
