// A project that the packed tool creates: its own commands work at once.
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { createName } from "../../../../scripts/publishing.ts"
import { emptyFolder, install, run, serve, write } from "./Consumer.ts"

const folder = emptyFolder()
const project = join(folder, "mine")

beforeAll(async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"))
  write(folder, { "package.json": JSON.stringify({ dependencies: { [createName]: version } }) })
  install(folder)
  const { code, output } = await run(folder, "create", "mine", "--template", "minimal", "--json")
  assert.strictEqual(code, 0, output)
  assert.deepStrictEqual(JSON.parse(output), { path: project, template: "minimal" })
  install(project)
})

describe("a created project", () => {
  it("the types of the project are right", async () => {
    assert.strictEqual((await run(project, "npm", "run", "check")).code, 0)
  })

  it("the test of the project passes", async () => {
    const { code, output } = await run(project, "npm", "test")
    assert.strictEqual(code, 0, output)
    assert.match(output, /pass 1\b/)
  })

  it("the documents are in the project, and its tool searches them", async () => {
    const { code, output } = await run(project, "svc", "docs", "backup and restore", "--json", "--limit", "5")
    assert.strictEqual(code, 0, output)
    const found = JSON.parse(output).results.map(({ path }: { path: string }) => path)
    assert.include(found, "operate/upgrading.md#backup")
    const documents = join(project, "node_modules/@svc-runtime/server/docs")
    const page = readFileSync(join(documents, "operate/upgrading.md"), "utf8")
    assert.include(page, "## Backup")
    assert.notInclude(page, "](../../packages", "a link leads to a file of the repository")
    const README = "node_modules/@svc-runtime/server/README.md"
    assert.include(readFileSync(join(project, README), "utf8"), "node_modules/@svc-runtime/server/docs")
  })

  it("npm start serves the agent of the project, ends with npm and keeps compiled code", async () => {
    const service = await serve(project, "npm", "start")
    const response = await fetch(`${service.url}/agents`)
    assert.include(await response.text(), "Answers questions about the weather.")
    const { output } = await service.stopFirstProcess()
    assert.include(output, "Stopping", "the service ends when npm alone gets the signal")
    assert.isNotEmpty(readdirSync(join(project, "node_modules/.cache/compiled")), "compiled code is kept")
  })

  it("npm run dev restarts the service when a file changes", async () => {
    const service = await serve(project, "npm", "run", "dev")
    const file = join(project, "src", "assistant.ts")
    writeFileSync(file, readFileSync(file, "utf8").replace("Answers questions", "Answers all questions"))
    const url = await service.restarted()
    assert.include(await (await fetch(`${url}/agents`)).text(), "Answers all questions about the weather.")
    await service.stop()
  })
})
