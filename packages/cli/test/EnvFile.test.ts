import { assert, describe, it } from "@effect/vitest"
import { valueIn } from "../src/discovery/EnvFile.ts"

const cases: ReadonlyArray<readonly [rule: string, text: string, value: string]> = [
  ["a plain value", "URL=http://a", "http://a"],
  ["blanks around", "  URL =  http://a  \r\n", "http://a"],
  ["an export", "export URL=http://a\nexport\tOTHER=b", "http://a"],
  ["a byte order mark", "\uFEFFURL=http://a", "http://a"],
  ["comment lines and empty lines", "# URL=http://b\n\n#\nURL=http://a", "http://a"],
  ["single quotes, whatever follows them", "URL='http://a' # b", "http://a"],
  ["double quotes with a # in them", "URL=\"http://a #1\"b", "http://a #1"],
  ["no escapes in quotes", "URL=\"a\\\"b\"", "a\\"],
  ["a quote that does not end", "URL='http://a", "'http://a"],
  ["a comment after a blank", "URL=http://a #b", "http://a"],
  ["a comment after a tab", "URL=http://a\t#b", "http://a"],
  ["a # inside of a value", "URL=http://a#b", "http://a#b"],
  ["a comment instead of a value", "URL= # none", ""],
  ["the last of several", "URL=http://a\nURL=http://b", "http://b"],
  ["an empty one that clears those before", "URL=http://a\nURL=", ""],
  ["no interpolation", "PORT=1\nURL=http://a:${PORT}", "http://a:${PORT}"],
  ["another variable whose name ends the same", "MY_URL=http://a", ""],
  ["an = in the value", "URL=http://a?b=c", "http://a?b=c"]
]

describe("EnvFile", () => {
  for (const [rule, text, value] of cases) {
    it(`an env file is read by this rule: ${rule}`, () => assert.strictEqual(valueIn(text, "URL"), value))
  }
})
