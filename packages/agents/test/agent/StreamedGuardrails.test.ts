// Guardrails and streams: what is shown while the model writes, and that it is what the run has in the end.
import { assert, describe, it } from "@effect/vitest"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import { fail, reasoning, text, toolCall } from "@svc-runtime/test-support/ScriptedModel"
import { Effect, Schema } from "effect"
import * as Hook from "../../src/agent/define/Hook.ts"
import * as HookStages from "../../src/agent/execute/hooks/HookStages.ts"
import * as Guardrail from "../../src/guardrail/Guardrail.ts"
import { eventsOf, type Ran, run } from "./Harness.ts"

const words = (given: string) => given.split(/(?<= )/).map((word) => text(word))

const shownBy = (ran: Pick<Ran, "events">) => eventsOf(ran, "RunContent").map(({ content = "" }) => String(content))

const thoughtBy = (ran: Pick<Ran, "events">) =>
  eventsOf(ran, "RunContent").map(({ reasoning_content = "" }) => reasoning_content).join("")

const secret = ["ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"].join("")

describe("an answer with guardrails", () => {
  it.effect("an answer is shown word by word, with masks, and it is the answer that is stored", () =>
    Effect.gen(function*() {
      const hooks = [Guardrail.pii(), Guardrail.secrets()]
      const answer = `It is 4111 1111 1111 1111 for ada@example.org with ${secret} in it`
      const ran = yield* run({ hooks }, [words(answer)])
      const shown = shownBy(ran)
      const stored = "It is [CARD] for [EMAIL] with [TOKEN] in it"
      assert.strictEqual(shown.join(""), stored)
      assert.isAbove(shown.length, 7)
      assert.strictEqual(shown[0], "It ")
      assert.strictEqual(ran.output.content, stored)
      assert.strictEqual(ran.output.messages?.at(-1)?.content, stored)
      assert.deepStrictEqual(eventsOf(ran, "HookApplied").map(({ reason }) => reason), ["1 email, 1 card", "1 token"])
      assert.notInclude(JSON.stringify([ran.events, ran.output]), "1111 1111")
    }))

  it.effect("reasoning is shown in parts too, with masks", () =>
    Effect.gen(function*() {
      const turn = [...["Mail ", "ada@exam", "ple.org ", "now"].map((part) => reasoning(part)), ...words("It is sent")]
      const ran = yield* run({ hooks: [Guardrail.pii()] }, [turn])
      assert.strictEqual(thoughtBy(ran), "Mail [EMAIL] now")
      assert.strictEqual(ran.output.reasoning_content, "Mail [EMAIL] now")
      assert.strictEqual(shownBy(ran).join(""), "It is sent")
    }))

  it.effect("an answer that is blocked is shown up to the match, and the run keeps the shown part", () =>
    Effect.gen(function*() {
      const hooks = [Guardrail.secrets({ action: "block" })]
      const ran = yield* run({ hooks }, [words(`Here it is: ${secret} and more`)])
      assert.strictEqual(shownBy(ran).join(""), "Here it is: ")
      assert.deepInclude(ran.endEvent, { event: "RunError", error_id: "output_not_allowed" })
      assert.deepStrictEqual(ran.output.messages?.map(({ content }) => content), ["Hi", "Here it is: "])
      assert.notInclude(JSON.stringify([ran.events, ran.output, ran.journal]), "ghp")
    }))

  it.effect("text before calls is shown in parts, and the result that ends the run once", () =>
    Effect.gen(function*() {
      const tool = Tool.make({ name: "look", effects: "read", stopAfterCall: true, execute: () => "ada@example.org" })
      const turn = [...words("I look for ada@example.org now"), toolCall("look")]
      const ran = yield* run({ hooks: [Guardrail.pii()], tools: [tool] }, [turn])
      assert.strictEqual(shownBy(ran).join("|"), "I |look |for |[EMAIL] |now|[EMAIL]")
      assert.strictEqual(ran.output.content, "[EMAIL]")
    }))

  it.effect("a request that fails while all of its text is held back is repeated, and begins anew", () =>
    Effect.gen(function*() {
      const hooks = [Guardrail.pii()]
      const ran = yield* run({ hooks, retries: 1, delayBetweenRetries: 0 }, [
        [text("ada@example"), fail()],
        words("It is bob@example.org now")
      ])
      assert.strictEqual(shownBy(ran).join(""), "It is [EMAIL] now")
    }))

  it.effect("a request that fails after a part was shown ends the run with this part", () =>
    Effect.gen(function*() {
      const hooks = [Guardrail.pii()]
      const ran = yield* run({ hooks, retries: 1 }, [[...words("It is ada@exam"), fail()], words("It is not used")])
      assert.strictEqual(shownBy(ran).join(""), "It is ")
      assert.strictEqual(ran.output.status, "ERROR")
      assert.strictEqual(ran.output.messages?.at(-1)?.content, "It is ")
    }))

  it.effect("a mask that is another one each time is stored as it was shown", () =>
    Effect.gen(function*() {
      let count = 0
      const hooks = [Guardrail.pii({ mask: (type) => `[${type} ${++count}]` })]
      const ran = yield* run({ hooks }, [words("Ask ada@example.org or bob@example.org today")])
      assert.strictEqual(shownBy(ran).join(""), "Ask [email 1] or [email 2] today")
      assert.strictEqual(ran.output.content, "Ask [email 1] or [email 2] today")
    }))

  it.effect("an answer that a hook gives instead of the model is shown with masks", () =>
    Effect.gen(function*() {
      const hooks: ReadonlyArray<Hook.RunHook> = [
        Guardrail.pii(),
        { name: "cache", beforeModel: () => Hook.answer("Ask ada@example.org") }
      ]
      const ran = yield* run({ hooks }, [])
      assert.deepStrictEqual(shownBy(ran), ["Ask [EMAIL]"])
    }))

  it.effect("JSON with escapes, and an object of an output schema, are shown as they are stored", () =>
    Effect.gen(function*() {
      const written = JSON.stringify({ a: "\nada\u0040example.org", b: 1 }, undefined, 1)
      const ran = yield* run({ hooks: [Guardrail.pii()] }, [words(written)])
      assert.deepStrictEqual(shownBy(ran), [JSON.stringify({ a: "\n[EMAIL]", b: 1 })])
      const outputSchema = Schema.Struct({ a: Schema.String })
      const object = yield* run({ hooks: [Guardrail.pii()], outputSchema }, [words("{\"a\": \"ada@example.org\"}")])
      assert.deepStrictEqual(eventsOf(object, "RunContent").map(({ content }) => content), [{ a: "[EMAIL]" }])
    }))

  it.effect("a very long part is masked at the end", () =>
    Effect.gen(function*() {
      const long = "Ask ada@example.org. ".repeat(2000)
      const ran = yield* run({ hooks: [Guardrail.pii()] }, [[text("It is "), text(long), ...words("and so on")]])
      assert.strictEqual(shownBy(ran).join(""), `It is ${long}and so on`.replaceAll("ada@example.org", "[EMAIL]"))
      assert.strictEqual(ran.output.content, shownBy(ran).join(""))
    }))

  it.effect("the length and the language of an answer are decided as early as they can be", () =>
    Effect.gen(function*() {
      const long = yield* run({ hooks: [Guardrail.length({ on: ["output"], max: 12 })] }, [
        words("It is much too long")
      ])
      assert.strictEqual(shownBy(long).join(""), "It is much ")
      assert.deepInclude(long.endEvent, { event: "RunError", error_id: "validation_failed" })
      const short = yield* run({ hooks: [Guardrail.language({ on: ["output"], allowed: ["en"] })] }, [
        words("Das ist ein deutscher Satz, den hier niemand lesen soll.")
      ])
      assert.deepStrictEqual(shownBy(short), [])
      const english = "This is a sentence in the English language. ".repeat(60)
      const shown = shownBy(
        yield* run({ hooks: [Guardrail.language({ on: ["output"], allowed: ["en"] })] }, [words(english)])
      )
      assert.strictEqual(shown.join(""), english)
      assert.isAbove(shown.length, 50)
    }))

  it.effect("a guardrail that only notes changes nothing of the stream", () =>
    Effect.gen(function*() {
      const ran = yield* run({ hooks: [Guardrail.pii({ action: "note" })] }, [words("Ask ada@example.org now")])
      assert.deepStrictEqual(shownBy(ran), ["Ask ", "ada@example.org ", "now"])
      assert.deepStrictEqual(eventsOf(ran, "HookApplied").map(({ action }) => action), ["noted"])
    }))
})

