// The files of a session on several nodes, and after commands that were cut off.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as MemorySandbox from "@svc-runtime/test-support/MemorySandbox"
import * as Samples from "@svc-runtime/test-support/suites/Samples"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import * as MemoryWorkspaceStore from "../MemoryWorkspaceStore.ts"
import { Places } from "../Places.ts"
import * as SessionFiles from "../SessionFiles.ts"
import * as Workspace from "../Workspace.ts"
import { WorkspaceStore } from "../WorkspaceStore.ts"

const stores = MemoryWorkspaceStore.layer.pipe(
  Layer.provideMerge(InMemory.SessionStore),
  Layer.provide(MemoryDatabase.layer)
)

/** Commands: `write NAME TEXT`, `remove NAME`, and `read NAME`. */
const shell: MemorySandbox.Execute = ({ command: { command }, read, remove, write }) => {
  const [verb, name = "", text = ""] = command.split(" ")
  if (verb === "write") write(name, text)
  if (verb === "remove") remove(name)
  return { output: read(name) ?? "nothing" }
}

/** A node has places of its own, and the stores of all nodes. */
const nodeOf = Effect.fnUntraced(function*(
  session: ReturnType<typeof Samples.sessionId>,
  execute: MemorySandbox.Execute = shell,
  options: { readonly maxBytes?: number } = {}
) {
  const { open, sandbox } = MemorySandbox.make(execute)
  const places = yield* Effect.map(Layer.build(Places.layer), (context) => Context.get(context, Places))
  const { settings } = Workspace.make({ sandbox, ...options })
  const files = SessionFiles.make({ store: yield* WorkspaceStore, places, session, settings, key: `main/${session}` })
  const run = (command: string) =>
    Effect.map(files.run({ command, skills: [], onOutput: () => {} }), ({ output }) => output)
  return { ...files, open, run }
})

const started = Effect.gen(function*() {
  const session = Samples.session()
  yield* Effect.flatMap(SessionStore, (sessions) => sessions.create(session))
  return session.session_id
})

