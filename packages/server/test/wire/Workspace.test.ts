// The workspace of a session: what callers store and get, what tools do with it, and what commands leave in it.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as Skills from "@svc-runtime/features/skills/Skills"
import { LargestQuota } from "@svc-runtime/features/workspace/LargestQuota"
import { SandboxUnusable } from "@svc-runtime/features/workspace/Sandbox"
import * as SandboxCheck from "@svc-runtime/features/workspace/SandboxCheck"
import * as Workspace from "@svc-runtime/features/workspace/Workspace"
import * as MemorySandbox from "@svc-runtime/test-support/MemorySandbox"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Context, Effect, Layer } from "effect"
import { call, serveClosed, token } from "../authorization/Closed.ts"
import { at, badRequest, column, failed, get, invalid, list, notFound, post, runWhole, send, serve } from "../Wire.ts"

Tier.oneIn(3)

const resultsOf = (json: unknown) => list(json, "tools").map((tool) => String(at(tool, "result")))

const started = Effect.fnUntraced(function*() {
  const server = yield* serve()
  yield* post(server, "/sessions", { session_id: "s" })
  const put = (path: string, body: object) =>
    send(server, "PUT", `/sessions/s/workspace/${encodeURIComponent(path)}`, body)
  return { server, put }
})

describe("files over the API", () => {
  it.effect("a file is stored, listed, got and deleted", () =>
    Effect.gen(function*() {
      const { put, server } = yield* started()
      const stored = yield* put("out/report.csv", { content: "ü,1\n" })
      assert.strictEqual(stored.status, 200, stored.text)
      assert.deepInclude(stored.json as object, { path: "out/report.csv", size: 5, executable: false })
      assert.strictEqual((yield* put("a.bin", { content: "AAEC/w==", encoding: "base64" })).status, 200)
      const listed = yield* get(server, "/sessions/s/workspace")
      assert.deepStrictEqual(column(list(listed.json, "files"), "path"), ["a.bin", "out/report.csv"])
      assert.strictEqual(at(listed.json, "total_size"), 9)
      const got = yield* get(server, "/sessions/s/workspace/out%2Freport.csv")
      assert.strictEqual(got.text, "ü,1\n")
      assert.strictEqual(got.headers.get("content-disposition"), "attachment")
      assert.strictEqual(got.headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual((yield* send(server, "DELETE", "/sessions/s/workspace/a.bin", undefined)).status, 204)
      notFound(yield* send(server, "DELETE", "/sessions/s/workspace/a.bin", undefined), "File 'a.bin' not found")
      notFound(yield* get(server, "/sessions/s/workspace/a.bin"), "File 'a.bin' not found")
      notFound(yield* get(server, "/sessions/t/workspace"), "Session with id 't' not found")
    }))

  it.effect("what is no path, no base64 or no session is refused with what to do, and nothing is stored", () =>
    Effect.gen(function*() {
      const { put, server } = yield* started()
      for (const path of ["../a", "a/../../b", "/etc/passwd", "a//b", "./a", "a\\b", "a\u0000b"]) {
        const refused = yield* put(path, { content: "x" })
        assert.strictEqual(refused.status, 400, path)
        assert.match(refused.text, /Write it without|Give it from the workspace|Use letters/)
      }
      badRequest(
        yield* put("a", { content: "???", encoding: "base64" }),
        "The content is no base64. Encode it with padding, without line breaks"
      )
      invalid(yield* put("a", {}), [["body", "content"], "missing"])
      assert.strictEqual((yield* put("a", { content: "", other: 1 })).status, 422)
      badRequest(yield* put("a".repeat(256), { content: "" }))
      assert.deepStrictEqual(at((yield* get(server, "/sessions/s/workspace")).json, "files"), [])
      yield* put("a/b", { content: "x" })
      failed(
        yield* put("a", { content: "x" }),
        409,
        "CONFLICT",
        "'a' is a file and would be a folder too. Use another path, or delete the file"
      )
    }))

  it.effect("callers may store as much as the agent that may have most", () =>
    Effect.gen(function*() {
      const files = (maxFiles: number) =>
        Agent.make({ id: `clerk-${maxFiles}`, workspace: Workspace.make({ sandbox: "none", maxFiles }) })
      const quotaOf = (agents: ReadonlyArray<Agent.Agent>) =>
        Effect.scoped(Effect.map(
          Layer.build(LargestQuota.layer({ agents, teams: [], workflows: [] })),
          (context) => Context.get(context, LargestQuota).files
        ))
      assert.deepStrictEqual(yield* quotaOf([]), 1000)
      assert.deepStrictEqual(yield* quotaOf([files(10), files(2000)]), 2000)
    }))

  it.effect("each right has a scope, and the files of another user are not found", () =>
    Effect.gen(function*() {
      const server = yield* serveClosed()
      const ann = yield* token("ann", "sessions:read", "sessions:write")
      const json = (method: string, body: object) => ({
        method,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
      yield* call(server, { path: "/sessions", init: json("POST", { session_id: "s" }) }, ann)
      const put = { path: "/sessions/s/workspace/a", init: json("PUT", { content: "wombat" }) }
      assert.strictEqual((yield* call(server, put, ann)).status, 200)
      assert.strictEqual((yield* call(server, put, yield* token("ann", "sessions:read"))).status, 403)
      const bob = yield* token("bob", "sessions:read", "sessions:write")
      for (const path of ["/sessions/s/workspace", "/sessions/s/workspace/a", "/sessions/s/workspace?user_id=ann"]) {
        const found = yield* call(server, { path }, bob)
        assert.strictEqual(found.status, 404)
        assert.notInclude(found.text, "wombat")
      }
      assert.strictEqual((yield* call(server, put, bob)).status, 404)
      const remove = { path: "/sessions/s/workspace/a", init: { method: "DELETE" } }
      assert.strictEqual((yield* call(server, remove, bob)).status, 404)
      assert.strictEqual((yield* call(server, { path: "/sessions/s/workspace/a" }, ann)).text, "wombat")
    }))
})

describe("files in runs", () => {
  it.effect("a model writes, reads, edits and lists files, and a mistake is a sentence", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("write_file", { path: "./notes/a.txt", content: "one two two" })],
        [Script.toolCall("edit_file", { path: "notes/a.txt", old_text: "one", new_text: "ONE" })],
        [
          Script.toolCall("read_file", { path: "/workspace/notes/a.txt" }),
          Script.toolCall("list_files"),
          Script.toolCall("edit_file", { path: "notes/a.txt", old_text: "two", new_text: "" }),
          Script.toolCall("edit_file", { path: "notes/a.txt", old_text: "three", new_text: "" }),
          Script.toolCall("read_file", { path: "../../etc/passwd" }),
          Script.toolCall("read_file", { path: "b" }),
          Script.toolCall("write_file", { path: "a".repeat(300), content: "" })
        ],
        [Script.text("Done")]
      ])
      const workspace = Workspace.make({ sandbox: "none" })
      const server = yield* serve({ agents: [Agent.make({ id: "clerk", model, workspace })] })
      const { json } = yield* runWhole(server, "clerk", { message: "Write", session_id: "s" })
      const [, , read, listed, twice, absent, outside, missing, long] = resultsOf(json)
      assert.strictEqual(read, "ONE two two")
      assert.strictEqual(listed, "notes/a.txt (11)")
      assert.include(twice, "has this text 2 times. Give more of what is around it")
      assert.include(absent, "does not have this text. Read the file")
      assert.include(outside, "leads out of the workspace or has empty parts. Write it without . and ..")
      assert.include(missing, "There is no file 'b'. list_files shows the paths of all files")
      assert.include(long, "is too long. Shorten it")
      assert.strictEqual((yield* get(server, "/sessions/s/workspace/notes%2Fa.txt")).text, "ONE two two")
    }))

  it.effect("a command sees the stored files, what it changes is stored, and its output is shown while it runs", () =>
    Effect.gen(function*() {
      const { commands, open, sandbox } = MemorySandbox.make(({ command, read, remove, write }) => {
        if (command.command === "look") return { output: read("a.txt") ?? "nothing", exitCode: 1 }
        command.onOutput("working")
        write("out/sum.txt", `${read("a.txt")}!`)
        write("same.txt", "same")
        remove("old.txt")
        return { output: "worked" }
      })
      const { model } = yield* Script.make([
        [Script.toolCall("run_command", { command: "work", timeout: 2.5 })],
        [Script.text("Done")],
        [Script.toolCall("run_command", { command: "look" })],
        [Script.text("Done")]
      ])
      const agent = Agent.make({ id: "clerk", model, workspace: Workspace.make({ sandbox }) })
      const server = yield* serve({ agents: [agent] })
      yield* post(server, "/sessions?type=agent", { session_id: "s", agent_id: "clerk" })
      const put = (path: string, content: string) => send(server, "PUT", `/sessions/s/workspace/${path}`, { content })
      yield* put("a.txt", "5")
      yield* put("old.txt", "x")
      const { json } = yield* runWhole(server, "clerk", { message: "Work", session_id: "s" })
      assert.deepStrictEqual(resultsOf(json), [JSON.stringify({ exit_code: 0, output: "worked" })])
      assert.strictEqual(commands[0]?.timeoutMillis, 2500)
      const listed = yield* get(server, "/sessions/s/workspace")
      assert.deepStrictEqual(column(list(listed.json, "files"), "path"), ["a.txt", "out/sum.txt", "same.txt"])
      assert.strictEqual((yield* get(server, "/sessions/s/workspace/out%2Fsum.txt")).text, "5!")
      assert.strictEqual(open.size, 1)
      // a caller changes it in between
      yield* put("a.txt", "6")
      const second = yield* runWhole(server, "clerk", { message: "Look", session_id: "s" })
      assert.deepStrictEqual(resultsOf(second.json), [JSON.stringify({ exit_code: 1, output: "6" })])
    }))

  it.effect("what is more than the workspace may have is thrown away, and the command says so", () =>
    Effect.gen(function*() {
      const { open, sandbox } = MemorySandbox.make(({ read, write }) => {
        if (read("b") !== undefined) return { output: "it is there" }
        write("a", "x".repeat(10))
        write("b", "x".repeat(2000))
        return {}
      })
      const { model } = yield* Script.make([
        [Script.toolCall("run_command", { command: "fill" })],
        [Script.toolCall("run_command", { command: "fill" })],
        [Script.text("Done")]
      ])
      const workspace = Workspace.make({ sandbox, maxBytes: 1000 })
      const server = yield* serve({ agents: [Agent.make({ id: "clerk", model, workspace })] })
      const { json } = yield* runWhole(server, "clerk", { message: "Fill", session_id: "s" })
      for (const result of resultsOf(json)) {
        assert.include(
          result,
          "What the command wrote was thrown away: The workspace may have 1000 files with 1000 bytes"
        )
      }
      assert.deepStrictEqual(at((yield* get(server, "/sessions/s/workspace")).json, "files"), [])
      assert.strictEqual(open.size, 0)
    }))

  it.effect("a copy of a session has its files", () =>
    Effect.gen(function*() {
      const { model } = yield* Script.make([
        [Script.toolCall("write_file", { path: "a", content: "1" })],
        [Script.text("Done")]
      ])
      const workspace = Workspace.make({ sandbox: "none" })
      const server = yield* serve({ agents: [Agent.make({ id: "clerk", model, workspace })] })
      yield* runWhole(server, "clerk", { message: "Write", session_id: "s" })
      const forked = yield* post(server, "/agents/clerk/sessions/s/fork", {})
      const id = String(at(forked.json, "session_id"))
      yield* send(server, "PUT", "/sessions/s/workspace/a", { content: "2" })
      assert.strictEqual((yield* get(server, `/sessions/${id}/workspace/a`)).text, "1", forked.text)
    }))

  it.effect("a command gets the files of the skills that it names, and of no others", () =>
    Effect.gen(function*() {
      const { commands, sandbox } = MemorySandbox.make(() => ({}))
      const { model } = yield* Script.make([
        [Script.toolCall("run_command", { command: "sh /skills/refunds/sum.sh" })],
        [Script.toolCall("run_command", { command: "ls /skills/" })],
        [Script.toolCall("run_command", { command: "cd /skills/letters && ls; ls /skills/refunds-old" })],
        [Script.text("Done")]
      ])
      const skill = (name: string) =>
        Skills.make({
          text: `---\nname: ${name}\ndescription: A skill\n---\nRead.`,
          files: { "sum.sh": `echo ${name}` }
        })
      const skills = [skill("refunds"), skill("letters")]
      const agent = Agent.make({ id: "clerk", model, skills, workspace: Workspace.make({ sandbox }) })
      const server = yield* serve({ agents: [agent] })
      yield* runWhole(server, "clerk", { message: "Sum", session_id: "s" })
      assert.deepStrictEqual(
        commands.map((each) => each.skills.map(({ content, path }) => [path, new TextDecoder().decode(content)])),
        [[["refunds/sum.sh", "echo refunds"]], [], [["letters/sum.sh", "echo letters"]]]
      )
    }))

  it.effect("a command waits for a confirmation, if the author wants one", () =>
    Effect.gen(function*() {
      const { commands, sandbox } = MemorySandbox.make(() => ({}))
      const { model } = yield* Script.make([[Script.toolCall("run_command", { command: "rm x" })], [
        Script.text("Done")
      ]])
      const workspace = Workspace.make({ sandbox, requiresConfirmation: true })
      const server = yield* serve({ agents: [Agent.make({ id: "clerk", model, workspace })] })
      const { json } = yield* runWhole(server, "clerk", { message: "Remove", session_id: "s" })
      assert.strictEqual(at(json, "status"), "PAUSED")
      assert.deepStrictEqual(commands, [])
    }))
})

