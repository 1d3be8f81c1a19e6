// Files of answers with calls: the journal refers to them, and a run that is resumed sends them to its model again.
import { assert, describe, it } from "@effect/vitest"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { run } from "../../../agents/test/agent/Harness.ts"
import { partBytes } from "../../src/media/StoredMedium.ts"
import * as Tool from "../../src/tool/Tool.ts"
import { keeping } from "./Keeping.ts"

const bytes = Uint8Array.from({ length: partBytes + 500 }, (_, index) => index % 251)
const base64 = Base64.encode(bytes)

const show = Tool.make({ name: "show", requiresConfirmation: true, execute: () => "shown" })

const painting: ReadonlyArray<Script.Turn> = [
  [
    Script.text("Look"),
    Script.part({ type: "file", mediaType: "image/png", data: base64 }),
    Script.toolCall("show", {})
  ],
  [Script.text("Done")]
]

/** The files that the last request had. */
const filesIn = (calls: ReadonlyArray<Script.Call>) =>
  (calls.at(-1)?.prompt.content ?? []).flatMap(({ content }) =>
    typeof content === "string" ? [] : content.flatMap((part) => part.type === "file" ? [part.data] : [])
  )

describe("an answer with a file and a call", () => {
  it.effect("the journal refers to the file and has no bytes of it", () =>
    Effect.gen(function*() {
      const { journal, output } = yield* run({ tools: [show] }, painting, { media: keeping() })
      const { id } = output.images?.[0] ?? {}
      const [entry = {}] = journal
      assert.include(JSON.stringify(entry), `"svc-media:${id}:${bytes.length}"`)
      assert.isBelow(JSON.stringify(journal).length, 20_000)
    }))

  it.effect("a run that is resumed sends the file to its model again", () =>
    Effect.gen(function*() {
      const media = keeping()
      const { journal } = yield* run({ tools: [show] }, painting, { media })
      const confirmed = { kind: "resolved", attempt: 1, decisions: [{ call: 0, confirmed: true }], requirements: [] }
      const { calls, output } = yield* run({ tools: [show] }, [[Script.text("Done")]], {
        media,
        journaled: [...journal, confirmed]
      })
      assert.strictEqual(output.content, "Done")
      assert.deepStrictEqual(filesIn(calls), [base64])
    }))

  it.effect("a file that is gone is left out of the requests of a run that is resumed", () =>
    Effect.gen(function*() {
      const { journal } = yield* run({ tools: [show] }, painting, { media: keeping() })
      const confirmed = { kind: "resolved", attempt: 1, decisions: [{ call: 0, confirmed: true }], requirements: [] }
      const { calls, output } = yield* run({ tools: [show] }, [[Script.text("Done")]], {
        media: keeping(),
        journaled: [...journal, confirmed]
      })
      assert.strictEqual(output.content, "Done")
      assert.deepStrictEqual(filesIn(calls), [])
    }))
})
