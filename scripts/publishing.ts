// Which packages are published. A package has one name, here and on npm. The name `svc` belongs to another project on
// npm. Nothing is published yet.
const scope = "@svc-runtime"

/** The folders under packages that are published. The names of the program stay `svc` and `svcctl`. */
export const published = [
  "agents",
  "api",
  "auth",
  "channels",
  "cli",
  "client",
  "console",
  "domain",
  "engine",
  "features",
  "fetch",
  "http",
  "knowledge",
  "models",
  "postgres",
  "protocols",
  "react",
  "server",
  "telemetry",
  "testing"
] as const

export type PublishedFolder = (typeof published)[number]

/** The folders that are never published. */
export const privateFolders: ReadonlyArray<string> = ["bench", "examples", "test-support"]

/** The name of the package in a folder. */
export const nameOf = <const Folder extends string>(folder: Folder) => `${scope}/${folder}` as const

/** Published packages that other programs import. The tool is published as one program. */
export const libraries = published.filter((folder) => folder !== "cli")

/** The package that `npm create` runs for the scope. It starts `svc create`. */
export const createName = nameOf("create")

/** Provenance requires that the packages name the repository which publishes them. */
export const repository = "https://github.com/svc-runtime/svc"
