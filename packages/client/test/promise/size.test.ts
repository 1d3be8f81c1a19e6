// The client without Effect in a browser.
import { assert, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

const bundle = async () => {
  const build = await rolldown({
    input: fileURLToPath(new URL("../../src/promise/index.ts", import.meta.url)),
    platform: "browser"
  })
  const { output } = await build.generate({ format: "es", minify: true })
  await build.close()
  return output
}

describe("the bundle of the client without Effect", () => {
  it("everything is below 15 KB with gzip, in one file without imports", async () => {
    const output = await bundle()
    assert.lengthOf(output, 1)
    const [{ code, imports }] = output
    assert.deepStrictEqual(imports, [])
    assert.isBelow(gzipSync(code).length, 15_000)
    process.stdout.write(`${code.length} bytes, ${gzipSync(code).length} with gzip\n`)
  })
})
