// The files of a session on several nodes, and after commands that were cut off.
import { assert, layer } from "@effect/vitest"
import * as Owner from "@svc-runtime/domain/Owner"
import { SessionStore } from "@svc-runtime/engine/session/SessionStore"
import * as MemorySandbox from "@svc-runtime/test-support/MemorySandbox"
import * as Samples from "@svc-runtime/test-support/suites/Samples"
import * as InMemory from "@svc-runtime/testing/stores/InMemory"
import { MemoryDatabase } from "@svc-runtime/testing/stores/MemoryDatabase"
import { Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
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
  options: Workspace.Options = {}
) {
  const { open, sandbox } = MemorySandbox.make(execute)
  const places = yield* Effect.map(Layer.build(Places.layer), (context) => Context.get(context, Places))
  const { settings } = Workspace.make({ ...options, sandbox })
  const files = SessionFiles.make({ store: yield* WorkspaceStore, places, session, settings, key: `main/${session}` })
  const command = (command: string) => files.run({ command, skills: [], onOutput: () => {} })
  const run = (text: string) => Effect.map(command(text), ({ output }) => output)
  return { ...files, command, open, run }
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

  it.effect("a session with the id of a deleted one has nothing of its files", () =>
    Effect.gen(function*() {
      const session = yield* started
      const node = yield* nodeOf(session)
      yield* node.run("write secret 1")
      const sessions = yield* SessionStore
      yield* sessions.remove([session], Owner.anyone)
      yield* sessions.create({
        ...Samples.session(),
        session_id: session,
        created_at: Samples.session().created_at + 9
      })
      yield* node.write("mine", "2")
      assert.deepStrictEqual([yield* node.run("read secret"), yield* node.run("read mine")], ["nothing", "2"])
      assert.deepStrictEqual((yield* node.state).files.map(({ path }) => path), ["mine"])
    }))

  it.effect("a place that is not used for ten minutes is closed", () =>
    Effect.gen(function*() {
      const node = yield* nodeOf(yield* started)
      yield* node.run("write a 1")
      yield* TestClock.adjust("5 minutes")
      assert.strictEqual(node.open.size, 1)
      yield* node.run("read a")
      yield* TestClock.adjust("9 minutes")
      assert.strictEqual(node.open.size, 1)
      yield* TestClock.adjust("2 minutes")
      assert.strictEqual(node.open.size, 0)
      assert.strictEqual(yield* node.run("read a"), "1")
    }).pipe(Effect.provide(TestClock.layer())))

  it.effect("a command makes a workspace smaller in which a caller has stored more than the agent may", () =>
    Effect.gen(function*() {
      const session = yield* started
      const quotas: Array<number> = []
      const node = yield* nodeOf(session, (called) => {
        quotas.push(called.command.quota.bytes)
        return shell(called)
      }, { maxBytes: 10 })
      const store = yield* WorkspaceStore
      const content = new Uint8Array(100)
      const files = [{ path: "large", content, hash: SessionFiles.hashOf(content), executable: false }]
      yield* store.save(session, { files, removed: [], at: 1 }, { bytes: 1000, files: 10 }, Owner.anyone)
      yield* node.run("write a 1")
      yield* node.run("remove large")
      yield* node.run("write a 1")
      assert.deepStrictEqual(quotas, [100, 100, 10])
      assert.deepStrictEqual((yield* node.state).files.map(({ path }) => path), ["a"])
    }))

  it.effect("the output of a command is shown if its files cannot be kept", () =>
    Effect.gen(function*() {
      const session = yield* started
      const node = yield* nodeOf(session, ({ write }) => {
        write("a", "more than ten bytes")
        return { output: "said" }
      }, { maxBytes: 10 })
      const { note, output } = yield* node.command("write")
      assert.deepStrictEqual([output, note?.slice(0, 39)], ["said", "What the command wrote was thrown away:"])
      assert.deepStrictEqual([node.open.size, (yield* node.state).files], [0, []])
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
