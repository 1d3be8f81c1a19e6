// Makes the package of the tool as it is published: one program under two names, without dependencies and without
// anything that runs at installation. It is CommonJS, because node begins that faster: as an ES module, importing
// `node:http` alone loads all of `fetch`.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, relative } from "node:path"
import { type InputOptions, rolldown, type RolldownOutput } from "rolldown"
import { tool } from "../../../scripts/release/Manifest.ts"
import { mended } from "../../../scripts/site/Links.ts"

const folder = join(import.meta.dirname, "..")
const root = join(folder, "..", "..")

export interface Bundled {
  /** Every file of code, and what it holds. */
  readonly chunks: ReadonlyArray<{
    readonly name: string
    readonly code: string
    /** Files that are loaded with it. */
    readonly imports: ReadonlyArray<string>
    /** Sources that it was made of, from the root. */
    readonly sources: ReadonlyArray<string>
  }>
}

/** The packages of others that code was taken from. */
const packagesOf = (sources: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []))].toSorted()

/** Their licenses ask to be passed on with the code. */
const notices = (sources: ReadonlyArray<string>): string =>
  packagesOf(sources).map((name) => {
    const home = join(root, "node_modules", name)
    const file = readdirSync(home).find((entry) => /^licen[cs]e/i.test(entry))
    if (file === undefined) throw new Error(`${name} has no license to pass on`)
    return `${name}\n${"=".repeat(name.length)}\n\n${readFileSync(join(home, file), "utf8").trim()}\n`
  }).join("\n\n")

const late = join(folder, "scripts", "late")

/** Node reads ASCII faster. Other characters are only in texts, where an escape means the same. */
const escaped = (code: string): string =>
  code.replace(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** Modules of node that are loaded on demand. Node warns of `import()` in code that was stored. */
const required = (code: string): string =>
  code.replace(/\bimport\((?:\s*\/\*[^*]*\*\/)*\s*([^()\s]+)\s*\)/g, "Promise.resolve($1).then(require)")

const finished = (code: string): string => escaped(required(code))

/** What each group of the API needs. Commands that send no request do not load it. */
const endpoints =
  /\/effect\/dist\/(?:http-api\/|http\/(?:FindMyWay|HttpMiddleware|HttpRouter|HttpStatus|Multipart)|encoding\/Ndjson|socket\/)|\/packages\/api\/src\/middleware\/|\/packages\/api\/src\/(Errors|RequiredScope)\.ts$/

/** The program that is bundled for itself: commands would load what it shares with them. */
const apart = "mcpDocs"

const options = {
  platform: "node",
  preserveEntrySignatures: false,
  cwd: root,
  tsconfig: false,
  // packages that are published as both: modules can be taken apart, the other form looks for its files at run time
  resolve: {
    mainFields: ["module", "main"],
    alias: { "node:crypto": join(late, "crypto.ts"), "node:process": join(late, "process.ts") }
  },
  plugins: [{
    name: "replacements",
    resolveId: (source) => {
      if (source === `./${apart}.ts`) return { id: `./${apart}.js`, external: true }
      return source === "./internal/wizard.js" ? join(late, "wizard.ts") : undefined
    }
  }],
  transform: { inject: { "Intl.Segmenter": [join(late, "Segmenter.ts"), "Segmenter"] } }
} satisfies InputOptions

const inputOf = (name: string) => join(folder, "src", `${name}.ts`)

/** All commands, in files that are loaded when they are needed. */
const commands = async (directory: string): Promise<RolldownOutput> => {
  const build = await rolldown({ ...options, input: inputOf("bin") })
  const result = await build.write({
    dir: directory,
    format: "cjs",
    minify: true,
    // each file costs time to find and to open
    codeSplitting: {
      groups: [
        {
          name: "shared",
          test: (id) => id.includes("node_modules") && !endpoints.test(id),
          minShareCount: 2,
          priority: 1
        },
        { name: "endpoints", test: endpoints }
      ],
      includeDependenciesRecursively: false
    },
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js"
  })
  await build.close()
  return result
}

const programApart = async (directory: string): Promise<RolldownOutput> => {
  const build = await rolldown({ ...options, input: inputOf(apart) })
  const result = await build.write({ dir: directory, format: "cjs", minify: true, codeSplitting: false })
  await build.close()
  return result
}

export const bundle = async (directory: string): Promise<Bundled> => {
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  const output = [...(await commands(directory)).output, ...(await programApart(directory)).output]
  for (const part of output) {
    if (part.type === "chunk") writeFileSync(join(directory, part.fileName), finished(part.code))
  }
  const chunks = output.flatMap((part) =>
    part.type !== "chunk" ? [] : [{
      name: basename(part.fileName),
      code: finished(part.code),
      imports: part.imports,
      sources: Object.keys(part.modules).filter((id) => existsSync(id)).map((id) => relative(root, id))
    }]
  )
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(tool(), null, 2)}\n`)
  writeFileSync(join(directory, "NOTICES.txt"), notices(chunks.flatMap(({ sources }) => sources)))
  cpSync(join(root, "LICENSE"), join(directory, "LICENSE"))
  cpSync(join(folder, "templates"), join(directory, "templates"), { recursive: true })
  const page = "reference/cli.md"
  writeFileSync(join(directory, "README.md"), mended(page, readFileSync(join(root, "docs", page), "utf8"), false))
  return { chunks }
}
