// Every port of a store has one suite, which runs over each implementation: the store in memory, and the SQL store on
// the embedded database and on a PostgreSQL. The ports are those of the engine, of all features, and of `auth`.
import { assert, describe, it } from "@effect/vitest"
import { OAuthStore, ServiceAccountStore } from "@svc-runtime/auth"
import * as Stores from "@svc-runtime/engine/database/Stores"
import * as Features from "@svc-runtime/features/features"
import { Context } from "effect"
import { globSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"

const root = join(import.meta.dirname, "..", "..", "..")

/** A port without an implementation in memory: the double does nothing, and no service of a test uses it. */
const withoutDouble: Readonly<Record<string, string>> = {
  RetentionStore: "nothing of a test is old enough to be removed. RetentionSuite.ts runs over the SQL stores."
}

const namesOfPorts = [
  ...Object.values(
    Stores.servicesIn(Context.make(Stores.StoreNames, Features.storeNames(Features.features)))
  ),
  OAuthStore,
  ServiceAccountStore
].map(({ key }) => basename(key)).filter((name) => !(name in withoutDouble)).toSorted()

const testFiles = globSync("packages/**/test/**/*.test.ts", { cwd: root, exclude: ["**/node_modules/**"] })
  .map((file) => readFileSync(join(root, file), "utf8"))

/** `everyStore` runs the suite over each implementation. A suite of other arguments is called for each by its file. */
const isExecuted = (port: string): boolean => {
  const [every, memory, database] = [
    `everyStore\\(${port}Suite\\.suite\\b`,
    `\\b${port}Suite\\.suite\\(\\s*"in memory"`,
    `everyDatabase\\(\\s*\\(name, database\\) =>\\s*${port}Suite\\.suite\\(name,`
  ].map((pattern) => new RegExp(pattern))
  return testFiles.some((text) => every?.test(text) || (memory?.test(text) && database?.test(text)))
}

describe("the suites of stores", () => {
  it("there are ports of the engine, of features and of auth", () => {
    assert.includeMembers(namesOfPorts, ["RunStore", "SessionStore", "OAuthStore"])
  })

  for (const port of namesOfPorts) {
    it(`${port} has a suite that runs over each implementation`, () => {
      assert.isTrue(isExecuted(port))
    })
  }
})
