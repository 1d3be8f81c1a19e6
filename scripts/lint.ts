// Every check of the sources that runs no code, except types and Effect's diagnostics: `npm run check` does those.
// The tools run side by side and each one's output appears in one piece. The slow ones start after the others, whose
// results are then there early; all of them run even when the first one fails.
// With --fix, what can be corrected by machine is corrected instead.
import { spawn } from "node:child_process"
import { join } from "node:path"

const root = join(import.meta.dirname, "..")
const bin = join(root, "node_modules", ".bin")

type Tool = readonly [name: string, ...args: ReadonlyArray<string>]

const checks: ReadonlyArray<ReadonlyArray<Tool>> = [
  [["dprint", "check", "--list-different"]],
  [
    ["node", "scripts/check-lock.ts"],
    ["node", "scripts/check-casts.ts"],
    ["node", "scripts/check-words.ts"],
    ["node", "scripts/check-titles.ts"],
    ["node", "scripts/check-docs.ts"]
  ],
  [["oxlint", "--deny-warnings"], ["knip", "--no-progress"]]
]

const fixes: ReadonlyArray<Tool> = [["oxlint", "--fix"], ["dprint", "fmt"]]

const run = ([name, ...args]: Tool): Promise<boolean> =>
  new Promise((resolve) => {
    const started = performance.now()
    const tool = spawn(join(bin, name), args, {
      cwd: root,
      env: process.stdout.isTTY ? { ...process.env, FORCE_COLOR: "1" } : { ...process.env, NO_COLOR: "1" },
      shell: process.platform === "win32",
      stdio: ["ignore", "pipe", "pipe"]
    })
    const output: Array<Buffer> = []
    const close = (problem: string | undefined) => {
      const seconds = ((performance.now() - started) / 1000).toFixed(1)
      process.stdout.write(`${problem === undefined ? "ok" : "FAILED"}  ${name} ${args[0] ?? ""} (${seconds} s)\n`)
      if (problem !== undefined) process.stdout.write(Buffer.concat([...output, Buffer.from(`${problem}\n`)]))
      resolve(problem === undefined)
    }
    tool.stdout.on("data", (chunk: Buffer) => output.push(chunk))
    tool.stderr.on("data", (chunk: Buffer) => output.push(chunk))
    tool.once("error", (error) => close(`${name} could not be started: ${error.message}`))
    tool.once("close", (code, signal) => close(code === 0 ? undefined : `${name} ended with ${code ?? signal}`))
  })

const results: Array<boolean> = []
if (process.argv.includes("--fix")) {
  // one after the other: both write the same files, and the formatter has the last word
  for (const fix of fixes) results.push(await run(fix))
} else {
  for (const tools of checks) results.push(...await Promise.all(tools.map(run)))
}
process.exitCode = results.every(Boolean) ? 0 : 1
