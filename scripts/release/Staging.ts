// Writes packages into folders from which npm packs them: code, declarations, a manifest, a README, the license.
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { bundle } from "../../packages/cli/scripts/Bundle.ts"
import { build as buildSite } from "../../packages/console/scripts/Site.ts"
import { nameOf, type PublishedFolder, repository } from "../publishing.ts"
import * as Copies from "../site/Copies.ts"
import * as Manifest from "./Manifest.ts"

const root = join(import.meta.dirname, "..", "..")

const write = (directory: string, path: string, text: string): void => {
  mkdirSync(dirname(join(directory, path)), { recursive: true })
  writeFileSync(join(directory, path), text)
}

interface Described {
  readonly name: string
  readonly description: string
}

const readme = ({ description, name }: Described) =>
  `# ${name}

${description}.

A package of [Svc](${repository}#readme), a self-hosted runtime service for AI agents. Agents are written with
\`${nameOf("server")}\`; the other packages are its parts. All of them have the same version.

The documents of this version are in \`node_modules/${nameOf("server")}/docs\`, which begins with \`README.md\`.
\`npx svc docs WORDS\` searches them without a network, and \`npx svc mcp-docs\` serves them to coding assistants.
`

const describe = (directory: string, manifest: Described): void => {
  write(directory, "package.json", `${JSON.stringify(manifest, null, 2)}\n`)
  write(directory, "README.md", readme(manifest))
  cpSync(join(root, "LICENSE"), join(directory, "LICENSE"))
}

/** The maps name sources, which are not published. */
const withoutMap = (code: string): string => code.replace(/\n?\/\/# sourceMappingURL=.*\s*$/, "\n")

/**
 * The files come from the list of sources, because `dist` may hold files of sources that are gone. The tests of a
 * feature are in its folder, and are not compiled.
 */
const compiledFiles = (sources: string): ReadonlyArray<string> =>
  globSync("**/*.{ts,json}", { cwd: sources, exclude: ["*/test/**"] }).flatMap((file) =>
    file.endsWith(".json") ? [file] : [file.replace(/\.ts$/, ".js"), file.replace(/\.ts$/, ".d.ts")]
  )

/** The page of the console is bundled; its sources are not published. */
const stageConsole = async (directory: string): Promise<void> => {
  describe(directory, Manifest.library("console"))
  for (const file of ["index.js", "index.d.ts"]) {
    write(
      directory,
      join("dist", file),
      withoutMap(readFileSync(join(root, "packages", "console", "dist", file), "utf8"))
    )
  }
  await buildSite(join(directory, "site"))
}

const stageLibrary = (folder: PublishedFolder, directory: string): void => {
  const home = join(root, "packages", folder)
  describe(directory, Manifest.library(folder))
  for (const file of compiledFiles(join(home, "src"))) {
    const text = readFileSync(join(home, "dist", file), "utf8")
    write(directory, join("dist", file), file.endsWith(".json") ? text : withoutMap(text))
  }
}

/** The documents travel with the package that every project has, without pictures. */
const stageDocuments = (directory: string): void => Copies.write(Copies.texts(join(root, "docs")), directory)

const starter = `#!/usr/bin/env node
process.argv.splice(2, 0, "create")
require("${nameOf("cli")}/bin.js")
`

/** Writes all packages into folders of `directory`. The sources are compiled. */
export const stage = async (directory: string, libraries: ReadonlyArray<PublishedFolder>) => {
  for (const folder of libraries) {
    if (folder === "console") await stageConsole(join(directory, folder))
    else stageLibrary(folder, join(directory, folder))
  }
  stageDocuments(join(directory, "server", "docs"))
  await bundle(join(directory, "cli"))
  describe(join(directory, "create"), Manifest.create())
  write(join(directory, "create"), "bin.js", starter)
  return [...libraries, "cli", "create"].map((name) => join(directory, name))
}
