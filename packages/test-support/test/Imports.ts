// Finds imports that are not allowed. Type-only imports count: a contract that names a type of the server cannot be
// used without the server. Imports in comments, which are examples for readers, do not count.
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { order } from "./arrows.ts"

/** Its code is bundled, so what it imports is not installed. */
const isBundled = (name: string) => name === "console"

/** The packages that touch the machine. The others run wherever there is a JavaScript engine. */
const mayUseNode = [
  "auth",
  "channels",
  "fetch",
  "knowledge",
  "postgres",
  "http",
  "features",
  "server",
  "cli",
  "examples",
  "testing",
  "test-support",
  "bench"
]

/** Nothing that a client reaches, however far, may drag these into a browser. */
const neverInClient =
  /^(node:|jose$|@effect\/(platform-node|sql-pg)|@svc-runtime\/(engine|auth|postgres|agents|http|models|server|testing|test-support)(\/|$))/

/** Of a feature, a client reaches its endpoints and their schemas, and none of these. */
const notOfContract = /^packages\/features\/src\/(?:.*\/)?(?:Sql\w+|\w*(?:Handlers|Store|Jobs?)|feature|features)\.ts$/

type Exports = Readonly<Record<string, string | null>>

/** The text of every source file by its path from the root, and what each package exports and depends on. */
export interface Repository {
  readonly sources: ReadonlyMap<string, string>
  readonly dependencies: Readonly<Record<string, ReadonlyArray<string>>>
  readonly exports: Readonly<Record<string, Exports>>
}

const comments = /^[ \t]*(?:\/\/.*$|\/\*[^]*?\*\/)/gm

const patterns = [
  /^[ \t]*(?:import|export)\b[^"'`;]*?\bfrom\s*"([^"]+)"/gm,
  /^[ \t]*import\s*"([^"]+)"/gm,
  /\bimport\(\s*"([^"]+)"/g
]

const importsOf = (text: string): ReadonlyArray<string> => {
  const code = text.replaceAll(comments, "")
  return patterns.flatMap((pattern) => Array.from(code.matchAll(pattern), (match) => match[1]!))
}

/** `effect/http` → `effect`, `@svc-runtime/domain/Session` → `@svc-runtime/domain`. */
const packageOf = (specifier: string) => specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

const scope = "@svc-runtime/"

const objection = (self: string, specifier: string, dependencies: ReadonlyArray<string>): string | undefined => {
  if (specifier.startsWith(".")) return undefined
  if (specifier.startsWith("node:")) return mayUseNode.includes(self) ? undefined : "has no business with node"
  const target = packageOf(specifier)
  if (self === "domain" && target !== "effect") return "may import effect and nothing else"
  if (target.startsWith(scope) && order.indexOf(target.slice(scope.length)) >= order.indexOf(self)) {
    return "is not a lower package"
  }
  return dependencies.includes(target) ? undefined : "not in the dependencies of its package.json"
}

export const violations = ({ dependencies, sources }: Repository): ReadonlyArray<string> =>
  Array.from(sources).flatMap(([file, text]) => {
    const self = file.split("/")[1]!
    return importsOf(text).flatMap((specifier) => {
      const why = objection(self, specifier, dependencies[self] ?? [])
      return why === undefined ? [] : [`${file} imports ${specifier}: ${why}`]
    })
  })

/** The file that an import of ours leads to; undefined for packages of others. */
const fileOf = (from: string, specifier: string, { exports }: Repository): string | undefined => {
  if (specifier.startsWith(".")) return join(from, "..", specifier)
  if (!specifier.startsWith(scope)) return undefined
  const [name = "", ...path] = specifier.slice(scope.length).split("/")
  const entries = exports[name] ?? {}
  const entry = [".", ...path].join("/")
  const file = entries[entry] ?? entries["./*"]?.replace("*", path.join("/"))
  return join("packages", name, file ?? entry)
}

const filesImportedBy = (file: string, repository: Repository): ReadonlyArray<string> =>
  importsOf(repository.sources.get(file) ?? "").flatMap((specifier) => fileOf(file, specifier, repository) ?? [])

/** What can be reached from `from`, without `from` itself if no way leads back. */
const reachedFrom = (from: string, graph: ReadonlyMap<string, Iterable<string>>): ReadonlySet<string> => {
  const seen = new Set<string>()
  const open = [from]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const imported of graph.get(next) ?? []) {
      if (seen.has(imported)) continue
      seen.add(imported)
      open.push(imported)
    }
  }
  return seen
}

