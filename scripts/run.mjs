// Runs a command for `npm run`, after installing what is missing: node scripts/run.mjs [--settings=FILE] COMMAND
// ARGUMENTS. It is plain JavaScript for any Node, because it starts before Node 24 is installed. The commands of
// node_modules/.bin, such as the project's own Node, come before those of the machine, as npm has it too. With
// --settings, the command is a service: Node reads the file if it exists, and the allocator of Linux holds less.
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { constants } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import "./ensure-installed.mjs"
import "./ensure-console.mjs"

// Node reads its option --env-file-if-exists wherever it stands, and says of a missing file that it is missing
const [, settings] = /^--settings=(.*)$/.exec(process.argv[2] ?? "") ?? []
const [command, ...given] = process.argv.slice(settings === undefined ? 2 : 3)
const args = settings !== undefined && existsSync(settings) ? [`--env-file=${settings}`, ...given] : given
if (command === undefined) {
  process.stderr.write("Usage: node scripts/run.mjs [--settings=FILE] COMMAND ARGUMENTS\n")
  process.exit(2)
}

const commands = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules", ".bin")
const pathName = Object.keys(process.env).find((name) => name.toUpperCase() === "PATH") ?? "PATH"
// glibc would have an arena for each thread, and keep what is freed in it
const allocator = settings === undefined ? {} : { MALLOC_ARENA_MAX: "1", MALLOC_TRIM_THRESHOLD_: "131072" }
const env = { ...allocator, ...process.env, [pathName]: [commands, process.env[pathName]].join(delimiter) }
const child = spawn(command, args, { stdio: "inherit", shell: process.platform === "win32", env })

// a terminal sends Ctrl-C to the child as well; a second signal would end a service that is stopping
const forward = (signal) => {
  if (signal !== "SIGINT" || process.stdin.isTTY !== true) child.kill(signal)
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, forward)

// npm passes signals to its shell, and a shell ends without passing them on
const parent = process.ppid
if (process.env["npm_lifecycle_event"] !== undefined) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    child.kill("SIGTERM")
  }, 250)
}

child.once("error", (error) => {
  process.stderr.write(`${command} could not be started: ${error.message}\n`)
  process.exit(1)
})
child.once("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
