// Guardrails that would check nothing, or refuse everything.
import { assert, describe, it } from "@effect/vitest"
import { areRefused, untyped } from "./Mistaken.ts"

const { Guardrail } = untyped
const moderated = (options: object) => () => Guardrail.moderation({ apiKey: "key", ...options })

describe("guardrails that would check nothing", () => {
  areRefused([
    [
      "no types",
      () => Guardrail.pii({ types: [] }),
      "Guardrail.pii checks nothing, because types is an empty list. Leave it out, or name one"
    ],
    ...(["pii", "secrets", "promptInjection"] as const).map((name) =>
      [
        `no places of ${name}`,
        () => Guardrail[name]({ on: [] }),
        `Guardrail.${name} checks nothing, because on is an empty list. Leave it out, or name one`
      ] as const
    ),
    [
      "no places of length",
      () => Guardrail.length({ max: 5, on: [] }),
      "Guardrail.length checks nothing, because on is an empty list. Leave it out, or name one"
    ],
    [
      "no categories",
      moderated({ categories: [] }),
      "Guardrail.moderation checks nothing, because categories is an empty list. Leave it out, or name one"
    ],
    [
      "no text of a length",
      () => Guardrail.length({ min: 5, max: 1 }),
      "Guardrail.length refuses every text: its min is 5, and its max is 1"
    ],
    [
      "no languages",
      () => Guardrail.language({}),
      "Guardrail.language has no allowed. Give it languages, such as ['en']"
    ],
    [
      "an empty list of languages",
      () => Guardrail.language({ allowed: [] }),
      "Guardrail.language has no allowed. Give it languages, such as ['en']"
    ],
    [
      "a topic that is a number",
      () => Guardrail.topics({ refused: [5] }),
      "Guardrail.topics: refused[0] must be a text, and is the number 5"
    ],
    [
      "a topic without words",
      () => Guardrail.topics({ allowed: ["refunds", " "] }),
      "Guardrail.topics: allowed[1] must be a text, and is the text ' '"
    ],
    [
      "a category that is a number",
      moderated({ categories: [5] }),
      "Guardrail.moderation: categories[0] must be a text, and is the number 5"
    ],
    [
      "a key that is null",
      moderated({ apiKey: null }),
      "Guardrail.moderation: apiKey must be a secret (a text or Redacted), and is null"
    ],
    [
      "a key that is a number",
      moderated({ apiKey: 5 }),
      "Guardrail.moderation: apiKey must be a secret (a text or Redacted), and is a number"
    ],
    ["an empty key", moderated({ apiKey: "" }), "Guardrail.moderation has no apiKey. Give it the key of the endpoint"],
    [
      "an address that is none",
      moderated({ url: "moderations" }),
      "Guardrail.moderation: url must be an address that begins with http:// or https://"
    ],
    [
      "a time that is none",
      moderated({ timeout: "5 secnds" }),
      "Guardrail.moderation: timeout must be a length of time, such as \"2 seconds\" or a number of milliseconds"
    ]
  ])

  it("guardrails with what they need are made", () => {
    Guardrail.pii({ types: ["email"], on: ["output"] })
    Guardrail.length({ min: 1, max: 1 })
    Guardrail.language({ allowed: ["en"] })
    Guardrail.topics({ refused: ["politics"] })
    assert.doesNotThrow(moderated({ categories: ["violence"], url: "https://checks.example/v1", timeout: 500 }))
  })
})