describe("a machine that cannot isolate", () => {
  it.effect("a service whose agent executes commands does not start, and says why", () =>
    Effect.gen(function*() {
      const { sandbox } = MemorySandbox.make(() => ({}), new SandboxUnusable("There is no bubblewrap. Install it"))
      const agent = Agent.make({ id: "clerk", workspace: Workspace.make({ sandbox }) })
      const checked = (agents: ReadonlyArray<Agent.Agent>) =>
        Effect.scoped(Layer.build(SandboxCheck.layer({ agents, teams: [], workflows: [] })))
      const { message } = yield* Effect.flip(checked([agent]))
      assert.strictEqual(message, "Agent 'clerk': There is no bubblewrap. Install it")
      yield* checked([Agent.make({ id: "clerk", workspace: Workspace.make({ sandbox: "none" }) })])
    }))
})

describe("the option workspace", () => {
  const agent = (workspace: unknown) => () => Agent.make({ id: "clerk", workspace: workspace as never })

  it("a wrong value is refused with what to do", () => {
    assert.throws(agent({ maxBytes: 5 }), "Agent 'clerk': workspace is made by Workspace.make")
    assert.throws(agent("yes"), "Agent 'clerk': workspace")
    assert.throws(() => Workspace.make({ sandbox: {} as never }), "sandbox is no sandbox. Make it with Sandbox.local")
    assert.throws(() => Workspace.make({ maxFiles: 0 }), "maxFiles must be a whole number of at least 1")
    assert.throws(() => Workspace.make({ network: true } as never), "there is no option 'network'")
    assert.deepStrictEqual([...Agent.make({ id: "clerk", workspace: false }).tools.keys()], [])
  })
})
