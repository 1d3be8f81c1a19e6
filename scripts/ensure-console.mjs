// Builds the console when its sources are newer than what was built, which takes a second. Plain JavaScript for any
// Node: it runs before the service, in `npm start` and in the tests.
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
// its pages use the client
import "./ensure-generated.mjs"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const built = join(root, "packages", "console", "site", "index.html")
const sources = ["packages/console/src", "packages/console/scripts", "packages/client/src/promise", "package-lock.json"]

const changedAt = (path) => {
  const entry = statSync(path)
  return entry.isDirectory()
    ? Math.max(entry.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))))
    : entry.mtimeMs
}

const isBuilt = () =>
  existsSync(built) && sources.every((source) => changedAt(join(root, source)) <= statSync(built).mtimeMs)

if (existsSync(join(root, "node_modules", "rolldown")) && !isBuilt()) {
  const own = join(root, "node_modules", ".bin", "node")
  const node = process.platform !== "win32" && existsSync(own) ? own : process.execPath
  const { status } = spawnSync(node, [join(root, "packages", "console", "scripts", "build.ts")], {
    stdio: ["ignore", "ignore", "inherit"]
  })
  if (status !== 0) {
    process.stderr.write("The console could not be built. `npm run build -- console` repeats the step.\n")
  }
}
