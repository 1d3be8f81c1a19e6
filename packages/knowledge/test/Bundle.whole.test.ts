import { assert, describe, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import type * as bundled from "./fixtures/bundled.ts"
import { docx, wordParagraph } from "./fixtures/office.ts"
import { pdf } from "./fixtures/pdf.ts"

const input = {
  service: join(import.meta.dirname, "fixtures", "bundled.ts"),
  "reader-process": join(import.meta.dirname, "..", "src", "reader-process.ts")
}

describe("a bundle with the reader process as its second entry", () => {
  it("the bundle reads documents without packages beside it", async () => {
    const directory = mkdtempSync(join(tmpdir(), "svc-bundle-"))
    try {
      const build = await rolldown({ input, platform: "node", tsconfig: false, logLevel: "silent" })
      await build.write({ dir: directory, format: "esm" })
      await build.close()
      const { read }: typeof bundled = await import(pathToFileURL(join(directory, "service.js")).href)
      assert.deepStrictEqual(await read("a.docx", docx(wordParagraph("Word"))), ["Word"])
      assert.deepStrictEqual(await read("a.pdf", pdf([["Page"]])), ["Page"])
      assert.deepStrictEqual(await read("a.html", Buffer.from("<p>HTML</p>")), ["HTML"])
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  })
})
