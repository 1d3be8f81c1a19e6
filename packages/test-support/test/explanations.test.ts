// Each code of an error that the sources have is explained: docs/errors, and `svc explain`.
import { assert, describe, it } from "@effect/vitest"
import type { Application } from "@svc-runtime/server"
import type { Layer } from "effect"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { oauth, responses, runs, starts } from "../../../scripts/Explanations.ts"
import { codes as oauthCodes } from "../../auth/src/oauth/OAuthError.ts"

const root = join(import.meta.dirname, "..", "..", "..")

const sources = globSync("packages/*/src/**/*.ts", { cwd: root }).map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !/\/(?:test|generated|examples|bench|test-support|cli|client|console)\//.test(path))
  .map((path) => readFileSync(join(root, path), "utf8"))

const found = (pattern: RegExp): ReadonlyArray<string> =>
  [
    ...new Set(sources.flatMap((text) => Array.from(text.matchAll(pattern), ([, name = ""]) => name)))
  ].toSorted()

const unexplained = (codes: ReadonlyArray<string>, explained: object) =>
  codes.filter((code) => !Object.hasOwn(explained, code))

type Failure = Layer.Error<ReturnType<typeof Application.make>>

describe("codes of errors", () => {
  it("each code of a response is explained", () => {
    const codes = [
      ...found(/error_code: "([A-Z_]+)"/g),
      ...found(/\bbody\("\w+", "([A-Z_]+)"\)/g),
      ...found(/\berrorResponse\(\s*\d{3},\s*"([A-Z_]+)"/g),
      ...found(/^ {2}[45]\d\d: "([A-Z_]+)",?$/gm),
      ...found(/\[[45]\d\d, "([A-Z_]+)"/g)
    ]
    assert.includeMembers(codes, ["CONFLICT", "METHOD_NOT_ALLOWED", "NOT_IMPLEMENTED", "VALIDATION_ERROR"])
    assert.deepStrictEqual(unexplained(codes, responses), [])
  })

  it("each type of the error of a run is explained", () => {
    const types = found(/\berror_type(?::|\(\):| = )([^;{}\n]*"\w+"[^;{}\n]*)/g)
      .flatMap((line) => Array.from(line.matchAll(/(?<!=== |\()"(\w+)"/g), ([, type = ""]) => type))
      // the example of the description of the API
      .filter((type) => type !== "model_error")
    assert.includeMembers(types, ["TimeoutError", "model_authentication_error", "output_check_error"])
    // a step can name a component at run time too, which stops the start if a component is known then
    assert.deepStrictEqual(unexplained(types, { ...starts, ...runs }), [])
  })

  it("each error that stops a start is explained, and each code of the system that has a sentence", () => {
    // the compiler refuses this list if the application can fail with another error
    const tags: Record<Failure["_tag"], true> = {
      CircularWorkflows: true,
      ConflictingDatabases: true,
      DataDirectoryInUse: true,
      DataDirectoryUnusable: true,
      DatabaseUnreachable: true,
      DuplicateIds: true,
      DuplicateKnowledge: true,
      EmbeddedDatabaseFailed: true,
      FactoryReference: true,
      InvalidConfig: true,
      InvalidDatabaseUrl: true,
      InvalidDeclarations: true,
      KeysUnusable: true,
      MigrationError: true,
      SandboxMissing: true,
      SchemaTooNew: true,
      SchemaTooOld: true,
      ServeError: true,
      SqlError: true,
      StorageUnavailable: true,
      UnknownReference: true
    }
    const ofSystem = found(/case "(E[A-Z_]+)":\s*(?:case "E[A-Z_]+":\s*)?return `/g)
    assert.include(ofSystem, "EADDRINUSE")
    assert.deepStrictEqual(unexplained([...Object.keys(tags), ...ofSystem, "Mistake"], starts), [])
  })

  it("each error of the authorization server is explained", () => {
    assert.deepStrictEqual(Object.keys(oauth).toSorted(), [...oauthCodes].toSorted())
  })
})
