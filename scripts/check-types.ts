// `npm run check`: the types of all sources and Effect's diagnostics in one pass, by the TypeScript compiler of
// @effect/tsgo. It checks again what has changed since the last time, or everything with --force.
import { execFileSync, spawnSync } from "node:child_process"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const shell = process.platform === "win32"
const effectTsgo = join(root, "node_modules", ".bin", "effect-tsgo")
const compiler = execFileSync(effectTsgo, ["get-exe-path"], { encoding: "utf8", shell }).trim()
const { status } = spawnSync(compiler, ["-b", ...process.argv.slice(2)], { cwd: root, stdio: "inherit" })
process.exitCode = status ?? 1
