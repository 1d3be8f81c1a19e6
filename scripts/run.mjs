// Runs a command for `npm run`, after installing what is missing: node scripts/run.mjs COMMAND ARGUMENTS. It is plain
// JavaScript for any Node, because it starts before Node 24 is installed. npm puts node_modules/.bin first on the path.
import { spawn } from "node:child_process"
import { constants } from "node:os"
import "./ensure-installed.mjs"
import "./ensure-console.mjs"

const [command, ...args] = process.argv.slice(2)
if (command === undefined) {
  process.stderr.write("Usage: node scripts/run.mjs COMMAND ARGUMENTS\n")
  process.exit(2)
}

const child = spawn(command, args, { stdio: "inherit", shell: process.platform === "win32" })

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
