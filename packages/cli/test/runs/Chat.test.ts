// `svc chat`: a conversation in one session.
import { assert, describe, it } from "@effect/vitest"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { documentOf } from "../Cli.ts"
import { answering, open } from "./Service.ts"

Tier.oneIn(2)

describe("svc chat", () => {
  it.live("each line is a run in the same session, and an empty line ends the conversation", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering("One.", "Two."))
      const ran = yield* svc(["chat", "mailer"], { terminal: true, replies: ["first", "second", ""] })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.strictEqual(ran.written, "One.\nTwo.\n")
      const session = /--session (\S+)\./.exec(ran.stderr)?.[1] ?? ""
      const { sessions } = documentOf<{ sessions: ReadonlyArray<{ session_id: string }> }>(
        yield* svc(["sessions", "list", "--json"])
      )
      assert.deepStrictEqual(sessions.map(({ session_id }) => session_id), [session])
    }))

  it.live("a resumed conversation begins with its last messages", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering("One.", "Two."))
      yield* svc(["run", "mailer", "first", "--session", "s"])
      const ran = yield* svc(["chat", "mailer", "--session", "s"], { terminal: true, replies: ["second", "leave"] })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.include(ran.stdout, "first")
      assert.include(ran.stdout, "One.")
      assert.strictEqual(ran.written, "Two.\n")
    }))

  it.live("a turn that fails is reported, and the conversation continues", () =>
    Effect.gen(function*() {
      const { svc } = yield* open({ turns: [[Script.fail("away")], [Script.text("Two.")]] })
      const ran = yield* svc(["chat", "mailer"], { terminal: true, replies: ["first", "second", ""] })
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.include(ran.stderr, "The run ended as ERROR")
      assert.strictEqual(ran.written, "Two.\n")
    }))

  it.live("without a terminal there is no conversation, and the error names svc run", () =>
    Effect.gen(function*() {
      const { svc } = yield* open(answering())
      const ran = yield* svc(["chat", "mailer"])
      assert.strictEqual(ran.code, 2)
      assert.include(ran.stderr, "svc run")
      const document = yield* svc(["chat", "mailer", "--json"], { terminal: true })
      assert.strictEqual(document.code, 1)
      assert.deepStrictEqual(documentOf(document), {
        error: "svc chat needs a terminal, and has no document",
        hint: "In a script, use svc run."
      })
    }))
})
