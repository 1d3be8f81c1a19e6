// The client alone, in a project of its user.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { nameOf } from "../../../../scripts/publishing.ts"
import { emptyFolder, install, run, write } from "./Consumer.ts"

const read = (...path: ReadonlyArray<string>) => JSON.parse(readFileSync(join(import.meta.dirname, ...path), "utf8"))

const { devDependencies } = read("../../../../package.json")
const { version } = read("../../package.json")

const source = `import { createServer } from "node:http"
import { Svc } from "${nameOf("client")}"

const server = createServer((_, response) => {
  const run = { run_id: "one", status: "COMPLETED", content: "391" }
  response.setHeader("content-type", "application/json").end(JSON.stringify(run))
})
server.listen(0, "127.0.0.1", async () => {
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("no address")
  const run = await new Svc({ baseUrl: \`http://127.0.0.1:\${address.port}\` }).agent("assistant").run("17 times 23?")
  process.stdout.write(String(run.content))
  server.close()
})
`

const compilerOptions = { target: "es2024", strict: true, exactOptionalPropertyTypes: true, noEmit: true }

const project = emptyFolder()

beforeAll(() => {
  write(project, {
    "package.json": JSON.stringify({
      type: "module",
      dependencies: { [nameOf("client")]: version },
      devDependencies: { "@types/node": devDependencies["@types/node"], typescript: devDependencies.typescript }
    }),
    "index.ts": source,
    "page.ts": source.replace(/import .*http"\n/, "").replace(
      /const server[^]*/,
      "export const svc = new Svc({ baseUrl: \"\" })\n"
    ),
    "tsconfig.json": JSON.stringify({
      compilerOptions: { ...compilerOptions, types: ["node"] },
      include: ["index.ts"]
    }),
    "tsconfig.page.json": JSON.stringify({
      compilerOptions: { ...compilerOptions, lib: ["es2024", "dom"], types: [] },
      include: ["page.ts"]
    })
  })
  install(project)
})

describe("the client alone", () => {
  it("no other package is installed with it", () => {
    const [scope = "", name = ""] = nameOf("client").split("/")
    assert.deepStrictEqual(readdirSync(join(project, "node_modules", scope)), [name])
    assert.notInclude(readdirSync(join(project, "node_modules")), "effect")
  })

  it("a program of it runs on plain Node", async () => {
    assert.deepStrictEqual(await run(project, process.execPath, "index.ts"), { code: 0, output: "391" })
  })

  it.each([
    ["nodenext", "nodenext", "tsconfig.json"],
    ["esnext", "bundler", "tsconfig.json"],
    ["esnext", "bundler", "tsconfig.page.json"]
  ])(
    "the types of the client are right with module %s, moduleResolution %s and %s",
    async (module, moduleResolution, config) => {
      const checked = await run(
        project,
        "tsc",
        "-p",
        config,
        "--module",
        module,
        "--moduleResolution",
        moduleResolution
      )
      assert.deepStrictEqual(checked, { code: 0, output: "" })
    }
  )
})
