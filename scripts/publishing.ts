// What is published, and under which names. The name `svc` belongs to another project on npm. Nothing is published yet.
// Sources name the packages `@svc-runtime/…`; packing renames this scope (release/Scope.ts), so it is chosen here
// alone.
const scope = "@svc-runtime"

/** By folder under packages. The names of the program stay `svc` and `svcctl`. */
export const publishedNames = {
  api: `${scope}/api`,
  auth: `${scope}/auth`,
  cli: `${scope}/cli`,
  client: `${scope}/client`,
  console: `${scope}/console`,
  domain: `${scope}/domain`,
  fetch: `${scope}/fetch`,
  knowledge: `${scope}/knowledge`,
  models: `${scope}/models`,
  protocols: `${scope}/protocols`,
  runtime: `${scope}/runtime`,
  server: `${scope}/server`,
  storage: `${scope}/storage`,
  telemetry: `${scope}/telemetry`,
  // `testing` is the name of the project's own tests, which are private
  testkit: `${scope}/testing`
} as const

export type PublishedFolder = keyof typeof publishedNames

/** Published packages that other programs import. The tool is published as one program. */
export const libraries = (Object.keys(publishedNames) as ReadonlyArray<PublishedFolder>)
  .filter((folder) => folder !== "cli")

/** The package that `npm create` runs for the scope. It starts `svc create`. */
export const createName = `${scope}/create`

/** Provenance requires that the packages name the repository which publishes them. */
export const repository = "https://github.com/svc-runtime/svc"

/** Folders that are never published. */
export const privateFolders: ReadonlyArray<string> = ["bench", "examples", "testing"]
