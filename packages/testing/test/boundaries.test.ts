// Who may import whom, held against the sources: every import under packages/*/src is compared with the table below and
// with the dependencies that its package declares. Type-only imports count: a contract that names a type of the server
// cannot be used without the server.
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** "server: domain" reads: server may import domain. What is not named here may import nothing of ours. */
const arrows: Record<string, ReadonlyArray<string>> = {
  domain: [],
  api: ["domain"],
  telemetry: ["domain"],
  models: ["domain", "telemetry"],
  fetch: [],
  protocols: ["domain"],
  knowledge: ["domain", "fetch"],
  runtime: ["domain", "models", "telemetry"],
  auth: ["domain"],
  storage: ["domain", "runtime", "auth", "telemetry"],
  server: ["domain", "api", "fetch", "knowledge", "protocols", "runtime", "auth", "storage", "telemetry", "console"],
  client: ["domain", "api"],
  console: ["client"],
  cli: ["domain", "client", "telemetry"],
  examples: ["domain", "api", "runtime", "server", "client", "testkit"],
  testkit: ["domain", "models", "telemetry", "runtime", "auth", "server", "client"],
  // for test/ folders only; bench is the one exception, because it starts the same servers and models as the tests do
  testing: ["domain", "api", "models", "telemetry", "runtime", "auth", "storage", "server", "client", "testkit"],
  bench: ["domain", "api", "models", "runtime", "auth", "storage", "server", "client", "testing"]
}

/**
 * The folders of a package, from the lowest to the highest: a file imports its own folder and lower ones. Files beside
 * the folders are shared or compose them, and may import and be imported freely.
 */
const floors: Readonly<Record<string, ReadonlyArray<string>>> = {
  runtime: [
    "usercode",
    "schema",
    "session",
    "approval",
    "idempotency",
    "trace",
    "feedback",
    "tool",
    "factory",
    "run",
    "media",
    "jobs",
    "webhook",
    "push",
    "schedule",
    "metrics",
    "memory",
    "learning",
    "knowledge",
    "component",
    "agent",
    "guardrail",
    "remote",
    "team",
    "workflow",
    "registry",
    "service",
    "evaluation",
    "database",
    "stored"
  ],
  server: [
    "sources",
    "authorization",
    "telemetry",
    "logging",
    "sse",
    "middleware",
    "forms",
    "idempotency",
    "sessions",
    "webhooks",
    "media",
    "console",
    "handlers",
    "schedules",
    "oauth",
    "mcp",
    "mcpClient",
    "toolkit",
    "ws",
    "protocols",
    "a2a",
    "chat",
    "agui",
    "openai",
    "routes",
    "development"
  ]
}

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

/** `effect/http` → `effect`, `@svc/domain/Session` → `@svc/domain`. */
const packageOf = (specifier: string) => specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/")

const objection = (self: string, specifier: string, dependencies: ReadonlyArray<string>): string | undefined => {
  if (specifier.startsWith(".")) return undefined
  if (specifier.startsWith("node:")) return mayUseNode.includes(self) ? undefined : "has no business with node"
  const target = packageOf(specifier)
  if (self === "domain" && target !== "effect") return "may import effect and nothing else"
  if (target.startsWith("@svc/") && !arrows[self]?.includes(target.slice("@svc/".length))) return "no such arrow"
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
  if (!specifier.startsWith("@svc/")) return undefined
  const [name, ...path] = specifier.slice("@svc/".length).split("/")
  return join("packages", name!, "src", path.length === 0 ? "index.ts" : `${path.join("/")}.ts`)
}

