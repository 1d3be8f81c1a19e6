// Loaded before the program of `npm start`: node --import @svc-runtime/server/npmStart FILE. It keeps what Node
// compiles for the next start, which is then faster, and ends the service with npm.
// @effect-diagnostics processEnv:off globalTimers:off -- Effect is loaded later, from the compiled code
import { enableCompileCache } from "node:module"
import { resolve } from "node:path"

// a directory of the user's own; where it cannot be written, as in an image, nothing is kept
enableCompileCache(resolve("node_modules/.cache/compiled"))

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
