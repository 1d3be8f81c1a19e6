// Runs as a person meets them: in a terminal or a pipe, against the service on a real port.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { OutcomeLost } from "@svc-runtime/engine/tool/OutcomeLost"
import * as Tool from "@svc-runtime/engine/tool/Tool"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TestServer from "@svc-runtime/test-support/TestServer"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Schema } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, inTerminal, noTerminal, run } from "../Process.ts"

Tier.oneIn(8)

beforeAll(async () => {
  await build()
})

const serve = Effect.fnUntraced(function*(turns: ReadonlyArray<Script.Turn>, execute = () => "erased") {
  const { model } = yield* Script.make(turns)
  const erase = Tool.make({
    name: "erase",
    parameters: Schema.Struct({}),
    requiresConfirmation: true,
    execute
  })
  const agent = Agent.make({ id: "talker", model, tools: [erase], addHistoryToContext: true })
  return yield* TestServer.listen({ agents: [agent] })
})

const statusOf = (url: string) =>
  Effect.promise(async () => {
    const { stdout } = await run(["runs", "list", "--json", "--url", url])
    return JSON.parse(stdout).runs.map((each: { readonly status: string }) => each.status)
  })

/** Ends the tool when the terminal shows the text. The exec leaves the tool with the id of the shell. */
const terminatedAt = (text: string) => {
  let isEnded = false
  return {
    before: ["sh", "-c", "echo \"pid $$\"; exec \"$@\"", "sh"],
    watch: (output: string) => {
      if (isEnded || !output.includes(text)) return
      isEnded = true
      process.kill(Number(/pid (\d+)/.exec(output)?.[1]), "SIGTERM")
    }
  }
}

describe.skipIf(noTerminal !== undefined)("in a terminal", () => {
  it.live("Ctrl-C stops an answer, and the conversation continues", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* serve([[Script.text("Half "), Script.hang], [Script.text("Whole.")]])
      const ended = yield* Effect.promise(() =>
        inTerminal(
          ["chat", "agent/talker", "--url", url],
          [["> ", "one\r"], ["Half", "\u0003"], ["> ", "two\r"], ["Whole.", ""], ["> ", "\r"]]
        )
      )
      assert.strictEqual(ended.code, 0, ended.stdout)
      assert.include(ended.stdout, "Resume it with svc chat agent/talker --session")
      assert.deepStrictEqual(yield* statusOf(url), ["COMPLETED", "CANCELLED"])
    })))

  it.live("what is typed during an answer is the next message, and no answer to a prompt", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* serve([[Script.text("Half "), Script.hang], [Script.text("Whole.")]])
      const ended = yield* Effect.promise(() =>
        inTerminal(
          ["chat", "agent/talker", "--url", url],
          [["> ", "one\r"], ["Half", "\rtwi\u007Fo\rthr\u0003"], ["> two", ""], ["Whole.", ""], [
            "thr",
            "\u007F\u007F\u007F\r"
          ]]
        )
      )
      assert.strictEqual(ended.code, 0, ended.stdout)
      assert.deepStrictEqual(yield* statusOf(url), ["COMPLETED", "CANCELLED"])
    })))

  it.live("Ctrl-C cancels the run of svc run, and the exit code is 130", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* serve([[Script.text("Half "), Script.hang]])
      const ended = yield* Effect.promise(() =>
        inTerminal(["run", "agent/talker", "Hi", "--url", url], [["Half", "\u0003"]])
      )
      assert.strictEqual(ended.code, 130, ended.stdout)
      assert.deepStrictEqual(yield* statusOf(url), ["CANCELLED"])
    })))

  it.live("SIGTERM during an answer is followed by how to see the run and to resume the conversation", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* serve([[Script.text("Half "), Script.hang]])
      const ended = yield* Effect.promise(() =>
        inTerminal(["chat", "agent/talker", "--url", url], [["> ", "one\r"]], terminatedAt("Half"))
      )
      assert.strictEqual(ended.code, 143, ended.stdout)
      assert.match(ended.stdout, /Left the run\. Follow it with svc runs watch \S+\./)
      assert.match(ended.stdout, /Resume it with svc chat agent\/talker --session \S+\./)
      assert.deepStrictEqual(yield* statusOf(url), ["RUNNING"])
    })))

  it.live("a run stays paused after SIGTERM at the prompt of its decision, and the command says how to continue it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { url } = yield* serve([[Script.toolCall("erase", {}, "call_1")]])
      const ended = yield* Effect.promise(() =>
        inTerminal(["run", "agent/talker", "Hi", "--url", url], [], terminatedAt("[y/N]"))
      )
      assert.strictEqual(ended.code, 143, ended.stdout)
      assert.match(
        ended.stdout,
        /\[y\/N\].*\r?\n.*The run waits for a decision: [^]*Continue it with svc runs continue/
      )
      assert.deepStrictEqual(yield* statusOf(url), ["PAUSED"])
    })))

  it.live("nothing but Enter decides nothing about a call whose outcome is unknown", () =>
    Effect.scoped(Effect.gen(function*() {
      const turns = [[Script.toolCall("erase", {}, "call_1")], [Script.text("Done.")]]
      const { url } = yield* serve(turns, () => {
        throw new OutcomeLost({ message: "The connection broke" })
      })
      const ended = yield* Effect.promise(() =>
        inTerminal(
          ["run", "agent/talker", "Hi", "--url", url],
          [["[y/N]", "y\r"], ["[1]:", "\r"], ["Result of erase({}):", "\r"], ["Expected the result.", "it is gone\r"]]
        )
      )
      assert.strictEqual(ended.code, 0, ended.stdout)
      const shown =
        /1 {2}Give its result\s+2 {2}Repeat it\s+3 {2}Skip it\s[^]*its outcome is unknown: The connection broke \[1\]:/
      assert.match(ended.stdout, shown)
      assert.deepStrictEqual(yield* statusOf(url), ["COMPLETED"])
    })))
})

describe.skipIf(process.platform === "win32")("in a pipe", () => {
  it.live("svc run ends when its output has no reader any more, and leaves the run", () =>
    Effect.scoped(Effect.gen(function*() {
      for (const more of ["--json", ""]) {
        const { url } = yield* serve([[Script.text("Half "), Script.hang]])
        const folder = mkdtempSync(join(tmpdir(), "svc-pipe-"))
        const script = join(folder, "run")
        // the command starts when the reader has gone, not before
        const broken = "trap '' PIPE; while printf x 2> /dev/null; do :; done"
        const command = `"$@" run agent/talker Hi ${more} --url ${url}; echo $? > ${folder}/code`
        writeFileSync(script, `{ ${broken}; ${command}; } | true\n`)
        yield* Effect.promise(() => run([], { shell: script }))
        assert.strictEqual(readFileSync(join(folder, "code"), "utf8"), "0\n", more)
        assert.deepStrictEqual(yield* statusOf(url), ["RUNNING"])
        rmSync(folder, { recursive: true })
      }
    })))
})