describe("an answer that is shown as a whole", () => {
  it("hooks of authors need the whole answer, and guardrails that judge all of it", () => {
    const nameOf = (...hooks: ReadonlyArray<Hook.RunHook>) =>
      HookStages.needWhole({ agent: { hooks } }).map(({ name }) => name)
    const own: Hook.RunHook = { name: "own", afterRun: () => undefined }
    assert.deepStrictEqual(nameOf(Guardrail.pii(), Guardrail.secrets(), Guardrail.topics({ allowed: ["a"] })), [])
    assert.deepStrictEqual(nameOf(Guardrail.pii(), own), ["own"])
    assert.deepStrictEqual(nameOf(Guardrail.moderation({ apiKey: "key" })), ["moderation"])
    assert.deepStrictEqual(nameOf(Guardrail.moderation({ apiKey: "key", action: "note" })), [])
    assert.deepStrictEqual(nameOf(Guardrail.promptInjection({ on: ["output"] })), ["prompt-injection"])
  })

  it.effect("the answer is withheld if one hook needs all of it, whatever the guardrails need", () =>
    Effect.gen(function*() {
      const own: Hook.RunHook = { name: "own", afterModel: () => undefined }
      const ran = yield* run({ hooks: [Guardrail.pii(), own] }, [words("Ask ada@example.org now")])
      assert.deepStrictEqual(shownBy(ran), ["Ask [EMAIL] now"])
    }))
})
