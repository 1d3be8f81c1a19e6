// Prompts: which lines answer them, and which are asked for again.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestConsole } from "effect/testing"
import { Aborted } from "../src/CliError.ts"
import { Lines } from "../src/terminal/Lines.ts"
import { Prompts } from "../src/terminal/Prompts.ts"
import { place, worldOf } from "./Cli.ts"

/** Asks with these lines typed. Returns the answer, what was shown, and the lines that were not read. */
const answered = <A>(typed: ReadonlyArray<string>, ask: (prompts: Prompts["Service"]) => Effect.Effect<A, unknown>) =>
  Effect.gen(function*() {
    const at = yield* place
    const rest = [...typed]
    const questions: Array<string> = []
    const lines = Layer.succeed(Lines, {
      stopKey: Effect.never,
      read: (prompt: string) =>
        Effect.suspend(() => {
          questions.push(prompt)
          const line = rest.shift()
          return line === undefined ? Effect.fail(new Aborted()) : Effect.succeed(line)
        })
    })
    const layer = Prompts.layer.pipe(Layer.provide(lines), Layer.provideMerge(worldOf(at, { terminal: true })))
    return yield* Effect.gen(function*() {
      const answer = yield* Effect.flatMap(Prompts, ask)
      const shown = [yield* TestConsole.logLines, yield* TestConsole.errorLines]
      return { answer, questions, rest, stdout: shown[0]?.join("\n"), stderr: shown[1]?.join("\n") ?? "" }
    }).pipe(Effect.provide(layer))
  })

const templates = ["agentos-docker", "agentos-aws"].map((name) => ({ title: name, value: name }))

describe("Prompts", () => {
  it.effect("a yes or no is a whole line, and any other line is asked for again", () =>
    Effect.gen(function*() {
      for (
        const [typed, initial, answer] of [
          [["y"], false, true],
          [["YES"], false, true],
          [["n"], true, false],
          [[" No "], true, false],
          [[""], false, false],
          [[""], true, true],
          [["maybe", "m", "yep", "n"], true, false]
        ] as const
      ) {
        const ran = yield* answered(typed, (prompts) => prompts.confirm("Revoke it?", initial))
        assert.strictEqual(ran.answer, answer, typed.join())
        assert.deepStrictEqual(ran.rest, [])
        assert.strictEqual(ran.questions[0], `Revoke it? ${initial ? "[Y/n]" : "[y/N]"} `)
        assert.strictEqual(ran.stderr.split("Expected y or n.").length, typed.length)
      }
    }))

  it.effect("a list is numbered, and a number, an exact name or nothing chooses from it", () =>
    Effect.gen(function*() {
      for (
        const [typed, answer] of [
          [["2"], "agentos-aws"],
          [["agentos-aws"], "agentos-aws"],
          [[""], "agentos-docker"],
          [["0", "3", "99", "Other", "agentos", "01", "1"], "agentos-docker"]
        ] as const
      ) {
        const ran = yield* answered(typed, (prompts) => prompts.select("Template", templates))
        assert.strictEqual(ran.answer, answer, typed.join())
        assert.include(ran.stderr, "   1  agentos-docker\n   2  agentos-aws")
        assert.strictEqual(ran.questions[0], "Template [1]: ")
        assert.strictEqual(ran.stderr.split("Expected a number from 1 to 2").length, typed.length)
        assert.strictEqual(ran.stdout, "")
      }
    }))

  it.effect("a choice has a name that is shorter than its line in the list", () =>
    Effect.gen(function*() {
      const choices = [1, 2].map((n) => ({
        title: `http://localhost:${n}  local`,
        value: n,
        name: `http://localhost:${n}`
      }))
      const ran = yield* answered(["http://localhost:2"], (prompts) => prompts.select("Connect to", choices))
      assert.strictEqual(ran.answer, 2)
    }))

  it.effect("a text is asked for again with the reason, and nothing means its default", () =>
    Effect.gen(function*() {
      const validate = (text: string) => text.includes(" ") ? Effect.fail(`Invalid: ${text}`) : Effect.succeed(text)
      const ask = (prompts: Prompts["Service"]) => prompts.text("Project name", { initial: "agentos", validate })
      const ran = yield* answered(["a b", "mine"], ask)
      assert.strictEqual(ran.answer, "mine")
      assert.include(ran.stderr, "Invalid: a b")
      assert.strictEqual(ran.questions[0], "Project name [agentos]: ")
      assert.strictEqual((yield* answered([""], ask)).answer, "agentos")
    }))

  it.effect("a text without a default shows none", () =>
    Effect.gen(function*() {
      const validate = (text: string) => Effect.succeed(text)
      const ran = yield* answered([""], (prompts) => prompts.text("Reason", { initial: "", validate }))
      assert.strictEqual(ran.answer, "")
      assert.deepStrictEqual(ran.questions, ["Reason: "])
    }))

  it.effect("a hidden value is asked for again while it is blank", () =>
    Effect.gen(function*() {
      const ran = yield* answered(["", "  ", " key "], (prompts) => prompts.hidden("Credential"))
      assert.strictEqual(Redacted.value(ran.answer), "key")
      assert.notInclude(ran.stderr, "key")
    }))

  it.effect("control characters of the service are shown as escapes in a list and in a question", () =>
    Effect.gen(function*() {
      const evil = "\u001B[2Jnamed\u0007\r\u009B0m"
      const ran = yield* answered(["", ""], (prompts) =>
        Effect.andThen(
          prompts.select("Connect to", [{ title: evil, value: 1 }]),
          prompts.confirm(`Trust ${evil}?`, true)
        ))
      assert.include(ran.stderr, "\\u001b[2Jnamed\\u0007\\u000d\\u009b0m")
      for (const shown of [ran.stderr, ...ran.questions]) assert.notMatch(shown, /(?!\n)\p{Cc}/u)
    }))
})
