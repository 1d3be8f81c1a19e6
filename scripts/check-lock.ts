// Refuses a package-lock.json that would not install elsewhere. npm leaves out the packages of other platforms when it
// could not see them while it wrote the file, and `npm ci` then stops on every machine; the address of a registry in
// the file sends everybody there; and an entry without a hash installs what any registry answers.
import { readFileSync } from "node:fs"
import { join } from "node:path"

interface Entry {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly dependencies?: Record<string, string>
  readonly optionalDependencies?: Record<string, string>
}

const file = join(import.meta.dirname, "..", "package-lock.json")
const { packages } = JSON.parse(readFileSync(file, "utf8")) as { readonly packages: Record<string, Entry> }

/** Where node looks for a package: beside the one that asks for it, then in every folder above. */
const isLocked = (from: string, name: string): boolean => {
  const folders = from.split("/")
  return Array.from({ length: folders.length + 1 }, (_, depth) => folders.slice(0, depth).join("/"))
    .some((folder) => (folder === "" ? "" : `${folder}/`) + `node_modules/${name}` in packages)
}

/** Programs of other platforms whose hashes the registry did not give when the file was written. No entry is added. */
const unhashed = new Set(
  ["darwin-arm64", "darwin-x64", "linux-arm", "linux-arm64", "win32-arm64", "win32-x64"].map((platform) =>
    `node_modules/@effect/tsgo-${platform} 0.45.0`
  )
)

const isHashed = (path: string, { integrity, link, version }: Entry): boolean =>
  integrity !== undefined || link === true || !path.includes("node_modules/") || unhashed.has(`${path} ${version}`)

const problems = Object.entries(packages).flatMap(([path, entry]) => [
  ...(entry.link !== true && entry.resolved !== undefined ? [`${path} names the registry ${entry.resolved}`] : []),
  ...(isHashed(path, entry) ? [] : [`${path} has no integrity`]),
  ...Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
    .filter((name) => !isLocked(path, name))
    .map((name) => `${path} needs ${name}, which has no entry`)
])

if (problems.length > 0) {
  process.stdout.write(`package-lock.json:\n${problems.map((problem) => `  ${problem}\n`).join("")}`)
  process.exitCode = 1
}
