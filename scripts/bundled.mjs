// Loaded before the program of `npm start`. It runs the program from its bundle, which it makes anew when a source has
// changed, and keeps what Node compiles for the next start. Without the bundler, which images lack, the program runs
// from its sources.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import { registerHooks } from "node:module"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { isMainThread } from "node:worker_threads"
import "./compile-cache.mjs"

export const root = join(import.meta.dirname, "..")
export const program = join(root, "packages", "examples", "src", "quickstart.ts")
export const directory = join(root, "node_modules", ".cache", "bundle")

/** When a file of the project was changed, in milliseconds. 0 if it is missing. */
export const changedAt = (path) => statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0

const isBundled = () => {
  const sources = join(directory, "sources.json")
  return existsSync(sources) &&
    JSON.parse(readFileSync(sources, "utf8")).every(([path, time]) => changedAt(path) === time)
}

/** Bundles the program, unless its bundle is there. */
export const bundle = () => {
  if (isBundled() || !existsSync(join(root, "node_modules", "rolldown"))) return
  process.stderr.write("Bundling the service (once per change of its sources, some seconds) ...\n")
  const { status } = spawnSync(process.execPath, [join(root, "scripts", "bundle.mjs")], {
    stdio: ["ignore", "ignore", "inherit"]
  })
  if (status !== 0) process.stderr.write("The service could not be bundled, so it starts from its sources.\n")
}

// processes of the service, such as the readers of documents, have programs of their own
if (isMainThread && resolve(process.argv[1] ?? "") === program) {
  bundle()
  if (isBundled()) {
    const url = pathToFileURL(program).href
    const hooks = registerHooks({
      resolve: (specifier, context, next) => {
        if (specifier !== url) return next(specifier, context)
        hooks.deregister()
        return next(pathToFileURL(join(directory, "program.js")).href, context)
      }
    })
  }
}
