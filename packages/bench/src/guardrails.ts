// What the ready guardrails by pattern find in labelled texts, what they miss, and where they are wrong.
import { count } from "@svc-runtime/test-support/guardrails/Counts"
import { type Guard, texts } from "@svc-runtime/test-support/guardrails/Texts"
import { Effect } from "effect"
import { say } from "./StatementTimes.ts"

const shown = (text: string): string => JSON.stringify(text.length > 70 ? `${text.slice(0, 70)}…` : text)

const program = Effect.gen(function*() {
  for (const guard of Object.keys(texts) as ReadonlyArray<Guard>) {
    const { bad, good } = texts[guard]
    const { found, missed, passed, wrong } = yield* count(guard)
    say(`${guard}: ${found} of ${bad.length} found, ${passed} of ${good.length} others passed`)
    for (const text of missed) say(`  missed: ${shown(text)}`)
    for (const text of wrong) say(`  wrong: ${shown(text)}`)
  }
})

await Effect.runPromise(program)
