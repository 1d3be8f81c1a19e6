// docs/start/first-project.md: its blocks, in a project that the packed tool creates.
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, beforeAll, describe, it } from "vitest"
import { createName } from "../../../../scripts/publishing.ts"
import { emptyFolder, install, run, serve, write } from "./Consumer.ts"

const page = readFileSync(join(import.meta.dirname, "../../../../docs/start/first-project.md"), "utf8")
const [shop = "", more = "", index = "", buy = ""] = Array.from(
  page.matchAll(/^```ts\n([^]*?)^```$/gm),
  ([, block = ""]) => block
)

const folder = emptyFolder()
const project = join(folder, "shop")

beforeAll(async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8"))
  write(folder, { "package.json": JSON.stringify({ dependencies: { [createName]: version } }) })
  install(folder)
  const { code, output } = await run(folder, "create", "shop", "--template", "minimal")
  assert.strictEqual(code, 0, output)
  write(project, {
    "src/shop.ts": `${shop}\n${more}`,
    "src/index.ts": index,
    "src/buy.ts": buy
  })
  install(project)
})

describe("the first project", () => {
  it("the types of the first project are right", async () => {
    assert.deepStrictEqual((await run(project, "tsc")).output, "")
  })

  it("the program buys tea at the service, and is answered about the price", async () => {
    const service = await serve(project, "npm", "start")
    write(project, { "src/buy.ts": buy.replace("http://127.0.0.1:7777", service.url) })
    const { code, output } = await run(project, process.execPath, "src/buy.ts")
    await service.stop()
    assert.strictEqual(code, 0, output)
    assert.match(output, /^PAUSED Charge it\?\nCOMPLETED Charged 4 euros\.\n[^]*says: 4\n/)
  })
})
