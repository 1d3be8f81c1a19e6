// A text that is shown while it arrives: the same as the whole of it, whatever the parts, and no match is ever shown.
import { assert, describe, it } from "@effect/vitest"
import { texts as labelled } from "@svc-runtime/test-support/guardrails/Texts"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as Findings from "../../src/guardrail/Finding.ts"
import * as PartialMatch from "../../src/guardrail/PartialMatch.ts"
import * as PersonalData from "../../src/guardrail/PersonalData.ts"
import * as Secrets from "../../src/guardrail/Secrets.ts"
import * as TextWindow from "../../src/guardrail/TextWindow.ts"
import { found, maskedIn } from "./Looking.ts"
import * as Samples from "./samples.ts"

Tier.oneIn(3)

const personal = PersonalData.types.flatMap((type) => PersonalData.byType[type])
const sets = { pii: personal, secrets: Secrets.patterns, both: [...personal, ...Secrets.patterns] }

const maskOf = (type: string): string => `[${type}]`

type Random = (below: number) => number

const randomOf = (name: string): Random => {
  const next = Seed.random(name)
  return (below) => Math.floor(next() * below)
}

const planted = [
  ...[...Samples.personalData, ...Samples.secrets].map(({ text }) => text),
  ...labelled.pii.bad,
  ...labelled.pii.good,
  ...labelled.secrets.bad,
  ...labelled.secrets.good
]

const fillers = [
  ..." \n.,:;-+/@()=\"'0123456789",
  "é",
  "👍",
  "\u200B",
  "４",
  "⒈",
  "\u00A0",
  "-----",
  "password: ",
  "eyJ",
  "sk-",
  "https://a:",
  " and so on ",
  " word",
  "+49 ",
  "DE",
  "x@y.",
  "-----BEGIN PRIVATE KEY-----\n",
  "A".repeat(45)
]

const pick = <A>(random: Random, list: ReadonlyArray<A>): A => list[random(list.length)] as A

const textOf = (random: Random): string => {
  let text = "It is "
  for (let count = random(30); count > 0; count--) {
    const piece = random(3) === 0 ? pick(random, planted) : pick(random, fillers)
    // a planted text may be cut, which leaves the beginning or the end of a match
    const cut = random(4) === 0 ? random(piece.length + 1) : 0
    text += random(2) === 0 ? piece.slice(cut) : piece.slice(0, piece.length - cut)
  }
  return text
}

const cutsOf = (random: Random, text: string): ReadonlyArray<string> => {
  const parts: Array<string> = []
  const longest = 1 + random(40)
  for (let at = 0; at < text.length;) {
    const length = 1 + random(longest)
    parts.push(text.slice(at, at + length))
    at += length
  }
  return parts
}

const cases = Tier.size(400, 8000)

const each = (check: (text: string, parts: ReadonlyArray<string>, name: keyof typeof sets, say: string) => void) => {
  for (let index = 0; index < cases; index++) {
    const random = randomOf(`text ${index}`)
    const text = textOf(random)
    const name = pick(random, Object.keys(sets) as Array<keyof typeof sets>)
    check(text, cutsOf(random, text), name, `SVC_TEST_SEED=${Seed.seed} text ${index} ${name} ${JSON.stringify(text)}`)
  }
}

