// The entry points of the packages, and which of them are published.
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { libraries, nameOf, privateFolders, published, repository } from "../../../scripts/publishing.ts"
import * as Manifest from "../../../scripts/release/Manifest.ts"
import { raise, release } from "../../../scripts/release/Version.ts"

Tier.oneIn(2)

type Exports = Readonly<Record<string, string | null>>

interface WorkspaceManifest {
  readonly name: string
  readonly private: boolean
  readonly version: string
  readonly exports: Exports
}

const packages = join(import.meta.dirname, "..", "..")
const folders = readdirSync(packages)
const names: ReadonlyArray<string> = published.map(nameOf)

const manifestOf = (folder: string): WorkspaceManifest =>
  JSON.parse(readFileSync(join(packages, folder, "package.json"), "utf8"))

const withoutPattern = (exports: Exports) => Object.entries(exports).filter(([entry]) => !entry.includes("*"))

/** The files of all packages except one. */
const sourcesBeside = (own: string): ReadonlyArray<string> =>
  folders.filter((folder) => folder !== own).flatMap((folder) =>
    ["src", "test", "chaos"].map((part) => join(packages, folder, part)).filter((path) => existsSync(path)).flatMap(
      (path) =>
        readdirSync(path, { recursive: true, encoding: "utf8" })
          .filter((file) => file.endsWith(".ts"))
          .map((file) => readFileSync(join(path, file), "utf8"))
    )
  )

