import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as InputMedia from "../../src/run/InputMedia.ts"

describe("base64 from clients", () => {
  it("lines, missing padding and the alphabet of addresses are accepted, and other characters are not", () => {
    for (const text of ["", "QUJD", "QUI=", "QQ==", "QQ", "QU\r\nJD\r\n", "QQ==\n", "-_-_"]) {
      assert.isTrue(InputMedia.isBase64(text), JSON.stringify(text))
    }
    for (const text of ["Q!", "QQ===", "QQ==A", "=\nA", "Q Q", "ä"]) {
      assert.isFalse(InputMedia.isBase64(text), JSON.stringify(text))
    }
  })

  it("a text of line breaks is refused in time linear in its length", () => {
    for (const end of ["!", "=!", "\n="]) {
      assertLinear(5000, (size) => void InputMedia.isBase64("\n".repeat(size) + end))
    }
  })
})
