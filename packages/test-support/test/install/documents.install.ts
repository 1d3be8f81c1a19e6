// The TypeScript samples of the documents for users, in a project that the packed tool creates.
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { createName } from "../../../../scripts/publishing.ts"
import { emptyFolder, install, run, write } from "./Consumer.ts"

const packages = join(import.meta.dirname, "../../..")
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** The packages whose documents are for contributors. */
const forContributors = ["server", "test-support"]

/** The samples by their paths in the project. */
const samples = Object.fromEntries(
  globSync("*/test/documents/**/*.ts", { cwd: packages })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => !forContributors.includes(path.split("/")[0] ?? ""))
    .map((path) => [`src/documents/${path.replace("test/documents/", "")}`, readFileSync(join(packages, path), "utf8")])
)

/** What pages ask their readers to install beside the dependencies of the project. */
const installed = ["@ai-sdk/openai", "@effect/platform-node", "ai", "effect"]

const folder = emptyFolder()
const project = join(folder, "mine")

beforeAll(async () => {
  const { version } = manifestOf(join(packages, "test-support"))
  write(folder, { "package.json": JSON.stringify({ dependencies: { [createName]: version } }) })
  install(folder)
  const { code, output } = await run(folder, "create", "mine", "--template", "minimal")
  assert.strictEqual(code, 0, output)
  const manifest = manifestOf(project)
  const { dependencies } = manifestOf(join(packages, "examples"))
  write(project, {
    "package.json": JSON.stringify({
      ...manifest,
      dependencies: {
        ...manifest.dependencies,
        ...Object.fromEntries(installed.map((name) => [name, dependencies[name]]))
      }
    }),
    ...samples
  })
  install(project)
})

describe("the documents for users", () => {
  it("the types of all samples are right in a created project", async () => {
    assert.isAbove(Object.keys(samples).length, 40)
    assert.deepStrictEqual(await run(project, "npm", "run", "-s", "check"), { code: 0, output: "" })
  })
})
