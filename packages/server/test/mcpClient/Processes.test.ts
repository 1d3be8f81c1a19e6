// MCP servers that are processes of the service.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Exit, Redacted, Scope } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as McpTools from "../../src/mcpClient/McpTools.ts"
import { at, run, runWhole, serve } from "../Wire.ts"
import { isAlive } from "./isAlive.ts"

Tier.oneIn(6)

const program = fileURLToPath(new URL("stdio-server.ts", import.meta.url))

const running = Effect.fnUntraced(function*(
  args: ReadonlyArray<string>,
  turns: ReadonlyArray<Script.Turn> = [],
  command = process.execPath
) {
  const script = yield* Script.make([...turns, [Script.text("Done")]])
  const source = McpTools.make({
    name: "process",
    command,
    args: [program, ...args],
    env: { GIVEN: Redacted.make("given-secret") }
  })
  return yield* serve({ agents: [Agent.make({ id: "a", model: script.model, tools: [source] })] })
})

const variable = (name: string) => Script.toolCall("variable", { name }, name)

describe("an MCP server that is a process", () => {
  it.effect("the process gets the variables that the author gives, and not those of the service", () =>
    Effect.gen(function*() {
      process.env["OF_THE_SERVICE"] = "secret"
      const server = yield* running([], [[variable("GIVEN"), variable("OF_THE_SERVICE")]])
      const { json } = yield* runWhole(server, "a", { message: "Hi" })
      const tools = at(json, "tools") as ReadonlyArray<Record<string, unknown>>
      assert.deepStrictEqual(tools.map(({ result }) => result), ["given-secret", "unset"])
    }))

  it.effect("the process is started once, and ends when the service stops", () =>
    Effect.gen(function*() {
      const file = join(yield* TemporaryDirectory.make, "pids")
      const scope = yield* Scope.make()
      yield* Effect.gen(function*() {
        const server = yield* running(["usual", file], [[variable("GIVEN")], [Script.text("Done")]])
        yield* runWhole(server, "a", { message: "Hi" })
        yield* runWhole(server, "a", { message: "Hi" })
      }).pipe(Scope.provide(scope))
      const pids = readFileSync(file, "utf8").trim().split("\n").map(Number)
      assert.lengthOf(pids, 1)
      assert.isTrue(isAlive(pids[0] ?? 0))
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(isAlive(pids[0] ?? 0))
    }))

  it.effect.each<[string, ReadonlyArray<string>, string]>([
    ["that exits at once", ["exits"], process.execPath],
    ["that sends 64 MiB without a line end", ["floods"], process.execPath],
    ["that does not exist", [], "/nowhere/program"]
  ])("a program %s is reported, and the run completes", ([, args, command]) =>
    Effect.gen(function*() {
      const server = yield* running(args, [], command)
      const { text } = yield* run(server, "a", { message: "Hi", stream_events: "true" })
      assert.include(text, "RunCompleted")
      assert.match(text, /"event":"ToolSourceFailed".*"reason":"The MCP server process failed/)
    }))

  it.effect("a process that ends during a call leaves an unknown outcome, and the next run starts another one", () =>
    Effect.gen(function*() {
      const file = join(yield* TemporaryDirectory.make, "pids")
      const server = yield* running(["usual", file], [[Script.toolCall("leave")], [variable("GIVEN")]])
      const first = yield* runWhole(server, "a", { message: "Hi" })
      assert.strictEqual(at(first.json, "status"), "PAUSED")
      const second = yield* runWhole(server, "a", { message: "Hi" })
      assert.strictEqual(at(second.json, "status"), "COMPLETED")
      assert.lengthOf(readFileSync(file, "utf8").trim().split("\n"), 2)
    }))

  it.effect("what it writes to its standard error is logged, up to a limit of lines and of their length", () =>
    Effect.gen(function*() {
      const server = yield* running(["complains"], [[variable("GIVEN")]])
      const { json } = yield* runWhole(server, "a", { message: "Hi" })
      assert.strictEqual(at(json, "status"), "COMPLETED")
      const lines = server.logs.flatMap(({ annotations, message }) =>
        annotations["tool_source"] === "process" ? [String(message)] : []
      )
      assert.strictEqual(lines[0], "The MCP server process wrote: started")
      assert.strictEqual(lines[1], "The MCP server process wrote: [31mred")
      assert.isTrue(lines.every(({ length }) => length < 600))
      assert.strictEqual(lines.length, 101)
      assert.include(lines[100], "Further lines are left out")
    }))

  it.effect("a process that sends small messages without end is ended, and the run completes", () =>
    Effect.gen(function*() {
      const file = join(yield* TemporaryDirectory.make, "pids")
      const server = yield* running(["chatters", file], [[Script.toolCall("leave")]])
      const { text } = yield* run(server, "a", { message: "Hi", stream_events: "true" })
      assert.match(text, /RunCompleted|RunPaused/)
      const warning = server.logs.find(({ message }) => String(message).includes("messages and no response"))
      assert.isDefined(warning)
    }))
})
