// The entry points of the packages, and which of them are published.
import { assert, describe, it } from "@effect/vitest"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { privateFolders, publishedNames } from "../../../scripts/publishing.ts"

type Exports = Readonly<Record<string, string | null>>

interface Manifest {
  readonly name: string
  readonly private: boolean
  readonly exports: Exports
  readonly publishConfig: { readonly exports: Exports }
}

const packages = join(import.meta.dirname, "..", "..")
const folders = readdirSync(packages)
const published = Object.keys(publishedNames)

const manifestOf = (folder: string): Manifest =>
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
      assert.deepStrictEqual({ name, isPrivate }, { name: `@svc/${folder}`, isPrivate: true })
    }
  })

  it("each entry point is a file, and is published as its compiled file", () => {
    for (const folder of published) {
      const { exports, publishConfig } = manifestOf(folder)
      for (const [entry, file] of withoutPattern(exports)) {
        assert.isTrue(file !== null && existsSync(join(packages, folder, file)), `${folder}: ${entry} is ${file}`)
      }
      const compiled = Object.entries(exports).map(([entry, file]) => [
        entry,
        file?.replace(/^\.\/src\/(.*)\.ts$/, "./dist/$1.js") ?? null
      ])
      assert.deepStrictEqual(Object.entries(publishConfig.exports), compiled, folder)
    }
  })

  it("each entry point beside the index is imported by another package", () => {
    for (const folder of published) {
      const deep = withoutPattern(manifestOf(folder).exports).map(([entry]) => entry.slice(2))
        .filter((entry) => entry !== "" && entry !== "package.json")
      if (deep.length === 0) continue
      const texts = sourcesBeside(folder)
      const unused = deep.filter((entry) => !texts.some((text) => text.includes(`"@svc/${folder}/${entry}"`)))
      assert.deepStrictEqual(unused, [], folder)
    }
  })
})
