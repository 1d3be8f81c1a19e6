// The built site of the documents. The generator is installed first, if it is missing.
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Contents from "../../../../scripts/site/Contents.ts"

const root = join(import.meta.dirname, "../../../..")

const build = (...args: ReadonlyArray<string>): string =>
  execFileSync(process.execPath, [join(root, "scripts", "docs.ts"), "build", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"]
  })

describe("npm run docs:build", () => {
  it("a published version has each page as html and as text, lists for models, and drawings without a program", () => {
    const directory = mkdtempSync(join(tmpdir(), "site-"))
    build("--publish", directory, "/svc/", "v9.8.7")
    const read = (path: string) => readFileSync(join(directory, path), "utf8")
    for (const { path } of Contents.read(join(root, "docs")).flatMap(({ pages }) => Contents.all(pages))) {
      const html = path.replace(/README\.md$/, "index.md").replace(/md$/, "html")
      for (const file of [path, html]) assert.isTrue(existsSync(join(directory, "v9.8", file)), file)
      assert.include(read("llms.txt"), `(/svc/v9.8/${path})`)
      assert.include(read("llms-full.txt"), `Page: ${path}`)
    }
    assert.deepStrictEqual(JSON.parse(read("versions.json")), [{ name: "v9.8", path: "/svc/v9.8/" }])
    assert.include(read("index.html"), "url=/svc/v9.8/")
    const page = read("v9.8/concepts/pause.html")
    assert.match(page, /<div class="diagram"><svg/)
    assert.notInclude(page, "googleapis")
    assert.match(page, /<a [^>]*href="https:\/\/github\.com\/svc-runtime\/svc\/edit\/main\/docs\/concepts\/pause\.md"/)
    assert.isNotEmpty(globSync("v9.8/assets/chunks/*localSearchIndex*", { cwd: directory }))
  }, 300_000)
})
