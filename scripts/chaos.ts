// The chaos tests. They take some points, the same ones each time, and `--all` takes every point. `--seed N` sets
// another seed of the random delays and faults. Anything else goes to vitest, such as the names of files.
import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import "./compile-cache.mjs"

const root = join(import.meta.dirname, "..")

const { tokens, values } = parseArgs({
  args: process.argv.slice(2),
  options: { seed: { type: "string" }, all: { type: "boolean", default: false } },
  allowPositionals: true,
  strict: false,
  tokens: true
})

if (values.seed !== undefined && !Number.isSafeInteger(Number(values.seed))) {
  process.stderr.write(`--seed takes a whole number, got ${String(values.seed)}\n`)
  process.exit(2)
}
const variables = {
  ...(values.seed === undefined ? {} : { SVC_TEST_SEED: String(values.seed) }),
  SVC_TEST_WHOLE: values.all === true ? "true" : ""
}
/** In the order in which they were given, so that an option keeps the value that follows it. */
const others = tokens.flatMap((token) => {
  if (token.kind === "positional") return [token.value]
  if (token.kind !== "option" || ["seed", "all"].includes(token.name)) return []
  return [token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`]
})
process.stdout.write(values.all === true ? "every point\n" : "some of the points; --all takes every point\n")

/**
 * The service of the tests as a bundle, for this run only. They start it hundreds of times, and it starts in a third of
 * the processor time. If it cannot be bundled, they start it from its sources.
 */
const bundled = () => {
  const directory = join(root, "node_modules", ".cache", "bundle-chaos")
  const source = join(root, "packages", "test-support", "chaos", "service.ts")
  const made = spawnSync(process.execPath, [join(root, "scripts", "bundle.mjs"), source, directory], {
    stdio: ["ignore", "ignore", "inherit"]
  })
  const program = join(directory, "program.js")
  return { CHAOS_SERVICE: made.status === 0 && existsSync(program) ? program : undefined }
}

/**
 * A process that is killed keeps no compiled code for the next one, so one ends in order first. A later one needs a
 * fifth less of the processor until it serves.
 */
const compiled = (program: string) =>
  new Promise<void>((resolve) => {
    const directory = mkdtempSync(join(tmpdir(), "svc-chaos-"))
    // V8 rejects what was compiled with other flags than those of the tests
    const child = spawn(process.execPath, ["--liftoff-only", program], {
      env: { ...process.env, DATA_DIR: directory, PORT: "0" },
      stdio: ["ignore", "ignore", "pipe"]
    })
    let output = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text
      if (output.includes(" listens on http")) child.kill("SIGTERM")
    })
    child.once("close", () => {
      rmSync(directory, { recursive: true, force: true })
      resolve()
    })
  })

const service = bundled()
if (service.CHAOS_SERVICE !== undefined) await compiled(service.CHAOS_SERVICE)

const vitest = spawn(
  process.execPath,
  [
    join(root, "node_modules", "vitest", "vitest.mjs"),
    "run",
    "--config",
    "vitest.chaos.ts",
    ...others
  ],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...variables, ...service }
  }
)
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => vitest.kill(signal))
vitest.once("close", (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 130)
})
