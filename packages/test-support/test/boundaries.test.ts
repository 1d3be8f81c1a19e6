// Which imports are allowed, held against the sources: every import under packages/*/src is compared with `arrows.ts`
// and with the dependencies that its package declares. Type-only imports count: a contract that names a type of the
// server cannot be used without the server.
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { arrows, layers } from "./arrows.ts"

/** Its code is bundled, so what it imports is not installed. */
const isBundled = (name: string) => name === "console"

/** The packages that touch the machine. The others run wherever there is a JavaScript engine. */
const mayUseNode = ["auth", "fetch", "knowledge", "storage", "server", "cli", "examples", "testkit", "testing", "bench"]

/** Nothing that a client reaches, however far, may drag these into a browser. */
const neverInClient = /^(node:|jose$|@effect\/platform-node|@svc\/(server|storage|runtime|models|auth|testing)(\/|$))/

/** The text of every source file by its path from the root, and what each package declares to depend on. */
interface Repository {
  readonly sources: ReadonlyMap<string, string>
  readonly dependencies: Readonly<Record<string, ReadonlyArray<string>>>
}

const patterns = [
  /^[ \t]*(?:import|export)\b[^"'`;]*?\bfrom\s*"([^"]+)"/gm,
  /^[ \t]*import\s*"([^"]+)"/gm,
  /\bimport\(\s*"([^"]+)"/g
]

const importsOf = (text: string): ReadonlyArray<string> =>
  patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), (match) => match[1]!))

/** `effect/http` → `effect`, `@svc-runtime/domain/Session` → `@svc-runtime/domain`. */
const packageOf = (specifier: string) => specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

const objection = (self: string, specifier: string, dependencies: ReadonlyArray<string>): string | undefined => {
  if (specifier.startsWith(".")) return undefined
  if (specifier.startsWith("node:")) return mayUseNode.includes(self) ? undefined : "has no business with node"
  const target = packageOf(specifier)
  if (self === "domain" && target !== "effect") return "may import effect and nothing else"
  if (target.startsWith("@svc-runtime/") && !arrows[self]?.includes(target.slice("@svc-runtime/".length))) {
    return "no such arrow"
  }
  return dependencies.includes(target) ? undefined : "not in the dependencies of its package.json"
}

const violations = ({ dependencies, sources }: Repository): ReadonlyArray<string> =>
  Array.from(sources).flatMap(([file, text]) => {
    const self = file.split("/")[1]!
    return importsOf(text).flatMap((specifier) => {
      const why = objection(self, specifier, dependencies[self] ?? [])
      return why === undefined ? [] : [`${file} imports ${specifier}: ${why}`]
    })
  })

/** The file that an import of ours leads to; undefined for packages of others. */
const fileOf = (from: string, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) return join(from, "..", specifier)
  if (!specifier.startsWith("@svc-runtime/")) return undefined
  const [name, ...path] = specifier.slice("@svc-runtime/".length).split("/")
  return join("packages", name!, "src", path.length === 0 ? "index.ts" : `${path.join("/")}.ts`)
}

/** The rows of all stores in memory are one object: it names their types, and imports no values. */
const namesRows = (file: string) => file.startsWith("packages/testing/src/stores/")

/** The layer of a path like `packages/engine/src/run/engine/RunEngine.ts`. Undefined: the package has none. */
const layerOf = (path: string): number | undefined => {
  const [, name = "", folder, place = ""] = path.split("/")
  const order = layers[name]
  if (order === undefined || folder !== "src") return undefined
  const indexOf = (wanted: string) => order.findIndex((places) => [places].flat().includes(wanted))
  const layer = indexOf(place)
  const others = indexOf("*.ts")
  if (layer >= 0) return layer
  return others < 0 ? order.length : others
}

/** Imports that lead from a layer of a package to a higher one. */
const upwardImports = ({ sources }: Repository): ReadonlyArray<string> =>
  Array.from(sources).flatMap(([file, text]) => {
    const own = layerOf(file)
    if (own === undefined || namesRows(file)) return []
    return importsOf(text).flatMap((specifier) => {
      const target = fileOf(file, specifier) ?? ""
      if (target.split("/")[1] !== file.split("/")[1] || namesRows(target)) return []
      return (layerOf(target) ?? 0) > own ? [`${file} imports ${specifier}`] : []
    })
  })

/**
 * The folder of a file at a depth: `packages/storage/src/internal/runs/rows.ts` is in `storage/internal` at 1, and in
 * `storage/internal/runs` at 2. Undefined: the file lies higher.
 */
