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

describe("texts from clients", () => {
  const text = "Der Grüne Bär läuft über die Straße"
  const latin = Buffer.from(text, "latin1").toString("base64")
  const declared = Buffer.from("\xe4\xf6", "latin1").toString("base64")

  it("a text that is not UTF-8 is read by its bytes, or in the charset that it declares", () => {
    for (
      const [file, expected] of [
        [{ url: `data:text/plain;base64,${latin}` }, text],
        [{ url: `data:text/plain;base64,${latin}`, mediaType: "text/plain" }, text],
        [{ url: `data:text/plain;charset=koi8-r;base64,${declared}`, mediaType: "text/plain" }, "ДЖ"],
        [{ url: `data:text/plain;base64,${Buffer.from(`\ufeff${text}`, "utf16le").toString("base64")}` }, text],
        [{ url: `data:text/plain;base64,${Buffer.from(text).toString("base64")}` }, text]
      ] as const
    ) {
      assert.strictEqual(InputMedia.of([file]).files?.[0]?.content, expected)
    }
  })
})