/** Imports that lead from a folder of a package to a higher one. */
const upwardImports = ({ sources }: Repository): ReadonlyArray<string> =>
  Array.from(sources).flatMap(([file, text]) => {
    const [, name, , folder] = file.split("/")
    const order = floors[name ?? ""] ?? []
    const own = order.indexOf(folder ?? "")
    if (own < 0) return []
    return importsOf(text).flatMap((specifier) => {
      const [, target, , other] = fileOf(file, specifier)?.split("/") ?? []
      return target === name && order.indexOf(other ?? "") > own ? [`${file} imports ${specifier}`] : []
    })
  })

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

  it("no folder imports a higher folder of its package", () => {
    assert.deepStrictEqual(upwardImports(repository), [])
  })

  it("each folder of a layered package has a floor", () => {
    const folders = Array.from(repository.sources.keys(), (file) => file.split("/"))
      .filter(([, name, , folder]) => name !== undefined && name in floors && folder !== undefined)
      .flatMap(([, name, , folder]) => folder!.includes(".") ? [] : [[name!, folder!] as const])
    const unknown = folders.filter(([name, folder]) => !floors[name]!.includes(folder))
    assert.deepStrictEqual(unknown, [], "add these folders to floors, below what imports them")
  })

  it("the client reaches no server, no store and no node module", () => {
    assert.deepStrictEqual(forbiddenFrom("packages/client/src/index.ts", repository), [])
  })
})

describe("the check itself", () => {
  const fixture: Repository = {
    dependencies: {
      domain: ["effect", "zod"],
      api: ["@svc/domain", "effect"],
      client: ["@svc/api"],
      runtime: ["effect"]
    },
    sources: new Map([
      [
        "packages/domain/src/Id.ts",
        "import { z } from \"zod\"\n// import { no } from \"@svc/server\"\nconst from = \"x\"\n"
      ],
      ["packages/api/src/index.ts", "import type {\n  A\n} from \"@svc/domain/Id\"\nexport * from \"./Deep.ts\"\n"],
      ["packages/api/src/Deep.ts", "import { readFile } from \"node:fs\"\nconst late = () => import(\"jose\")\n"],
      ["packages/client/src/index.ts", "import { Api } from \"@svc/api\"\nimport \"@svc/domain\"\n"],
      ["packages/domain/src/index.ts", "import { Effect } from \"effect\"\nimport { Http } from \"effect/http\"\n"],
      ["packages/runtime/src/index.ts", "export type { Suite } from \"@svc/testing/Suite\"\n"]
    ])
  }

  it("the check finds a forbidden arrow, an undeclared dependency, node, and an extra import of domain", () => {
    assert.deepStrictEqual(violations(fixture), [
      "packages/domain/src/Id.ts imports zod: may import effect and nothing else",
      "packages/api/src/Deep.ts imports node:fs: has no business with node",
      "packages/api/src/Deep.ts imports jose: not in the dependencies of its package.json",
      "packages/client/src/index.ts imports @svc/domain: not in the dependencies of its package.json",
      "packages/runtime/src/index.ts imports @svc/testing/Suite: no such arrow"
    ])
  })

  it("the check finds an import of a higher folder, and allows lower folders and files beside them", () => {
    const layered: Repository = {
      dependencies: {},
      sources: new Map([
        [
          "packages/runtime/src/run/Engine.ts",
          "import { A } from \"../agent/A.ts\"\nimport { now } from \"../now.ts\"\n"
        ],
        ["packages/runtime/src/agent/A.ts", "import { E } from \"../run/Engine.ts\"\nexport const A = E\n"],
        ["packages/runtime/src/now.ts", "import { A } from \"./agent/A.ts\"\n"]
      ])
    }
    assert.deepStrictEqual(upwardImports(layered), ["packages/runtime/src/run/Engine.ts imports ../agent/A.ts"])
  })

  it("the check finds what a client imports through others, and says how", () => {
    assert.deepStrictEqual(forbiddenFrom("packages/client/src/index.ts", fixture), [
      "packages/client/src/index.ts → packages/api/src/index.ts → packages/api/src/Deep.ts → node:fs",
      "packages/client/src/index.ts → packages/api/src/index.ts → packages/api/src/Deep.ts → jose"
    ])
  })
})
