// `npm run dev`: a program that is started again when its files change.
import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schedule } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

Tier.oneIn(8)

const dev = fileURLToPath(new URL("../src/dev.ts", import.meta.url))

const program = `import { value } from "./part.ts"
console.log("started", value, import.meta.main, process.env.GREETING ?? "no greeting", process.argv.slice(2).join())
setInterval(() => {}, 1000)
`

const supervisedWith = Effect.fnUntraced(function*(program: string, environment: NodeJS.ProcessEnv = {}) {
  const directory = yield* TemporaryDirectory.make
  const write = (name: string, text: string) => writeFileSync(join(directory, name), text)
  mkdirSync(join(directory, "documents"))
  write("documents/one.md", "One.")
  write("program.ts", program)
  write("part.ts", `export const value: number = 1\n`)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--import", dev, "program.ts", "--flag"], {
        cwd: directory,
        detached: true,
        env: { ...process.env, ...environment }
      })
    ),
    ({ exitCode, pid }) =>
      Effect.sync(() => {
        if (exitCode === null && pid !== undefined) process.kill(-pid, "SIGKILL")
      })
  )
  let output = ""
  let look = () => {}
  const add = (chunk: unknown) => {
    output += String(chunk)
    look()
  }
  child.stdout.on("data", add)
  child.stderr.on("data", add)
  /** Waits for a line of the output, and forgets what came before its end. */
  const line = (text: string) =>
    Effect.callback<void>((resume) => {
      look = () => {
        const index = output.indexOf(text)
        if (index < 0) return
        output = output.slice(index + text.length)
        look = () => {}
        resume(Effect.void)
      }
      look()
    })
  /** No process has the output any more. */
  const ended = Effect.callback<number | null>((resume) => {
    child.once("close", (code) => resume(Effect.succeed(code)))
  })
  return { child, ended, line, write }
})

const supervised = supervisedWith(program)

describe.skipIf(process.platform === "win32")("A program in development", () => {
  it.live("The program is the main module, and is started again with what has changed, which is named.", () =>
    Effect.gen(function*() {
      const { line, write } = yield* supervised
      yield* line("started 1 true no greeting --flag")
      write("part.ts", `export const value: number = 2\n// longer\n`)
      yield* line("part.ts changed: restarting")
      yield* line("started 2 true no greeting --flag")
      write("other.ts", "nothing imports it")
      write(".env", "GREETING=hello\n")
      yield* line(".env changed: restarting")
      yield* line("started 2 true hello --flag")
    }).pipe(Effect.scoped))

  it.live("The program is started again when a file of a folder of knowledge changes, and when one is added.", () =>
    Effect.gen(function*() {
      const index = new URL("../src/index.ts", import.meta.url).href
      const { line, write } = yield* supervisedWith(
        `import { Knowledge, serve } from "${index}"
serve({ knowledge: [Knowledge.make({ name: "handbook", embedder: "none", folder: "documents" })] })
`,
        { PORT: "0", DATA_DIR: "memory" }
      )
      yield* line("handbook' is loaded: 1 file, 1 new")
      write("documents/two.md", "Two.")
      yield* line("two.md changed: restarting")
      yield* line("handbook' is loaded: 2 files")
      write("documents/one.md", "Eleven.")
      yield* line("one.md changed: restarting")
    }).pipe(Effect.scoped))

  it.live("A program that cannot start is started again when its file is mended.", () =>
    Effect.gen(function*() {
      const { line, write } = yield* supervised
      yield* line("started 1")
      write("part.ts", `export const value = ;\n`)
      yield* line("SyntaxError")
      yield* line("The program has ended with code 1. It starts again when one of its files changes.")
      write("part.ts", `export const value: number = 33\n`)
      yield* line("started 33")
    }).pipe(Effect.scoped))

  it.live("The program is started again although the process that waited for that was killed.", () =>
    Effect.gen(function*() {
      const { child, line, write } = yield* supervised
      yield* line("started 1")
      const processes = Effect.sync(() =>
        spawnSync("pgrep", ["-P", String(child.pid)], { encoding: "utf8" }).stdout.split("\n").filter((id) => id !== "")
      )
      const [first] = yield* processes
      const both = yield* Effect.repeat(processes, {
        until: ({ length }) => length === 2,
        schedule: Schedule.spaced("100 millis")
      })
      for (const id of both) if (id !== first) process.kill(Number(id), "SIGKILL")
      yield* Effect.repeat(processes, { until: ({ length }) => length === 1, schedule: Schedule.spaced("100 millis") })
      write("part.ts", `export const value: number = 44\n`)
      yield* line("started 44")
    }).pipe(Effect.scoped))

  it.live("A signal ends it, and leaves no process.", () =>
    Effect.gen(function*() {
      const { child, ended, line } = yield* supervised
      yield* line("started 1")
      child.kill("SIGTERM")
      assert.strictEqual(yield* ended, 143)
    }).pipe(Effect.scoped))

  it.live("The program ends with the process that has started it, also when that is killed.", () =>
    Effect.gen(function*() {
      const { child, ended, line } = yield* supervised
      yield* line("started 1")
      child.kill("SIGKILL")
      assert.strictEqual(yield* ended, null)
    }).pipe(Effect.scoped))
})