describe("a text that is shown while it arrives", () => {
  it("random texts in random parts are masked as the whole of them is", () => {
    each((text, parts, name, say) => {
      const window = TextWindow.ofPatterns({ patterns: sets[name], maskOf })()
      const whole = maskedIn(sets[name], text, maskOf)
      let shown = ""
      for (const part of parts) {
        shown += window.add(part)
        // what was shown stays
        assert.isTrue(whole.startsWith(shown), `${say}: ${JSON.stringify(shown)}`)
      }
      assert.strictEqual(shown + window.end(), whole, say)
    })
  })

  it("random texts that are blocked are shown up to the first match, and not a character of it", () => {
    each((text, parts, name, say) => {
      const window = TextWindow.ofPatterns({ patterns: sets[name], maskOf: undefined })()
      const shown = parts.map((part) => window.add(part)).join("") + window.end()
      const starts = found(sets[name], text).map(({ start }) => start)
      assert.strictEqual(window.isBlocked(), starts.length > 0, say)
      assert.strictEqual(shown, text.slice(0, Math.min(text.length, ...starts)), say)
    })
  })

  it("words are shown one word late, and a number of a card when it has ended", () => {
    const window = TextWindow.ofPatterns({ patterns: sets.both, maskOf })()
    const words = "The card is 4111 1111 1111 1111 and the rest follows".split(/(?= )/)
    const shown = words.map((word) => window.add(word))
    assert.deepStrictEqual([...shown, window.end()], [
      "",
      "The ",
      "card ",
      "is ",
      "",
      "",
      "",
      "[card] ",
      "and ",
      "the ",
      "rest ",
      "follows"
    ])
  })

  it("a text that begins as JSON is shown at its end, and a link or a list is not held back", () => {
    const firstOf = (text: string) => {
      const window = TextWindow.ofPatterns({ patterns: sets.both, maskOf })()
      return [...text].map((part) => window.add(part)).join("")
    }
    assert.strictEqual(firstOf("{\"a\": \"b\"} and so on"), "")
    assert.strictEqual(firstOf(" [\"a\", \"b\"] and so on"), "")
    assert.strictEqual(firstOf("[here](https://example.org) and "), "[here](https://example.org) and ")
    assert.strictEqual(firstOf("{name} is "), "{name} is ")
  })

  it("the time for a text grows with its length, also where all of it is held back", () => {
    const millisOf = (text: string) => {
      const window = TextWindow.ofPatterns({ patterns: sets.both, maskOf })()
      const begun = performance.now()
      for (let at = 0; at < text.length; at += 4) window.add(text.slice(at, at + 4))
      window.end()
      return performance.now() - begun
    }
    for (
      const text of [
        `sk-${"a".repeat(60_000)}`,
        `-----BEGIN PRIVATE KEY-----\n${"A".repeat(3000)} ----- ${"a b ".repeat(5000)}`,
        `-----BEGIN PRIVATE KEY-----\n${"A".repeat(60_000)}`,
        "eyJ".repeat(20_000),
        "a@".repeat(20_000),
        "4 ".repeat(30_000)
      ]
    ) assert.isBelow(millisOf(text), 5000, text.slice(0, 40))
  })
})

describe("the end of a text that may become a match", () => {
  const begun = (pattern: RegExp, text: string) => PartialMatch.of(pattern).exec(text)?.index

  it("what may become a match begins where a match may begin", () => {
    assert.strictEqual(begun(/ab{2,3}c/g, "abc ab"), 4)
    assert.strictEqual(begun(/ab{2,3}c/g, "ab abbc"), 3)
    assert.strictEqual(begun(/ab{2,3}c/g, "abbbb"), 5)
    assert.strictEqual(begun(/\b(?:one|two) \d+(?!x)/g, "a two"), 2)
    assert.strictEqual(begun(/(?<=key: )[^\s"]{3}(?=@)/g, "key: abc"), 5)
    assert.isUndefined(begun(/(?<=key: )[^\s"]{3}(?=@)/g, "key: abcd"))
  })

  it("all patterns of guardrails have one", () => {
    for (const { pattern } of sets.both) assert.match(pattern.source, /^(?!.*(?:\\\d|\\k<|\(\?![^)]*\(\?!))/)
  })

  it("each beginning of a match is one, whatever stood before it", () => {
    for (const { text } of [...Samples.personalData, ...Samples.secrets]) {
      for (const pattern of sets.both) {
        const match = Findings.next(pattern, text, 0)
        if (match === undefined) continue
        for (let end = match.start + 1; end < match.start + match.length; end++) {
          assert.isAtMost(begun(pattern.pattern, text.slice(0, end)) ?? end, match.start)
        }
      }
    }
  })
})
