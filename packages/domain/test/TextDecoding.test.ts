// Bytes of text files that are not quite UTF-8.
import { assert, describe, it } from "@effect/vitest"
import * as TextDecoding from "../src/TextDecoding.ts"

const latin = (text: string) => Buffer.from(text, "latin1")

describe("the text of bytes", () => {
  it.each([
    ["é ü — Товар 商品"],
    ["Größe: 5 € für Bären"]
  ])("%s stays UTF-8 with a few bytes that are not", (line) => {
    const text = `${line}\n`.repeat(20)
    const bytes = Buffer.concat([Buffer.from(text), latin("it\x92s"), Buffer.from(text)])
    assert.strictEqual(TextDecoding.ofBytes(bytes), `${text}it\ufffds${text}`)
    assert.strictEqual(TextDecoding.ofBytes(bytes, "text/plain; charset=utf-8"), `${text}it\ufffds${text}`)
  })

  it.each(["ä", "€", "😀"])("a text of %s that ends in the middle of a character is UTF-8", (letter) => {
    const bytes = Buffer.from(letter.repeat(5)).subarray(0, -1)
    assert.strictEqual(TextDecoding.ofBytes(bytes), `${letter.repeat(4)}\ufffd`)
  })

  it.each([
    ["one letter before its cut end", Buffer.from("Grüße an Mü").subarray(0, -1), "Grüße an M\ufffd"],
    [
      "one letter, and one byte that is not",
      latin("The caf\xc3\xa9 is open. It\x92s fine."),
      "The café is open. It\ufffds fine."
    ],
    ["a few letters, and one byte that is not", latin(`\x92 ${"\xc3\xa9 ".repeat(7)}`), `\ufffd ${"é ".repeat(7)}`],
    [
      "characters that were lost before",
      Buffer.concat([Buffer.from("Zürich \ufffd ".repeat(5)), latin("\x92")]),
      `${"Zürich \ufffd ".repeat(5)}\ufffd`
    ],
    [
      "lost characters at its cut end",
      Buffer.concat([Buffer.from("Zürich \ufffd"), latin("\xc3")]),
      "Zürich \ufffd\ufffd"
    ]
  ])("a text with %s is UTF-8", (_, bytes, text) => {
    assert.strictEqual(TextDecoding.ofBytes(bytes), text)
  })

  it("a text with a few sequences that are valid by chance is not UTF-8", () => {
    assert.strictEqual(TextDecoding.ofBytes(latin("Ã©tÃ©, café, thé, été, où, là")), "Ã©tÃ©, café, thé, été, où, là")
    assert.strictEqual(TextDecoding.ofBytes(latin("un café")), "un café")
    assert.strictEqual(TextDecoding.ofBytes(latin("DIE «MENÜ»-TASTE")), "DIE «MENÜ»-TASTE")
    assert.strictEqual(TextDecoding.ofBytes(latin("«ÉTÉ»")), "«ÉTÉ»")
    assert.strictEqual(TextDecoding.ofBytes(latin("»TÄTÄ«, Trä")), "»TÄTÄ«, Trä")
  })
})