describe("publishing", () => {
  it("each package is either published or private", () => {
    assert.deepStrictEqual([...published, ...privateFolders].toSorted(), folders.toSorted())
  })

  it("each package is named by its folder, and private until its first release", () => {
    for (const folder of folders) {
      const { name, private: isPrivate } = manifestOf(folder)
      assert.deepStrictEqual({ name, isPrivate }, { name: nameOf(folder), isPrivate: true })
    }
  })

  it("each entry point is a file, and is published as its compiled file with its types", () => {
    for (const folder of libraries) {
      const { exports } = manifestOf(folder)
      for (const [entry, file] of withoutPattern(exports)) {
        assert.isTrue(file !== null && existsSync(join(packages, folder, file)), `${folder}: ${entry} is ${file}`)
      }
      const compiled = Object.entries(exports).map(([entry, file]) => {
        const path = /^\.\/src\/(.*)\.ts$/.exec(file ?? "")?.[1]
        return [entry, path === undefined ? file : { types: `./dist/${path}.d.ts`, default: `./dist/${path}.js` }]
      })
      assert.deepStrictEqual(Object.entries(Manifest.library(folder).exports), compiled as never, folder)
    }
  })

  const runOnOlderNode: ReadonlyArray<string> = [nameOf("client"), nameOf("react")]

  it("a published manifest names its license, its Node, its repository and published packages of one version", () => {
    const manifests = [...libraries.map(Manifest.library), Manifest.tool(), Manifest.create()]
    for (const manifest of manifests) {
      assert.strictEqual(manifest.license, "MIT")
      assert.strictEqual(manifest.engines["node"], runOnOlderNode.includes(manifest.name) ? ">=20.3" : ">=22.19")
      assert.strictEqual(manifest.repository.url, `git+${repository}.git`)
      assert.deepStrictEqual(manifest.publishConfig, { access: "public", provenance: true })
      assert.isFalse("private" in manifest)
      const own = Object.entries("dependencies" in manifest ? manifest.dependencies : {})
        .filter(([name]) => name.startsWith("@svc"))
      for (const [name, version] of own) {
        assert.include(names, name)
        assert.strictEqual(version, manifest.version)
      }
    }
  })

  it("a published package shares the Effect of the project that uses it", () => {
    for (const folder of libraries.filter((folder) => folder !== "console" && folder !== "react")) {
      const { dependencies, peerDependencies } = Manifest.library(folder)
      assert.notProperty(dependencies, "effect")
      assert.match(peerDependencies["effect"] ?? "", /^\^4\./)
    }
  })

  it("The console installs nothing, and its built page is published.", () => {
    const { dependencies, files, peerDependencies } = Manifest.library("console")
    assert.deepStrictEqual([dependencies, peerDependencies], [{}, {}])
    assert.include(files, "site")
  })

  it("the hooks need the client, and the React of the page that uses them", () => {
    const { dependencies, peerDependencies } = Manifest.library("react")
    assert.deepStrictEqual(Object.keys(dependencies), [nameOf("client")])
    assert.deepStrictEqual(peerDependencies, { react: "^18.0.0 || ^19.0.0" })
  })

  it("the client alone needs no other package, and those of its other entry points are optional", () => {
    const { dependencies, peerDependencies, ...manifest } = Manifest.library("client")
    assert.deepStrictEqual(dependencies, {})
    const peers = [nameOf("features"), "effect"]
    assert.deepStrictEqual(Object.keys(peerDependencies), peers)
    assert.deepStrictEqual(
      "peerDependenciesMeta" in manifest && manifest.peerDependenciesMeta,
      Object.fromEntries(peers.map((name) => [name, { optional: true }]))
    )
  })

  it("the clients of providers are packages that a project may install", () => {
    const { dependencies, peerDependencies, ...manifest } = Manifest.library("models")
    const meta = "peerDependenciesMeta" in manifest ? manifest.peerDependenciesMeta : undefined
    assert.property(peerDependencies, "@ai-sdk/mistral")
    assert.deepStrictEqual(Object.keys(meta ?? {}), Object.keys(peerDependencies).filter((name) => name !== "effect"))
    assert.deepStrictEqual(Object.keys(dependencies).filter((name) => name in peerDependencies), [])
  })

  it("the embedded database and the readers of documents can be left out of an installation", () => {
    const optional = (folder: "knowledge" | "postgres") => {
      const { dependencies, ...manifest } = Manifest.library(folder)
      const names = "optionalDependencies" in manifest ? Object.keys(manifest.optionalDependencies ?? {}) : []
      assert.deepStrictEqual(names.filter((name) => name in dependencies), [])
      return [...Object.keys(dependencies).filter((name) => !name.startsWith("@svc")), "beside", ...names]
    }
    assert.deepStrictEqual(optional("postgres"), [
      "@effect/sql-pg",
      "beside",
      "@electric-sql/pglite",
      "@electric-sql/pglite-pgvector",
      "@electric-sql/pglite-prepopulatedfs"
    ])
    assert.deepStrictEqual(optional("knowledge"), [
      "beside",
      "@e965/xlsx",
      "@mozilla/readability",
      "csv-parse",
      "fflate",
      "linkedom",
      "mammoth",
      "postal-mime",
      "turndown",
      "unpdf"
    ])
  })

  it("a new version replaces that of the packages, and no other version", () => {
    const manifest = (version: string) =>
      `{ "name": "@svc-runtime/api",\n  "version": "${version}", "@svc-runtime/domain": "${version}", "@svc-runtime/test-support": "^${version}",` +
      ` "zod": "0.1.0", "other": { "name": "other",\n "version": "0.1.0" } }`
    assert.strictEqual(raise(manifest("0.1.0"), "0.1.0", "0.2.0"), manifest("0.2.0"))
    assert.strictEqual(raise(manifest("0.1.01"), "0.1.0", "0.2.0"), manifest("0.1.01"))
    for (const folder of folders) {
      const text = readFileSync(join(packages, folder, "package.json"), "utf8")
      const { dependencies = {}, version } = JSON.parse(raise(text, manifestOf(folder).version, "9.8.7"))
      const own = Object.entries(dependencies).filter(([name]) => name.startsWith("@svc-runtime/")).map(([, range]) =>
        range
      )
      assert.deepStrictEqual([version, ...own], [version, ...own].map(() => "9.8.7"), folder)
    }
  })

  it("a release gives the unreleased lines of the changelog a version and a date", () => {
    assert.strictEqual(
      release("# Changelog\n\n## Unreleased\n\n### Added\n\n- One.\n", "0.2.0", "2026-11-23"),
      "# Changelog\n\n## Unreleased\n\n## 0.2.0 · 2026-11-23\n\n### Added\n\n- One.\n"
    )
  })

  it("each entry point beside the index is imported by another package, or is named here for programs of users", () => {
    const forUsers = [
      "client/effect",
      "server/channels",
      "server/channels/discord",
      "server/channels/github",
      "server/channels/slack",
      "server/channels/twilio",
      "server/channels/whatsapp",
      "server/dev",
      "server/npmStart"
    ]
    for (const folder of published) {
      const deep = withoutPattern(manifestOf(folder).exports).map(([entry]) => entry.slice(2))
        .filter((entry) => entry !== "" && entry !== "package.json")
      if (deep.length === 0) continue
      const texts = sourcesBeside(folder)
      const unused = deep.filter((entry) =>
        !forUsers.includes(`${folder}/${entry}`) &&
        !texts.some((text) => text.includes(`"@svc-runtime/${folder}/${entry}"`))
      )
      assert.deepStrictEqual(unused, [], folder)
    }
  })
})
