// The client with Effect in a browser.
import { assert, describe, it } from "@effect/vitest"
import * as Api from "@svc-runtime/features/Api"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const bundle = async (): Promise<string> => {
  const build = await rolldown({
    input: fileURLToPath(new URL("../src/index.ts", import.meta.url)),
    platform: "browser",
    logLevel: "silent"
  })
  const { output } = await build.generate({ format: "es" })
  await build.close()
  return output.map((file) => file.type === "chunk" ? file.code : "").join("\n")
}

describe("the bundle of the client with Effect", () => {
  it("the bundle has the endpoints of the contract, and none of the texts of its document", async () => {
    const code = await bundle()
    assert.include(code, "give_feedback")
    const texts = Object.values(Api.texts).flatMap((each) => Object.values(each.operations))
    assert.isNotEmpty(texts)
    assert.deepStrictEqual(texts.map((each) => each.description).filter((text) => code.includes(text)), [])
  })
})
