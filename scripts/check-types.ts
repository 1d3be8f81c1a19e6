// `npm run check`: the types of all sources and Effect's diagnostics in one pass, by the TypeScript compiler of
// @effect/tsgo. It checks again what has changed since the last time, or everything with --force. Two compilers would
// read what the other one has written in part, so the second one waits.
import { execFileSync, spawn } from "node:child_process"
import { constants } from "node:os"
import { join } from "node:path"
import * as Lock from "./Lock.ts"

const root = join(import.meta.dirname, "..")
const shell = process.platform === "win32"
const effectTsgo = join(root, "node_modules", ".bin", "effect-tsgo")
const compiler = execFileSync(effectTsgo, ["get-exe-path"], { encoding: "utf8", shell }).trim()

const release = await Lock.acquire(
  join(root, "node_modules", ".cache", "check-types.lock"),
  (holder) => process.stderr.write(`Process ${holder} checks the types of this directory. Waiting for its end ...\n`)
)
process.once("exit", release)

const child = spawn(compiler, ["-b", ...process.argv.slice(2)], { cwd: root, stdio: "inherit" })
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  process.once(signal, () => {
    // the compiler ends only after all projects at other signals
    child.kill("SIGKILL")
    process.exit(128 + constants.signals[signal])
  })
}
child.once("exit", (code) => process.exit(code ?? 1))
