import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as RobotsRules from "../src/web/RobotsRules.ts"

const allows = (rules: ReadonlyArray<string>, path: string) =>
  RobotsRules.isAllowed(RobotsRules.parse(rules.join("\n"), "svc"), new URL(path, "https://example.org"))

describe("robots.txt", () => {
  it.each([
    [[], "/a", true],
    [["User-agent: *", "Disallow: /"], "/a", false],
    [["User-agent: *", "Disallow:"], "/a", true],
    [["User-agent: *", "Disallow: /a"], "/b", true],
    [["User-agent: *", "Disallow: /a"], "/ab", false],
    [["user-agent: other", "disallow: /"], "/a", true],
    [["User-agent: *", "Disallow: /", "User-agent: svc", "Disallow: /private"], "/a", true],
    [["User-agent: other", "User-agent: SVC # us", "Disallow: /a # these"], "/a", false],
    [["User-agent: *", "Disallow: /a", "Allow: /a/b"], "/a/b/c", true],
    [["User-agent: *", "Allow: /a", "Disallow: /a"], "/a", true],
    [["User-agent: *", "Disallow: /*.pdf$"], "/x/y.pdf", false],
    [["User-agent: *", "Disallow: /*.pdf$"], "/x/y.pdf?page=1", true],
    [["User-agent: *", "Disallow: /*?session="], "/a?session=1", false],
    [["User-agent: *", "Disallow: /a$"], "/ab", true],
    [["User-agent: *", "Disallow: /a*b*c"], "/a-c-b", true],
    [["User-agent: *", "Disallow: /a*b*c"], "/a-b-c-d", false],
    [["User-agent: *", "Disallow: /*ab$"], "/ab-ab", false],
    [["Disallow: /"], "/a", true]
  ])("the rules %j for %s give %s", (rules, path, expected) => {
    assert.strictEqual(allows(rules, path), expected)
  })

  it("a pattern of many stars is matched in a time that grows with the length of the path only", () => {
    const rules = ["User-agent: *", `Disallow: /${"*a".repeat(240)}*b`]
    assertLinear(500, (length) => assert.isTrue(allows(rules, `/${"a".repeat(length)}`)))
  })
})
