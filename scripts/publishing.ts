// What each package is called on npm. The name `svc` belongs to another project there. Nothing is published yet, and
// every package.json is private until its first release. Sources say `@svc/…` until then: the scope is renamed in the
// whole repository before the first release, because aliases of npm would install a package twice.
const scope = "@svc-runtime"

/** By folder under packages. The names of the program stay `svc` and `svcctl`. */
export const publishedNames = {
  api: `${scope}/api`,
  auth: `${scope}/auth`,
  cli: `${scope}/cli`,
  client: `${scope}/client`,
  domain: `${scope}/domain`,
  fetch: `${scope}/fetch`,
  knowledge: `${scope}/knowledge`,
  models: `${scope}/models`,
  protocols: `${scope}/protocols`,
  runtime: `${scope}/runtime`,
  server: `${scope}/server`,
  storage: `${scope}/storage`,
  telemetry: `${scope}/telemetry`
} as const

/** Folders that are never published. */
export const privateFolders: ReadonlyArray<string> = ["bench", "examples", "testing"]
