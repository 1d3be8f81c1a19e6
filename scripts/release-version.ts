// Writes a version into all manifests, that of Python too, the templates, the lock file and CHANGELOG.md:
// `npm run node -- scripts/release-version.ts VERSION`.
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { raise, release } from "./release/Version.ts"

const root = join(import.meta.dirname, "..")
const [to = ""] = process.argv.slice(2)
const { version: from } = JSON.parse(readFileSync(join(root, "packages/server/package.json"), "utf8"))

const change = (path: string, edit: (text: string) => string): void => {
  const file = join(root, path)
  writeFileSync(file, edit(readFileSync(file, "utf8")))
}

if (/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(to) && to !== from) {
  const manifests = globSync(["packages/*/package.json", "packages/cli/templates/*/package.json"], { cwd: root })
  for (const path of [...manifests, "package-lock.json"]) change(path, (text) => raise(text, from, to))
  change("clients/python/pyproject.toml", (text) => text.replace(`\nversion = "${from}"\n`, `\nversion = "${to}"\n`))
  change("CHANGELOG.md", (text) => release(text, to, new Date().toISOString().slice(0, 10)))
  console.log(`${from} is now ${to}. Commit it, and push the tag v${to}: docs/design/releasing.md.`)
} else {
  console.error(`Usage: npm run node -- scripts/release-version.ts VERSION, another one than ${from}, such as 1.2.3`)
  process.exitCode = 2
}
