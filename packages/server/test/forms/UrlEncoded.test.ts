import { assert, describe, it } from "@effect/vitest"
import * as UrlEncoded from "@svc-runtime/http/forms/FormEncodings"

const parse = (text: string) => UrlEncoded.parsePairs(Buffer.from(text))

describe("a url-encoded form", () => {
  it.each<readonly [string, ReadonlyArray<readonly [string, string]>]>([
    ["message=Größe+100%25+%F0%9F%98%80 😀", [["message", "Größe 100% 😀 😀"]]],
    ["?a=1&a=2&&b&=c&d=e=f", [["?a", "1"], ["a", "2"], ["b", ""], ["", "c"], ["d", "e=f"]]],
    ["a=%zz%4&b=%C3&c=%00", [["a", "%zz%4"], ["b", "\ufffd"], ["c", "\0"]]],
    ["", []]
  ])("the form %s has the fields %j", (text, fields) => {
    assert.deepStrictEqual(parse(text), fields)
  })
})
