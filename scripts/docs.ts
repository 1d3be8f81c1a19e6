// `npm run docs` serves the site of the documents, and `npm run docs:build` makes it in dist/site. The generator is a
// project of its own (scripts/site), which is installed when it is missing, so that `npm ci` stays as fast as it is.
// `npm run docs:build -- --publish DIR ROOT NAME` makes the folder of a version in DIR, which holds the whole site.
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, globSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { problemsOf, strangersIn } from "./site/Check.ts"
import * as Contents from "./site/Contents.ts"
import * as Copies from "./site/Copies.ts"

const root = join(import.meta.dirname, "..")
const site = join(import.meta.dirname, "site")
const docs = join(root, "docs")

const run = (command: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}): void => {
  const { status } = spawnSync(command, args, {
    cwd: site,
    env: { ...process.env, ...env },
    shell: process.platform === "win32",
    stdio: "inherit"
  })
  if (status !== 0) process.exit(status ?? 1)
}

/** npm writes this file when it has finished. */
const isInstalled = (): boolean => {
  const written = join(site, "node_modules", ".package-lock.json")
  return existsSync(written) && statSync(written).mtimeMs >= statSync(join(site, "package-lock.json")).mtimeMs
}

const install = (): void => {
  if (!isInstalled()) run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
}

const vitepress = (args: ReadonlyArray<string>, env?: Readonly<Record<string, string>>): void =>
  run(process.execPath, [join(site, "node_modules", "vitepress", "bin", "vitepress.js"), ...args], env)

/** The site, its pages as text, and the lists for models. */
const build = (directory: string, host: string, folder: string): void => {
  const started = performance.now()
  const base = `${host}${folder}`
  vitepress(["build", "."], { DOCS_BASE: base, DOCS_HOST: host, DOCS_OUT: directory })
  const groups = Contents.read(docs)
  const pages = Copies.texts(docs)
  Copies.write(pages, directory)
  writeFileSync(join(directory, "llms.txt"), Copies.list(groups, base))
  writeFileSync(join(directory, "llms-full.txt"), Copies.whole(groups, pages))
  const problems = [...problemsOf(directory, base), ...strangersIn(directory)]
  if (problems.length > 0) {
    process.stderr.write(`${problems.join("\n")}\n`)
    process.exit(1)
  }
  const bytes = globSync("**/*", { cwd: directory, withFileTypes: true }).filter((file) => file.isFile())
    .reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0)
  const words = pages.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0)
  process.stdout.write(
    `${pages.length} pages with ${words} words, ${(bytes / 2 ** 20).toFixed(1)} MB, ` +
      `${((performance.now() - started) / 1000).toFixed(1)} s: ${directory}\n`
  )
}

/** The folders of a published site that are versions, the newest first. */
const versionsIn = (directory: string, host: string) => {
  const folders = readdirSync(directory).filter((name) => /^v\d/.test(name))
    .toSorted((one, other) => other.localeCompare(one, "en", { numeric: true }))
  return [...folders, ...(existsSync(join(directory, "main")) ? ["main"] : [])]
    .map((name) => ({ name, path: `${host}${name}/` }))
}

/**
 * The folder of a version: `main`, or `v` with the first two numbers of a release. The root of the site leads to the
 * newest release, or to `main` before the first one.
 */
const publish = (directory: string, host: string, name: string): void => {
  const folder = name === "main" ? name : name.split(".").slice(0, 2).join(".")
  rmSync(join(directory, folder), { recursive: true, force: true })
  build(join(directory, folder), host, `${folder}/`)
  const versions = versionsIn(directory, host)
  writeFileSync(join(directory, "versions.json"), `${JSON.stringify(versions, null, 2)}\n`)
  const [newest] = versions
  if (newest === undefined) return
  for (const file of ["llms.txt", "llms-full.txt"]) cpSync(join(directory, newest.name, file), join(directory, file))
  writeFileSync(
    join(directory, "index.html"),
    `<!doctype html><meta charset="utf-8"><title>Svc</title><meta http-equiv="refresh" content="0; url=${newest.path}">` +
      `<link rel="canonical" href="${newest.path}"><a href="${newest.path}">Documents of Svc</a>\n`
  )
  // GitHub would leave out files that begin with an underscore
  writeFileSync(join(directory, ".nojekyll"), "")
}

const [command = "serve", ...args] = process.argv.slice(2)
install()
if (command === "serve") vitepress(["dev", ".", ...args])
else if (command === "build" && args[0] === "--publish" && args.length === 4) {
  publish(resolve(args[1] ?? ""), args[2] ?? "/", args[3] ?? "main")
} else if (command === "build" && args.length <= 1) build(resolve(args[0] ?? join(root, "dist", "site")), "/", "")
else {
  process.stderr.write(
    "Usage: npm run docs | npm run docs:build -- [DIR] | npm run docs:build -- --publish DIR ROOT NAME\n"
  )
  process.exit(2)
}
