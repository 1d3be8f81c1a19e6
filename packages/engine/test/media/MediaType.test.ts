// The types of media, as models, tools and MCP servers name them.
import { assert, describe, it } from "@effect/vitest"
import * as Growth from "@svc-runtime/test-support/Growth"
import * as GeneratedMedia from "../../src/media/GeneratedMedia.ts"

const typeOf = (mime_type: string) => GeneratedMedia.named({ mime_type, bytes: new Uint8Array() })

describe("the type of a medium", () => {
  it("a type is kept with its parameters, in one form", () => {
    assert.deepStrictEqual(typeOf(" Audio/L16 ; rate=24000"), { mime_type: "audio/l16;rate=24000", format: "l16" })
    assert.deepStrictEqual(typeOf("no type"), { mime_type: "application/octet-stream" })
  })

  it("a type of many spaces is read in time proportional to its size", () => {
    Growth.assertLinear(20_000, (size) => void typeOf(`a/b${" ".repeat(size)}c`))
  })
})
