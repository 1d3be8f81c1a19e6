// A project that was installed without optional packages, as by `npm install --omit=optional`.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { nameOf } from "../../../../scripts/publishing.ts"
import { emptyFolder, install, run, serve, write } from "./Consumer.ts"

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"))

const project = emptyFolder()
const modules = join(project, "node_modules")

const leaveOut = (name: string): void => {
  const folder = join(modules, name)
  assert.isTrue(existsSync(folder), name)
  rmSync(folder, { recursive: true })
}

beforeAll(() => {
  write(project, {
    "package.json": JSON.stringify({ type: "module", dependencies: { [nameOf("server")]: version } }),
    "index.js": `import { Agent, Knowledge, serve } from "${nameOf("server")}"
const knowledge = Knowledge.make({ name: "handbook", description: "How we work" })
serve({ agents: [Agent.make({ id: "assistant", knowledge })] })
`
  })
  install(project)
})

const optionalOf = (name: string): ReadonlyArray<string> =>
  Object.keys(JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8")).optionalDependencies)

describe("a service without optional packages", () => {
  it("a document whose reader is left out is refused with the reason, and texts are read", async () => {
    optionalOf(nameOf("knowledge")).forEach(leaveOut)
    const service = await serve(project, process.execPath, "index.js")
    const read = async (name: string): Promise<unknown> => {
      const body = new FormData()
      body.set("file", new Blob(["a,b\n1,2\n"]), name)
      const { id } = await (await fetch(`${service.url}/knowledge/content`, { method: "POST", body })).json() as {
        readonly id: string
      }
      for (;;) {
        const status = await (await fetch(`${service.url}/knowledge/content/${id}/status`)).json() as {
          readonly status: string
          readonly status_message: string
        }
        if (status.status !== "processing") return [status.status, status.status_message]
      }
    }
    assert.strictEqual((await read("a.md") as ReadonlyArray<string>)[0], "completed")
    assert.deepStrictEqual(await read("a.csv"), [
      "failed",
      "Content could not be read: The service was installed without optional packages, which CsvReader needs"
    ])
    await service.stop()
  })

  it("a service without an embedded database says so at the start", async () => {
    optionalOf(nameOf("postgres")).forEach(leaveOut)
    assert.deepStrictEqual(readdirSync(join(modules, "@electric-sql")), [])
    const { code, output } = await run(project, process.execPath, "index.js")
    assert.strictEqual(code, 1)
    assert.include(output, "its packages are not installed. Set DATABASE_URL to a PostgreSQL")
  })
})
