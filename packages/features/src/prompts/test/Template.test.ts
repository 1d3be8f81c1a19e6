import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Option, Result } from "effect"
import * as Template from "../Template.ts"

Tier.oneIn(2)

const prompts: Readonly<Record<string, string>> = {
  plain: "Be friendly.",
  tone: "Write as {{brand|our shop}} does.",
  needs: "You work for {{brand}}.",
  outer: "{{> needs}} {{> tone}}",
  loop: "{{> loop2}}",
  loop2: "{{> loop}}",
  twice: "{{> twice2}}{{> twice2}}".repeat(20),
  twice2: "{{> plain}}".repeat(20)
}

const partsOf = (text: string, kind: "instructions" | "prompt" = "instructions") =>
  Result.getOrThrow(Template.parse(text, kind))

const lookup: Template.Lookup = ({ name, version }) => {
  const text = prompts[name]
  return text === undefined || (version ?? 1) > 1 ? "unknown" : { version: 1, parts: partsOf(text, "prompt") }
}

const made = (text: string, kind: "instructions" | "prompt" = "instructions") =>
  Template.expand(partsOf(text, kind), lookup)

const refusal = (text: string, kind: "instructions" | "prompt" = "prompt") =>
  Option.getOrUndefined(Result.getFailure(Template.parse(text, kind)))

describe("prompts as texts", () => {
  it.each([
    ["text without braces stays", "Be short.", "Be short."],
    [
      "other braces of instructions are text",
      "Answer {\"a\": {\"b\": 1}} and {{name}}.",
      "Answer {\"a\": {\"b\": 1}} and {{name}}."
    ],
    ["an include", "Hello. {{> plain}}", "Hello. Be friendly."],
    ["a pinned version", "{{> plain@1}}", "Be friendly."],
    ["a default", "{{> tone}}", "Write as our shop does."],
    ["a given value", "{{> tone brand=\"Acme\"}}", "Write as Acme does."],
    ["a value with marks", "{{> tone brand=\"A }} \\\"B\\\"\"}}", "Write as A }} \"B\" does."],
    ["a value is not read again", "{{> tone brand=\"{{> plain}}\"}}", "Write as {{> plain}} does."],
    ["a value for what is included deeper", "{{> outer brand=\"Acme\"}}", "You work for Acme. Write as Acme does."],
    ["the characters themselves", "Write \\{{> name}}.", "Write {{> name}}."]
  ])("the text is made of its parts: %s", (_, text, expected) => {
    const { problems, text: result, unused } = made(text)
    assert.deepStrictEqual([problems, unused, result], [[], [], expected])
  })

  it("a prompt has variables, and braces of JSON", () => {
    const parts = partsOf("{{ a | one two }} {{b}} {\"x\": {}} \\{{c}}", "prompt")
    assert.deepStrictEqual(Template.variablesOf(parts), ["a", "b"])
    assert.strictEqual(Template.expand(parts, lookup).text, "one two  {\"x\": {}} {{c}}")
  })

  it.each<[string, string, string]>([
    ["an open variable", "One\n{{brand", "Line 2: {{ is not followed by the name of a variable and }}"],
    ["a variable that is no name", "{{a b}}", "{{ is not followed by the name of a variable"],
    ["nothing in braces", "{{}}", "{{ is not followed by the name of a variable"],
    ["braces in a default", "{{a|{b}}}", "{{ is not followed by the name of a variable"],
    ["an open include", "{{> tone", "{{> is not followed by the name of a prompt and }}"],
    ["an include in capitals", "{{> Tone}}", "{{> is not followed by the name of a prompt"],
    ["an include that leads elsewhere", "{{> ../a}}", "{{> is not followed by the name of a prompt"],
    ["a name that ends with a hyphen", "{{> tone-}}", "'tone-' cannot be the name of a prompt"],
    ["version 0", "{{> tone@0}}", "'tone@0' is no version"],
    ["a value without marks", "{{> tone brand=Acme}}", "{{> is not followed by the name of a prompt"],
    ["a value twice", "{{> tone a=\"1\" a=\"2\"}}", "'a' is given twice to 'tone'"],
    ["an unknown escape", "{{> tone a=\"\\x\"}}", "the value of 'a' has an unknown \\"]
  ])("%s is refused with what to do", (_, text, expected) => {
    assert.include(refusal(text), expected)
  })

  it.each<[string, string, string]>([
    ["an unknown prompt", "{{> nothing}}", "There is no prompt 'nothing'. Create it first"],
    ["an unknown version", "{{> tone@7}}", "There is no prompt 'tone@7'"],
    ["a circle", "{{> loop}}", "in a circle: loop → loop2 → loop. Remove one"],
    ["too many includes", "{{> twice}}", "includes more than 500 prompts"],
    ["too much text", "{{> plain}}".repeat(2) + "x".repeat(200_000), "more than 200000 characters"]
  ])("%s is a problem of the text", (_, text, expected) => {
    assert.include(made(text).problems[0], expected)
  })

  it("a variable without a value is missing, and a value for no variable is unused", () => {
    assert.strictEqual(
      Template.problemOf(made("{{> outer}}")),
      "The variable 'brand' of the prompt 'needs' has no value. Give it one where the prompt is included, as in " +
        "{{> needs brand=\"text\"}}, or give it a default in the prompt, as in {{brand|text}}"
    )
    assert.deepStrictEqual(made("{{> tone brnad=\"x\"}}").unused, [
      "The prompt 'tone' has no variable 'brnad'. It has: brand"
    ])
  })

  it.each(["{{>", "{{> a ", "{{> a b=\"", "{{> a b=\"\" ", "{{a|"])(
    "a hostile text is refused in a time that grows with its length only: %s",
    (piece) => {
      const length = Math.floor(2000 / piece.length)
      assert.isDefined(refusal(piece.repeat(length)))
      assertLinear(length, (count) => void refusal(piece.repeat(count)))
    }
  )

  it("a prompt of many lines with variables is read in time that grows with it", () => {
    assertLinear(500, (lines) => assert.isTrue(Result.isSuccess(Template.parse("{{a}}\n".repeat(lines), "prompt"))))
  })
})