/** The nodes of a graph that reach each other, one list for each circle. */
const circlesOf = (graph: ReadonlyMap<string, Iterable<string>>): ReadonlyArray<ReadonlyArray<string>> => {
  // what is imported by nothing or imports nothing is in no circle, and neither is what only such nodes hold
  const left = new Map(Array.from(graph, ([node, imported]) => [node, new Set(imported)]))
  for (let size = -1; size !== left.size;) {
    size = left.size
    const used = new Set(Array.from(left.values()).flatMap((imported) => [...imported]))
    for (const [node, imported] of left) {
      for (const target of imported) if (!left.has(target)) imported.delete(target)
      if (imported.size === 0 || !used.has(node)) left.delete(node)
    }
  }
  const found: Array<ReadonlyArray<string>> = []
  const seen = new Set<string>()
  for (const node of left.keys()) {
    if (seen.has(node)) continue
    const reached = reachedFrom(node, left)
    if (!reached.has(node)) continue
    const circle = [...reached].filter((other) => reachedFrom(other, left).has(node)).toSorted()
    for (const member of circle) seen.add(member)
    found.push(circle)
  }
  return found
}

export const circlesOfFiles = (repository: Repository) =>
  circlesOf(new Map(Array.from(repository.sources.keys(), (file) => [file, filesImportedBy(file, repository)])))

/** The feature of a file: its folder under packages/features/src. `document` describes all of them and is none. */
export const featureOf = (file: string): string | undefined => {
  const feature = /^packages\/features\/src\/(\w+)\//.exec(file)?.[1]
  return feature === "document" ? undefined : feature
}

export const featureImports = (repository: Repository, allowed: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Array.from(repository.sources.keys()).flatMap((file) => {
    const own = featureOf(file)
    if (own === undefined) return []
    return filesImportedBy(file, repository).flatMap((target) => {
      const other = featureOf(target)
      const isAllowed = other === undefined || other === own || allowed[own]?.includes(other)
      return isAllowed === true ? [] : [`${file} imports ${target}`]
    })
  })

/** The packages whose folders do not import each other. */
const withOrderedFolders = (name: string) => !["agents", "engine", "features", "http", "server"].includes(name)

/**
 * The folder of a file at a depth: `packages/postgres/src/internal/runs/rows.ts` is in `postgres/internal` at 1, and in
 * `postgres/internal/runs` at 2. Undefined: the file lies higher.
 */
const folderOf = (file: string, depth: number): string | undefined => {
  const [, name, , ...path] = file.split("/")
  return path.length > depth ? [name, ...path.slice(0, depth)].join("/") : undefined
}

/** Folders of a package that reach each other. */
export const circlesOfFolders = (repository: Repository, depth = 1) => {
  const imported = new Map<string, Set<string>>()
  for (const file of repository.sources.keys()) {
    const own = folderOf(file, depth)
    if (own === undefined || !withOrderedFolders(file.split("/")[1] ?? "")) continue
    for (const target of filesImportedBy(file, repository)) {
      const other = folderOf(target, depth)
      if (other === undefined || other === own || dirname(other) !== dirname(own)) continue
      imported.set(own, (imported.get(own) ?? new Set()).add(other))
    }
  }
  return circlesOf(imported)
}

/** Walks the import graph as a bundler would, and tells how each forbidden module was reached. */
export const forbiddenFrom = (entry: string, repository: Repository): ReadonlyArray<string> => {
  const found: Array<string> = []
  const seen = new Set([entry])
  const walk = (file: string, trail: string) => {
    const text = repository.sources.get(file)
    if (text === undefined) return void found.push(`${trail}: no such file`)
    for (const specifier of importsOf(text)) {
      const next = fileOf(file, specifier, repository)
      if (neverInClient.test(specifier) || (next !== undefined && notOfContract.test(next))) {
        found.push(`${trail} → ${specifier}`)
      } else if (next !== undefined && !seen.has(next)) {
        seen.add(next)
        walk(next, `${trail} → ${next}`)
      }
    }
  }
  walk(entry, entry)
  return found
}

export const readRepository = (): Repository => {
  const root = join(import.meta.dirname, "..", "..", "..")
  const names = readdirSync(join(root, "packages"))
  const sources = names.flatMap((name) =>
    readdirSync(join(root, "packages", name, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file) && !/^\w+\/test\//.test(file))
      .map((file) => join("packages", name, "src", file))
  )
  const manifests = names.map((name) =>
    [name, JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"))] as const
  )
  return {
    sources: new Map(sources.map((file) => [file, readFileSync(join(root, file), "utf8")])),
    dependencies: Object.fromEntries(manifests.map(([name, manifest]) => [
      name,
      [
        ...Object.keys((isBundled(name) ? manifest.devDependencies : manifest.dependencies) ?? {}),
        ...Object.keys(manifest.peerDependencies ?? {})
          .filter((peer) => manifest.peerDependenciesMeta?.[peer]?.optional !== true)
      ]
    ])),
    exports: Object.fromEntries(manifests.map(([name, { exports }]) => [name, exports]))
  }
}
