// Bundles the program of `npm start`, or another one: `bundle.mjs PROGRAM DIRECTORY`. A bundle starts in half of the
// time, and holds 60 MB less: V8 keeps the text of each module with its comments, and much of a package is not used.
// Packages of other providers, which are named while the service runs, are imported as before.
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import * as start from "./bundled.mjs"

const { changedAt, root } = start
const [program = start.program, directory = start.directory] = process.argv.slice(2)

/** The program of the thread of the database. */
const thread = join(root, "packages", "postgres", "src", "pglite", "pgliteThread.ts")

/** Modules look for files, and start processes, where their sources are. The thread is started from the bundle. */
const places = {
  name: "places",
  transform: (code, id) => {
    if (!code.includes("import.meta")) return null
    const values = {
      url: JSON.stringify(pathToFileURL(id === thread ? join(directory, "pgliteThread.js") : id).href),
      dirname: JSON.stringify(dirname(id)),
      filename: JSON.stringify(id),
      main: String(id === program)
    }
    return code.replace(/\bimport\.meta\.(\w+)\b/g, (found, name) => values[name] ?? found)
  }
}

/** What features do is loaded in one file, because the service of `npm start` has all of them. */
const live = {
  name: "live",
  resolveId: (id) => id === "svc:live" ? id : null,
  load: (id) => {
    if (id !== "svc:live") return null
    const folders = join(root, "packages", "features", "src")
    const names = readdirSync(folders).filter((name) => existsSync(join(folders, name, "live.ts")))
    return names.map((name) => `export * as ${name} from ${JSON.stringify(join(folders, name, "live.ts"))}`).join("\n")
  },
  transform: (code, id) =>
    basename(id) === "feature.ts"
      ? code.replace("import(\"./live.ts\")", `import("svc:live").then((live) => live.${basename(dirname(id))})`)
      : null
}

const unfinished = `${directory}-${process.pid}`
const build = await rolldown({
  input: { program, pgliteThread: thread },
  platform: "node",
  cwd: root,
  tsconfig: false,
  logLevel: "silent",
  // the database finds its files beside its modules. The names of undici are known when it is executed
  external: /^(@electric-sql\/|undici$)/,
  plugins: [...program === start.program ? [live] : [], places]
})
const { output } = await build.write({
  dir: unfinished,
  format: "esm",
  // V8 keeps a text with one other character in two bytes for each of them
  charset: "ascii",
  // names stay, so that stack traces can be read. Node reads the maps with --enable-source-maps.
  sourcemap: true,
  comments: { legal: false, annotation: false, jsdoc: false }
})
await build.close()
const modules = output.flatMap((part) => part.type === "chunk" ? Object.keys(part.modules) : [])
const sources = modules.filter((id) => id.startsWith(root) && !id.includes("node_modules"))
const read = ["package-lock.json", "scripts/bundle.mjs", ...sources.map((id) => relative(root, id))]
// Node would compile each module to find out what it is
writeFileSync(join(unfinished, "package.json"), JSON.stringify({ type: "module" }))
writeFileSync(join(unfinished, "sources.json"), JSON.stringify(read.map((path) => [path, changedAt(path)])))
rmSync(directory, { recursive: true, force: true })
renameSync(unfinished, directory)
