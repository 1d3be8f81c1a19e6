// The option `folder` of a knowledge base: the files of a folder are contents after the start.
import { assert, describe, it } from "@effect/vitest"
import * as Notifications from "@svc-runtime/engine/node/Notifications"
import { Agent, Knowledge, Reader } from "@svc-runtime/server"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import * as TestDatabase from "@svc-runtime/testing/TestDatabase"
import * as TestServer from "@svc-runtime/testing/TestServer"
import { Cause, Deferred, Effect, Exit, Layer, Schedule } from "effect"
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { ask, at, column, failed, get, list, post, runWhole, send } from "../Wire.ts"
import { searching } from "./KnowledgeQuestions.ts"

Tier.oneIn(4)

const bases = (folder: string | undefined) => [Knowledge.make({ name: "handbook", embedder: "demo", folder })]

/** Services of one database, one after the other. */
const database = Effect.map(Layer.build(TestDatabase.layer), (context) => {
  const stores = Layer.merge(Layer.succeedContext(context), Notifications.layerNone)
  return (folder: string | undefined) => TestServer.make({ knowledge: bases(folder), stores })
})

const all = (server: TestServer.TestServer) =>
  Effect.map(get(server, "/knowledge/content?sort_by=name&sort_order=asc"), ({ json }) => list(json, "data"))

const contentsOf = (server: TestServer.TestServer) =>
  Effect.map(all(server), (contents) => contents.filter((content) => at(content, "type") !== "folder"))

/** Between two looks: a request without a pause takes the processor from what it waits for. */
const pause = Schedule.spaced("20 millis")

/** When all of them are processed. */
const processed = (server: TestServer.TestServer) =>
  Effect.andThen(
    Effect.repeat(all(server), {
      until: (contents) => !column(contents, "status").includes("processing"),
      schedule: pause
    }),
    contentsOf(server)
  )

const foundBy = Effect.fnUntraced(function*(server: TestServer.TestServer, query: string) {
  const { json } = yield* post(server, "/knowledge/search", { query, search_type: "keyword" })
  return column(list(json, "data"), "name")
})

const filled = Effect.map(TemporaryDirectory.make, (root) => {
  const folder = join(root, "documents")
  mkdirSync(join(folder, "people"), { recursive: true })
  writeFileSync(join(folder, "people", "holidays.md"), "Everybody has thirty days of holiday.")
  writeFileSync(join(folder, "prices.txt"), "A small service costs 49 euros.")
  return { root, folder }
})