const folderOf = (file: string, depth: number): string | undefined => {
  const [, name, , ...path] = file.split("/")
  return path.length > depth ? [name, ...path.slice(0, depth)].join("/") : undefined
}

/** Folders of a package that reach each other, as far as no layers say which is the lower one. */
const circles = ({ sources }: Repository, depth = 1): ReadonlyArray<string> => {
  const imported = new Map<string, Set<string>>()
  for (const [file, text] of sources) {
    const [, name = ""] = file.split("/")
    const own = folderOf(file, depth)
    if (name in layers || own === undefined) continue
    for (const specifier of importsOf(text)) {
      const other = folderOf(fileOf(file, specifier) ?? "", depth)
      if (other === undefined || other === own || dirname(other) !== dirname(own)) continue
      imported.set(own, (imported.get(own) ?? new Set()).add(other))
    }
  }
  const reached = (from: string, seen = new Set<string>()): Set<string> => {
    for (const next of imported.get(from) ?? []) {
      if (seen.has(next)) continue
      seen.add(next)
      reached(next, seen)
    }
    return seen
  }
  return Array.from(imported.keys()).filter((folder) => reached(folder).has(folder))
}

/** Imports of values of ours by the files that may name the rows of all stores. */
const valuesOfRows = ({ sources }: Repository): ReadonlyArray<string> =>
  Array.from(sources).filter(([file]) => namesRows(file)).flatMap(([file, text]) =>
    importsOf(text.replaceAll(/^import type\b[^"]*"[^"]+"/gm, ""))
      .filter((specifier) => specifier.startsWith("../"))
      .map((specifier) => `${file} imports ${specifier}`)
  )

/** Walks the import graph as a bundler would, and tells how each forbidden module was reached. */
const forbiddenFrom = (entry: string, { sources }: Repository): ReadonlyArray<string> => {
  const found: Array<string> = []
  const seen = new Set([entry])
  const walk = (file: string, trail: string) => {
    const text = sources.get(file)
    if (text === undefined) return void found.push(`${trail}: no such file`)
    for (const specifier of importsOf(text)) {
      if (neverInClient.test(specifier)) found.push(`${trail} → ${specifier}`)
      const next = fileOf(file, specifier)
      if (next === undefined || seen.has(next)) continue
      seen.add(next)
      walk(next, `${trail} → ${next}`)
    }
  }
  walk(entry, entry)
  return found
}

const readRepository = (): Repository => {
  const root = join(import.meta.dirname, "..", "..", "..")
  const names = readdirSync(join(root, "packages"))
  const sources = names.flatMap((name) =>
    readdirSync(join(root, "packages", name, "src"), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => join("packages", name, "src", file))
  )
  const declared = (name: string): ReadonlyArray<string> => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"))
    return Object.keys((isBundled(name) ? manifest.devDependencies : manifest.dependencies) ?? {})
  }
  return {
    sources: new Map(sources.map((file) => [file, readFileSync(join(root, file), "utf8")])),
    dependencies: Object.fromEntries(names.map((name) => [name, declared(name)]))
  }
}

describe("boundaries", () => {
  const repository = readRepository()

  it("every import follows an arrow and a declared dependency", () => {
    assert.isAbove(repository.sources.size, 0)
    assert.deepStrictEqual(violations(repository), [])
  })

  it("no file imports a higher layer of its package", () => {
    assert.deepStrictEqual(upwardImports(repository), [])
  })

  it("no folders of a package without layers import each other", () => {
    assert.deepStrictEqual(circles(repository), [])
    assert.deepStrictEqual(circles(repository, 2), [])
  })

  it("the database in memory names the rows of all stores, and imports no values of them", () => {
    assert.deepStrictEqual(valuesOfRows(repository), [])
  })

  it("each folder of a layered package has a layer", () => {
    const folders = Array.from(repository.sources.keys(), (file) => file.split("/"))
      .filter(([, name, , folder]) => name !== undefined && name in layers && folder !== undefined)
      .flatMap(([, name, , folder]) => folder!.includes(".") ? [] : [[name!, folder!] as const])
    const unknown = folders.filter(([name, folder]) => folder !== "inMemory" && !layers[name]!.flat().includes(folder))
    assert.deepStrictEqual(unknown, [], "add these folders to layers, below what imports them")
  })

  it("the client reaches no server, no store and no node module", () => {
    assert.deepStrictEqual(forbiddenFrom("packages/client/src/index.ts", repository), [])
  })
})

describe("the check itself", () => {
  const fixture: Repository = {
    dependencies: {
      domain: ["effect", "zod"],
      api: ["@svc-runtime/domain", "effect"],
      client: ["@svc-runtime/api"],
      runtime: ["effect"]
    },
    sources: new Map([
      [
        "packages/domain/src/Id.ts",
        "import { z } from \"zod\"\n// import { no } from \"@svc-runtime/server\"\nconst from = \"x\"\n"
      ],
      [
        "packages/api/src/index.ts",
        "import type {\n  A\n} from \"@svc-runtime/domain/Id\"\nexport * from \"./Deep.ts\"\n"
      ],
      ["packages/api/src/Deep.ts", "import { readFile } from \"node:fs\"\nconst late = () => import(\"jose\")\n"],
      ["packages/client/src/index.ts", "import { Api } from \"@svc-runtime/api\"\nimport \"@svc-runtime/domain\"\n"],
      ["packages/domain/src/index.ts", "import { Effect } from \"effect\"\nimport { Http } from \"effect/http\"\n"],
      ["packages/runtime/src/index.ts", "export type { Suite } from \"@svc-runtime/test-support/Suite\"\n"]
    ])
  }

  it("the check finds a forbidden arrow, an undeclared dependency, node, and an extra import of domain", () => {
    assert.deepStrictEqual(violations(fixture), [
      "packages/domain/src/Id.ts imports zod: may import effect and nothing else",
      "packages/api/src/Deep.ts imports node:fs: has no business with node",
      "packages/api/src/Deep.ts imports jose: not in the dependencies of its package.json",
      "packages/client/src/index.ts imports @svc-runtime/domain: not in the dependencies of its package.json",
      "packages/runtime/src/index.ts imports @svc-runtime/test-support/Suite: no such arrow"
    ])
  })

  it("the check finds imports of a higher folder and of files above the folders, and allows lower ones", () => {
    const layered: Repository = {
      dependencies: {},
      sources: new Map([
        [
          "packages/runtime/src/run/Engine.ts",
          "import { A } from \"../agent/A.ts\"\nimport { now } from \"../now.ts\"\nimport \"../Service.ts\"\n"
        ],
        ["packages/runtime/src/agent/A.ts", "import { E } from \"../run/Engine.ts\"\nexport const A = E\n"],
        ["packages/engine/src/now.ts", "import { A } from \"./usercode/A.ts\"\n"],
        ["packages/runtime/src/Service.ts", "import { A } from \"./agent/A.ts\"\n"],
        ["packages/agents/src/team/Team.ts", "import { W } from \"../workflow/Workflow.ts\"\n"],
        ["packages/agents/src/workflow/Workflow.ts", "import { T } from \"../team/Team.ts\"\n"]
      ])
    }
    assert.deepStrictEqual(upwardImports(layered), [
      "packages/runtime/src/run/Engine.ts imports ../agent/A.ts",
      "packages/runtime/src/run/Engine.ts imports ../Service.ts",
      "packages/engine/src/now.ts imports ./usercode/A.ts"
    ])
  })

  it("the check finds folders that reach each other through a third one", () => {
    const round: Repository = {
      dependencies: {},
      sources: new Map([
        ["packages/cli/src/a/A.ts", "import { B } from \"../b/B.ts\"\n"],
        ["packages/cli/src/b/B.ts", "import { C } from \"../c/C.ts\"\nimport { D } from \"../d/D.ts\"\n"],
        ["packages/cli/src/c/C.ts", "import { A } from \"../a/A.ts\"\n"]
      ])
    }
    assert.deepStrictEqual(circles(round), ["cli/a", "cli/b", "cli/c"])
    const inner = {
      dependencies: {},
      sources: new Map([
        ["packages/cli/src/a/x/X.ts", "import { Y } from \"../y/Y.ts\"\n"],
        ["packages/cli/src/a/y/Y.ts", "import { X } from \"../x/X.ts\"\nimport { B } from \"../B.ts\"\n"],
        ["packages/cli/src/a/B.ts", "import { X } from \"./x/X.ts\"\n"]
      ])
    }
    assert.deepStrictEqual(circles(inner), [])
    assert.deepStrictEqual(circles(inner, 2), ["cli/a/x", "cli/a/y"])
  })

  it("the check finds what a client imports through others, and says how", () => {
    assert.deepStrictEqual(forbiddenFrom("packages/client/src/index.ts", fixture), [
      "packages/client/src/index.ts → packages/api/src/index.ts → packages/api/src/Deep.ts → node:fs",
      "packages/client/src/index.ts → packages/api/src/index.ts → packages/api/src/Deep.ts → jose"
    ])
  })
})