layer(stores, { excludeTestServices: true })("the files of a session", (it) => {
  it.effect("two nodes see what commands on the other one have changed", () =>
    Effect.gen(function*() {
      const session = yield* started
      const [first, second] = [yield* nodeOf(session), yield* nodeOf(session)]
      yield* first.run("write a 1")
      assert.strictEqual(yield* second.run("read a"), "1")
      yield* second.run("write a 2")
      yield* second.run("write b 3")
      assert.strictEqual(yield* first.run("read a"), "2")
      yield* first.run("remove b")
      assert.strictEqual(yield* second.run("read b"), "nothing")
      yield* second.write("c", "4")
      assert.strictEqual(yield* first.run("read c"), "4")
    }))

  it.effect("what a command wrote that was cut off is not stored, and the next one does not see it", () =>
    Effect.gen(function*() {
      const session = yield* started
      const begun = yield* Deferred.make<void>()
      const node = yield* nodeOf(session, (called) => {
        if (called.command.command !== "hang") return shell(called)
        called.write("a", "half")
        Deferred.doneUnsafe(begun, Effect.void)
        return new Promise((done) => called.command.signal.addEventListener("abort", () => done({ exitCode: null })))
      })
      yield* node.run("write a whole")
      const hanging = yield* Effect.forkChild(node.run("hang"))
      yield* Deferred.await(begun)
      yield* Fiber.interrupt(hanging)
      assert.strictEqual(node.open.size, 0)
      assert.strictEqual(yield* node.run("read a"), "whole")
      const stored = yield* Effect.flatMap(WorkspaceStore, (store) => store.read(session, "a", Owner.anyone))
      assert.strictEqual(new TextDecoder().decode(Option.getOrThrow(stored).content), "whole")
    }))

  it.effect("a new session with the id of a deleted one gets nothing of it", () =>
    Effect.gen(function*() {
      const session = yield* started
      const { sandbox } = MemorySandbox.make(shell)
      const places = yield* Effect.map(Layer.build(Places.layer), (context) => Context.get(context, Places))
      const { settings } = Workspace.make({ sandbox })
      const stored = yield* WorkspaceStore
      /** Of the deleted session and of the new one: both begin with the same revision. */
      const one = (path: string) => {
        const content = new TextEncoder().encode(path)
        return {
          path,
          content,
          hash: SessionFiles.hashOf(content),
          executable: false,
          size: content.length,
          updated_at: 1
        }
      }
      const run = (path: string, command: string) => {
        const store = WorkspaceStore.of({
          ...stored,
          state: () => Effect.succeedSome({ revision: 1, files: [one(path)] }),
          read: () => Effect.succeedSome(one(path))
        })
        const files = SessionFiles.make({ store, places, session, settings, key: "main/s" })
        return Effect.map(files.run({ command, skills: [], onOutput: () => {} }), ({ output }) => output)
      }
      assert.strictEqual(yield* run("secret", "read secret"), "secret")
      assert.strictEqual(yield* run("own", "read secret"), "nothing")
      assert.strictEqual(yield* run("own", "read own"), "own")
    }))

  it.effect("files that a caller stored beyond the quota can be removed by a command, whose output is kept", () =>
    Effect.gen(function*() {
      const session = yield* started
      const node = yield* nodeOf(session, shell, { maxBytes: 10 })
      const content = new TextEncoder().encode("x".repeat(30))
      const file = { path: "large", content, hash: SessionFiles.hashOf(content), executable: false }
      const store = yield* WorkspaceStore
      yield* store.save(session, { files: [file], removed: [], at: 1 }, { bytes: 100, files: 10 }, Owner.anyone)
      assert.strictEqual(yield* node.run(`write more ${"y".repeat(30)}`), "y".repeat(30))
      assert.strictEqual(yield* node.run("read more"), "nothing")
      yield* node.run("remove large")
      yield* node.run("write small text")
      assert.strictEqual(yield* node.run("read small"), "text")
    }))

  it.effect("commands of one session are executed one after the other", () =>
    Effect.gen(function*() {
      const session = yield* started
      let running = 0
      const node = yield* nodeOf(session, async ({ write }) => {
        running++
        assert.strictEqual(running, 1)
        await Promise.resolve()
        write(`${Math.random()}`, "")
        running--
        return {}
      })
      yield* Effect.forEach([1, 2, 3, 4], () => node.run("write"), { concurrency: "unbounded" })
      assert.strictEqual((yield* node.state).files.length, 4)
    }))

  it.effect("a deleted session ends the commands on its files with a sentence", () =>
    Effect.gen(function*() {
      const session = yield* started
      const node = yield* nodeOf(session)
      yield* node.run("write a 1")
      yield* Effect.flatMap(SessionStore, (sessions) => sessions.remove([session], Owner.anyone))
      const failed = yield* Effect.flip(node.run("read a"))
      assert.strictEqual(failed.message, "The session was deleted, and its files with it")
      assert.strictEqual(node.open.size, 0)
    }))

  it.effect("at most 64 places stay open, and all are closed with their service", () =>
    Effect.gen(function*() {
      const { open, sandbox } = MemorySandbox.make(shell)
      yield* Effect.scoped(Effect.gen(function*() {
        const places = yield* Effect.map(Layer.build(Places.layer), (context) => Context.get(context, Places))
        const { settings } = Workspace.make({ sandbox })
        const store = yield* WorkspaceStore
        for (let number = 0; number < 70; number++) {
          const session = yield* started
          yield* SessionFiles.make({ store, places, session, settings, key: session })
            .run({ command: "write a 1", skills: [], onOutput: () => {} })
        }
        assert.strictEqual(open.size, 64)
      }))
      assert.strictEqual(open.size, 0)
    }))
})
