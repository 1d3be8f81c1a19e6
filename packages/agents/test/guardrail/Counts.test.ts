// What the ready guardrails by pattern find in labelled texts, as docs/guides/hooks.md says it.
import { assert, describe, it } from "@effect/vitest"
import { count } from "@svc-runtime/test-support/guardrails/Counts"
import { type Guard, texts } from "@svc-runtime/test-support/guardrails/Texts"
import { Effect } from "effect"
import { readFileSync } from "node:fs"

const document = readFileSync(new URL("../../../../docs/guides/hooks.md", import.meta.url), "utf8").replaceAll(
  / +/g,
  " "
)

describe("the counts of guardrails", () => {
  it.effect.each(Object.keys(texts) as Array<Guard>)(
    "the document has the counts of %s",
    (guard) =>
      Effect.gen(function*() {
        const { found, missed, passed, wrong } = yield* count(guard)
        const line = `| \`${guard}\` | ${found} of ${found + missed.length} | ${passed} of ${passed + wrong.length} |`
        assert.include(document, line)
      })
  )
})
