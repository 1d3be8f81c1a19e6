// Loaded before the programs of `npm start` and `npm test`: node --import @svc-runtime/server/npmStart FILE. It keeps
// what Node compiles for the next start, which is then faster, ends the service with npm, and says at once that its
// port is in use. An older Node has to be able to load this module: it says which one is needed.
// @effect-diagnostics processEnv:off globalTimers:off newPromise:off -- Effect is loaded later, from the compiled code
import { existsSync } from "node:fs"
import module from "node:module"
import { createServer } from "node:net"
import { resolve } from "node:path"

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `The service needs Node 22.19 or newer, and this is ${process.versions.node}. Get it from https://nodejs.org, or for ` +
      "this project alone: npm install --save-dev node@24\n"
  )
  process.exit(1)
}

const isInUse = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once("error", (error: NodeJS.ErrnoException) => resolve(error.code === "EADDRINUSE"))
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(false)))
  })

const { HOST, PORT, SVC_WORKER: worker, npm_lifecycle_event: script } = process.env
const [, program] = process.argv
// a program of CommonJS can be named without its ending
if (
  script === "start" && program !== undefined && !["", ".js", ".json", ".node"].some((end) => existsSync(program + end))
) {
  process.stderr.write(
    `There is no file ${program}. The script "start" of package.json names the program: write its name there.\n`
  )
  process.exit(1)
}

// the service says it too, but loads before, for seconds. Its workers share the port of the first process
const [host, port] = [HOST || "127.0.0.1", Number(PORT || 7777)]
const isPort = Number.isInteger(port) && port > 0 && port < 65_536
if (script === "start" && worker === undefined && isPort && await isInUse(host, port)) {
  process.stderr.write(`Something else listens on ${host}:${port}. Stop it, or set PORT to a free one.\n`)
  process.exit(1)
}

// a directory of the user's own; where it cannot be written, as in an image, nothing is kept
module.enableCompileCache(resolve("node_modules/.cache/compiled"))

// npm passes signals to its shell, and a shell ends without passing them on: this process has another parent then
const parent = process.ppid
if (process.env["npm_lifecycle_event"] !== undefined) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    process.kill(process.pid, "SIGTERM")
  }, 250)
  watch.unref()
}