describe("a folder of documents in code", () => {
  it.live("files of the folder are contents, which searches find, and another start stores nothing again", () =>
    Effect.gen(function*() {
      const { folder } = yield* filled
      const start = yield* database
      const server = yield* start(folder)
      const contents = yield* processed(server)
      assert.deepStrictEqual(column(contents, "name"), ["people/holidays.md", "prices.txt"])
      assert.deepStrictEqual(column(contents, "status"), ["completed", "completed"])
      assert.deepStrictEqual(yield* foundBy(server, "holiday"), ["people/holidays.md"])
      const again = yield* start(folder)
      assert.deepStrictEqual(yield* contentsOf(again), contents)
    }))

  it.live("a changed file is processed again, a new one is added, and one that is gone is found no more", () =>
    Effect.gen(function*() {
      const { folder } = yield* filled
      const start = yield* database
      const before = yield* processed(yield* start(folder))
      writeFileSync(join(folder, "prices.txt"), "A small service costs 59 dollars.")
      writeFileSync(join(folder, "tyres.txt"), "Tyres are changed in spring.")
      rmSync(join(folder, "people"), { recursive: true })
      const server = yield* start(folder)
      const after = yield* processed(server)
      assert.deepStrictEqual(column(after, "name"), ["prices.txt", "tyres.txt"])
      assert.strictEqual(at(after[0], "id"), at(before[1], "id"))
      assert.deepStrictEqual(yield* foundBy(server, "dollars"), ["prices.txt"])
      assert.deepStrictEqual(yield* foundBy(server, "euros"), [])
      assert.deepStrictEqual(yield* foundBy(server, "holiday"), [])
      const without = yield* start(undefined)
      assert.deepStrictEqual(list((yield* get(without, "/knowledge/content")).json, "data"), [])
      assert.deepStrictEqual(yield* foundBy(without, "tyres"), [])
    }))

  it.live("hidden files and links out of the folder are left out, and a file that no reader reads harms no other", () =>
    Effect.gen(function*() {
      const { folder, root } = yield* filled
      writeFileSync(join(root, "secret.txt"), "The secret of the house.")
      symlinkSync(join(root, "secret.txt"), join(folder, "linked.txt"))
      symlinkSync(folder, join(folder, "circle"))
      symlinkSync(join(folder, "prices.txt"), join(folder, "same.txt"))
      writeFileSync(join(folder, ".hidden.txt"), "Hidden")
      writeFileSync(join(folder, "broken.pdf"), "%PDF-1.7 and nothing else")
      const start = yield* database
      const server = yield* start(folder)
      const contents = yield* processed(server)
      assert.deepStrictEqual(
        contents.map((content) => [at(content, "name"), at(content, "status")]),
        [["broken.pdf", "failed"], ["people/holidays.md", "completed"], ["prices.txt", "completed"], [
          "same.txt",
          "completed"
        ]]
      )
      const skipped = server.logs.map(({ message }) => String(message)).filter((line) => line.includes("is left out"))
      assert.deepStrictEqual(skipped.toSorted(), [
        "A file of the folder of knowledge 'handbook' is left out: circle is a link to a folder",
        "A file of the folder of knowledge 'handbook' is left out: linked.txt is a link to a file outside of the folder"
      ])
    }))

  it.live("a model reads that files of the folder are not loaded yet, and the log says it at the start", () =>
    Effect.gen(function*() {
      const { folder } = yield* filled
      const gate = yield* Deferred.make<void>()
      const slow = Reader.make({
        id: "slow",
        types: [".txt"],
        read: ({ bytes }) => Effect.as(Deferred.await(gate), [{ text: new TextDecoder().decode(bytes) }])
      })
      const handbook = Knowledge.make({ name: "handbook", embedder: "demo", folder, readers: [slow] })
      const { calls, model } = yield* Script.make([...searching("euros"), ...searching("euros")])
      const shown = yield* Script.make([[Script.text("It is not loaded yet.")], [Script.text("49 euros.")]])
      const server = yield* TestServer.make({
        agents: [
          Agent.make({ id: "agent", model, knowledge: handbook }),
          Agent.make({ id: "shown", model: shown.model, knowledge: handbook, addKnowledgeToContext: true })
        ]
      })
      const lines = Effect.sync(() => server.logs.map(({ message }) => String(message)))
      const answered = runWhole(server, "agent", { message: "What does it cost?" })
      const first = (yield* answered).json
      yield* runWhole(server, "shown", { message: "euros" })
      assert.include(JSON.stringify((yield* shown.calls)[0]), "The knowledge base is still being loaded")
      assert.include(JSON.stringify((yield* calls)[1]), "The knowledge base is still being loaded")
      const line = "The folder of knowledge 'handbook' is being loaded: 2 files. Until then, searches miss some of them"
      yield* Effect.repeat(lines, { until: (all) => all.includes(line), schedule: pause })
      assert.notInclude(JSON.stringify(at(first, "references") ?? []), "49 euros")
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.repeat(lines, {
        until: (all) => all.some((line) => line.includes("is loaded: 2 files")),
        schedule: pause
      })
      const second = (yield* answered).json
      assert.include(JSON.stringify(at(second, "references")), "49 euros")
      assert.notInclude(JSON.stringify((yield* calls)[3]), "still being loaded")
      yield* runWhole(server, "shown", { message: "euros" })
      assert.notInclude(JSON.stringify((yield* shown.calls)[1]), "still being loaded")
    }))

  it.live("requests neither change nor remove its files", () =>
    Effect.gen(function*() {
      const { folder } = yield* filled
      const start = yield* database
      const server = yield* start(folder)
      const [content] = yield* processed(server)
      const path = `/knowledge/content/${String(at(content, "id"))}`
      const sentence = "The content is in a folder of the code of the service. Change it there"
      failed(yield* ask(server, path, { method: "DELETE" }), 409, "CONFLICT", sentence)
      failed(yield* send(server, "PATCH", path, { name: "mine" }), 409, "CONFLICT", sentence)
    }))

  it.live.runIf(Tier.isWhole)(
    "a service with hundreds of files is ready before they are loaded, and a stopped one leaves them to the next",
    () =>
      Effect.gen(function*() {
        const { folder } = yield* filled
        for (let index = 0; index < 300; index++) writeFileSync(join(folder, `${index}.txt`), `The number ${index}.`)
        const start = yield* database
        const first = yield* Effect.scoped(Effect.gen(function*() {
          const server = yield* start(folder)
          return yield* all(server)
        }))
        assert.isBelow(first.length, 303)
        assert.strictEqual(at(first.find((content) => at(content, "type") === "folder"), "status"), "processing")
        const server = yield* start(folder)
        yield* Effect.repeat(get(server, "/knowledge/content?limit=1"), {
          until: ({ json }) => at(json, "meta", "total_count") === 303,
          schedule: pause
        })
        yield* Effect.repeat(Effect.sync(() => server.logs.map(({ message }) => String(message))), {
          until: (lines) => lines.some((line) => line.includes("is loaded: 302 files")),
          schedule: pause
        })
      })
  )

  it.live("a folder that does not exist stops the start with a sentence", () =>
    Effect.gen(function*() {
      const { root } = yield* filled
      const start = yield* database
      const exit = yield* Effect.exit(get(yield* start(join(root, "none")), "/health"))
      assert.include(
        Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "",
        `Knowledge 'handbook': The folder ${join(root, "none")} cannot be read (ENOENT)`
      )
    }))
})
