// The chaos tests. They take a sample of all points, drawn by a seed that is printed first; `--seed N` draws the same
// one again and `--all` takes every point. Anything else goes to vitest, such as the names of files.
import { spawn } from "node:child_process"
import { randomInt } from "node:crypto"
import { join } from "node:path"
import { parseArgs } from "node:util"

const root = join(import.meta.dirname, "..")

const { positionals, tokens, values } = parseArgs({
  args: process.argv.slice(2),
  options: { seed: { type: "string" }, all: { type: "boolean", default: false } },
  allowPositionals: true,
  strict: false,
  tokens: true
})

const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed)
if (!Number.isSafeInteger(seed)) {
  process.stderr.write(`--seed takes a whole number, got ${String(values.seed)}\n`)
  process.exit(2)
}
const unknown = tokens.flatMap((token) =>
  token.kind === "option" && !["seed", "all"].includes(token.name) ? [token.rawName] : []
)
const again = `npm run test:chaos -- --seed ${seed}${values.all === true ? " --all" : ""}`
process.stdout.write(
  `${values.all === true ? "every point" : "a sample of the points"}; seed ${seed}; again: ${again}\n`
)

const vitest = spawn(
  process.execPath,
  [
    join(root, "node_modules", "vitest", "vitest.mjs"),
    "run",
    "--config",
    "vitest.chaos.ts",
    ...positionals,
    ...unknown
  ],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, SVC_TEST_SEED: String(seed), SVC_TEST_WHOLE: values.all === true ? "true" : "" }
  }
)
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => vitest.kill(signal))
vitest.once("close", (code, signal) => {
  if (code !== 0) process.stdout.write(`failed with seed ${seed}; again: ${again}\n`)
  process.exitCode = code ?? (signal === null ? 1 : 130)
})
