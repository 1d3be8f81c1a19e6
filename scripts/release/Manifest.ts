// The manifests of packages as they are published. Those of the workspace name the sources, which node refuses to run
// inside of node_modules.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createName, nameOf, type PublishedFolder, repository } from "../publishing.ts"

type Versions = Readonly<Record<string, string>>

interface WorkspaceManifest {
  readonly version: string
  readonly description: string
  readonly license: string
  /** Those of the workspace, unless a package runs on an older Node. */
  readonly engines?: Versions
  readonly exports: Readonly<Record<string, string | null>>
  /** What a package bundles is not among them. */
  readonly dependencies?: Versions
  readonly peerDependencies?: Versions
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
}

const root = join(import.meta.dirname, "..", "..")

const read = (...path: ReadonlyArray<string>) => JSON.parse(readFileSync(join(root, ...path, "package.json"), "utf8"))

const workspace = (folder: PublishedFolder): WorkspaceManifest => read("packages", folder)

/** What the manifests of all published packages have. */
const common = (folder: PublishedFolder) => {
  const { description, engines = read().engines, license, version } = workspace(folder)
  return {
    name: nameOf(folder) as string,
    version,
    description,
    license,
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    repository: { type: "git", url: `git+${repository}.git`, directory: `packages/${folder}` },
    engines,
    publishConfig: { access: "public", provenance: true }
  }
}

const compiled = (file: string) => {
  const path = file.replace(/^\.\/src\/(.*)\.ts$/, "./dist/$1")
  return path === file ? file : { types: `${path}.d.ts`, default: `${path}.js` }
}

/** Types of these appear in the types of the packages, so a project and the packages share one copy. */
const shared = ["effect"]

/** Of the embedded database and of the readers of documents, which load them late. npm can leave them out. */
const optional =
  /^(@electric-sql\/.+|@e965\/xlsx|@mozilla\/readability|csv-parse|fflate|linkedom|mammoth|postal-mime|turndown|unpdf)$/

const partition = (dependencies: Versions) => {
  const entries = Object.entries(dependencies)
  const optionalEntries = entries.filter(([name]) => optional.test(name))
  return {
    dependencies: Object.fromEntries(
      entries.filter(([name]) => !shared.includes(name) && !optional.test(name))
    ),
    ...(optionalEntries.length === 0 ? {} : { optionalDependencies: Object.fromEntries(optionalEntries) }),
    peerDependencies: Object.fromEntries(
      entries.filter(([name]) => shared.includes(name)).map(([name, version]) => [name, `^${version}`])
    )
  }
}

/** The first entry point of the client imports nothing. What the others import is for programs with Effect to install. */
const importsNothing: ReadonlyArray<PublishedFolder> = ["client"]

const asPeers = ({ dependencies, peerDependencies }: ReturnType<typeof partition>) => {
  const peers = { ...dependencies, ...peerDependencies }
  return {
    dependencies: {},
    peerDependencies: peers,
    peerDependenciesMeta: Object.fromEntries(Object.keys(peers).map((name) => [name, { optional: true }]))
  }
}

/** Clients of providers, which a project installs if it names a model of theirs. */
const withPeers = (folder: PublishedFolder, parts: ReturnType<typeof partition>) => {
  const { peerDependencies = {}, peerDependenciesMeta } = workspace(folder)
  return {
    ...parts,
    peerDependencies: { ...parts.peerDependencies, ...peerDependencies },
    ...(peerDependenciesMeta === undefined ? {} : { peerDependenciesMeta })
  }
}

/** What packages contain beside their compiled code. */
const besideCode: { readonly [Folder in PublishedFolder]?: ReadonlyArray<string> } = {
  console: ["site"],
  server: ["docs"]
}

/** The manifest of a package that other programs import. */
export const library = (folder: PublishedFolder) => {
  const { dependencies = {}, exports } = workspace(folder)
  return {
    ...common(folder),
    type: "module",
    exports: Object.fromEntries(
      Object.entries(exports).map(([entry, file]) => [entry, file === null ? null : compiled(file)])
    ),
    files: ["dist", ...(besideCode[folder] ?? [])],
    ...(importsNothing.includes(folder) ? asPeers(partition(dependencies)) : withPeers(folder, partition(dependencies)))
  }
}

/** The manifest of the tool, which is one program without dependencies. */
export const tool = () => ({
  ...common("cli"),
  type: "commonjs",
  bin: { svc: "bin.js", svcctl: "bin.js" },
  files: ["*.js", "NOTICES.txt", "templates"]
})

/** The manifest of the package that `npm create` runs. */
export const create = () => {
  const { version } = workspace("cli")
  return {
    ...common("cli"),
    name: createName,
    description: "Creates a project of Svc",
    type: "commonjs",
    bin: { create: "bin.js" },
    files: ["bin.js"],
    dependencies: { [nameOf("cli")]: version }
  }
}
