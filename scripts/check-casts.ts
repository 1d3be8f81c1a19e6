// Refuses `as unknown as` in the code of packages: such a cast says that the compiler is wrong, and nothing checks it.
// A guard, a schema or a better type says the same and is checked. The list has the casts without a better type.
import { report, sourceFiles } from "./Problems.ts"

/** The number of casts in a file, and why there is no type for them. */
const allowed: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  "packages/cli/src/NodeHttp.ts": [1, "a real web response would load all of fetch"],
  "packages/features/src/Feature.ts": [1, "features in one list have no common type of settings and services"],
  "packages/features/src/components/StoredListing.ts": [1, "a component without a usable config has no details"],
  "packages/http/src/forms/FormFields.ts": [1, "the schema has the fields that a request happens to give"],
  "packages/models/src/Model.ts": [1, "the overloads of the library separate requests that are the same at run time"],
  "packages/postgres/src/pglite/pgliteModule.ts": [2, "the library does not publish the types of its module"],
  "packages/server/src/mcp/tools/RunResult.ts": [1, "one of two schemas, whose results belong to it"]
}

/** Also when the unknown value is in a list: `as ReadonlyArray<unknown> as`. */
const cast = /\bas\s+(?:[\w.]+<)*(?:any|never|unknown)>*\s+as\b/g

const found = sourceFiles(["packages/*/src/**/*.{ts,tsx}"])
  .filter(({ name }) => !name.includes("/test/"))
  .map(({ name, text }) => ({ name, count: text.match(cast)?.length ?? 0 }))

const counts = new Map(found.map(({ count, name }) => [name, count]))

const added = found.flatMap(({ count, name }) => {
  const [known = 0] = allowed[name] ?? []
  return count > known ? [`${name} has ${count} casts by way of unknown, and ${known} are allowed`] : []
})

const gone = Object.entries(allowed).flatMap(([name, [known]]) => {
  const count = counts.get(name) ?? 0
  return count < known ? [`${name} has ${count} casts by way of unknown: correct the list, which has ${known}`] : []
})

report([...added, ...gone], "Use a guard, a schema or a better type. The list is in scripts/check-casts.ts.")
