// What an author can do wrong in the option `webhooks`: each is refused with one sentence.
import { assert, describe, it } from "@effect/vitest"
import type { Declarable } from "../../declarations/DeclaredOption.ts"
import { webhooks } from "../feature.ts"

describe("the option webhooks", () => {
  it.each([
    [
      { name: "w", uri: "https://x.example", events: [], secret: "x" },
      "The webhook 'w': there is no option 'uri'. Did you mean 'url'?"
    ],
    [
      { name: "w", url: "https://x.example", events: "run.failed" },
      "The webhook 'w': events must be a list, and is the text 'run.failed'"
    ]
  ])("a mistake is refused with one sentence: %j", (webhook, sentence) => {
    const given = { webhooks: [webhook] } as unknown as Declarable
    assert.throws(() => webhooks.declared?.check(given), sentence)
  })
})
