// Commands of people on a channel, files in both directions, and messages that arrive while a run executes.
import { assert, describe, it } from "@effect/vitest"
import * as Agent from "@svc-runtime/features/Agent"
import * as MemoryPlatform from "@svc-runtime/test-support/platforms/MemoryPlatform"
import * as Script from "@svc-runtime/test-support/ScriptedModel"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Deferred, Effect } from "effect"
import { ask, at, get, list } from "../Wire.ts"
import * as Chatting from "./Chatting.ts"
import { fileOf, painter } from "./Painter.ts"
import { passing } from "./ScheduleTime.ts"

Tier.oneIn(4)

const command = (id: string, name: string, text = "") => ({ id, type: "command", name, text }) as const

const desk = Effect.fnUntraced(function*(
  turns: ReadonlyArray<Script.Turn>,
  options: Omit<Chatting.Options, "agents"> = {}
) {
  const script = yield* Script.make(turns)
  const agent = Agent.make({ id: "desk", name: "Desk", description: "I know all orders.", model: script.model })
  return { script, ...yield* Chatting.chatting({ agents: [agent], ...options }) }
})

const sessions = (server: Effect.Success<ReturnType<typeof desk>>["server"]) =>
  Effect.map(get(server, "/sessions?type=agent"), ({ json }) => list(json, "data").length)

describe("commands of a channel", () => {
  for (const name of ["help", "start", "Help"]) {
    it.effect(`/${name} says who answers, and what can be written`, () =>
      Effect.gen(function*() {
        const { platform, send } = yield* desk([])
        yield* send(command("E1", name))
        yield* Chatting.until(platform, () => platform.messages.length === 1)
        assert.deepStrictEqual(platform.texts(), [
          "I am **Desk**. I know all orders.\n\n" +
          "Write to me, and I answer. **/new** begins a new conversation, and **/stop** stops what I am doing."
        ])
      }))
  }

  it.effect("/new begins another session, and the one before stays", () =>
    Effect.gen(function*() {
      const { says, script, send, server } = yield* desk([[Script.text("One")], [Script.text("Two")]])
      yield* send({ id: "E1", text: "1" })
      yield* says("One")
      yield* send(command("E2", "new"))
      yield* says("A new conversation begins. I do not remember the one before.")
      yield* send({ id: "E3", text: "2" })
      yield* says("Two")
      assert.strictEqual(yield* sessions(server), 2)
      assert.notInclude(JSON.stringify((yield* script.prompts)[1]), "One")
    }))

  it.effect("a conversation whose session was deleted begins another one", () =>
    Effect.gen(function*() {
      const { says, script, send, server } = yield* desk([[Script.text("One")], [Script.text("Two")], [
        Script.text("3")
      ]])
      yield* send({ id: "E1", text: "1" })
      yield* says("One")
      const [session] = list((yield* get(server, "/sessions?type=agent")).json, "data")
      const path = `/sessions/${String(at(session, "session_id"))}`
      assert.strictEqual((yield* ask(server, path, { method: "DELETE" })).status, 204)
      yield* send({ id: "E2", text: "2" })
      yield* says("Two")
      assert.strictEqual((yield* get(server, path)).status, 404)
      assert.notInclude(JSON.stringify((yield* script.prompts)[1]), "One")
      yield* send({ id: "E3", text: "3" })
      yield* says("3")
      assert.strictEqual(yield* sessions(server), 1)
    }))

  it.effect("a command that is not known is a message", () =>
    Effect.gen(function*() {
      const { says, script, send } = yield* desk([[Script.text("One")]])
      yield* send(command("E1", "weather", "in Rome"))
      yield* says("One")
      assert.include(JSON.stringify((yield* script.prompts)[0]), "/weather in Rome")
    }))

  it.effect("/stop ends the run, and its words stay", () =>
    Effect.gen(function*() {
      const { platform, says, send } = yield* desk([[Script.text("I begin"), Script.hang]])
      yield* send({ id: "E1", text: "1" })
      yield* Chatting.until(platform, () => platform.texts().includes("I begin"))
      yield* send(command("E2", "stop"))
      yield* says("I begin\n\nI have stopped.")
      yield* send(command("E3", "stop"))
      yield* says("Done.")
    }))
})

describe("messages that arrive while a run of the conversation executes", () => {
  it.effect("messages wait, and are answered in their order", () =>
    Effect.gen(function*() {
      const first = yield* Deferred.make<void>()
      const { platform, says, send } = yield* desk([[Script.wait(first), Script.text("One")], [Script.text("Two")]])
      yield* send({ id: "E1", text: "1" })
      yield* send({ id: "E2", text: "2" })
      yield* Chatting.until(platform, () => platform.messages.length === 1)
      yield* Deferred.succeed(first, undefined)
      yield* says("Two")
      assert.deepStrictEqual(platform.texts(), ["One", "Two"])
    }))

  it.effect("messages are refused with a sentence, before the run has ended", () =>
    Effect.gen(function*() {
      const first = yield* Deferred.make<void>()
      const turns = [[Script.wait(first), Script.text("One")]]
      const { platform, says, send } = yield* desk(turns, { channel: { whenBusy: "reject" } })
      yield* send({ id: "E1", text: "1" })
      yield* send({ id: "E2", text: "2" })
      yield* says("I am still working on your last message. Please wait for my answer.")
      yield* Deferred.succeed(first, undefined)
      yield* Chatting.until(platform, () => platform.texts().includes("One"))
      assert.strictEqual(platform.messages.length, 2)
    }))

  it.effect("a message interrupts the run", () =>
    Effect.gen(function*() {
      const turns = [[Script.text("I begin"), Script.hang], [Script.text("Two")]]
      const { platform, says, send } = yield* desk(turns, { channel: { whenBusy: "interrupt" } })
      yield* send({ id: "E1", text: "1" })
      yield* Chatting.until(platform, () => platform.texts().includes("I begin"))
      yield* send({ id: "E2", text: "2" })
      yield* says("Two")
      assert.deepStrictEqual(platform.texts(), ["I begin\n\nI have stopped.", "Two"])
    }))
})

const png = new Uint8Array([137, 80, 78, 71, 1, 2, 3])

/** A platform whose files have these bytes by their names. */
const withFiles = (files: Readonly<Record<string, Uint8Array>>) => {
  const platform = MemoryPlatform.make()
  const download: typeof platform.adapter.download = ({ source }) =>
    Promise.resolve().then(() => {
      const bytes = files[String(source["name"])]
      if (bytes === undefined) throw new Error("There is no such file")
      return bytes
    })
  return { ...platform, adapter: { ...platform.adapter, download } }
}

const sent = (name: string, fields: object = {}) => ({ name, source: { name }, ...fields })

describe("files of a channel", () => {
  it.effect("the model reads the files of a message", () =>
    Effect.gen(function*() {
      const platform = withFiles({ "a.png": png, "b.txt": new TextEncoder().encode("The order is late") })
      const { says, script, send } = yield* desk([[Script.text("I see")]], { platform })
      yield* send({ id: "E1", text: "What is it?", files: [sent("a.png", { mediaType: "image/png" }), sent("b.txt")] })
      yield* says("I see")
      const prompt = JSON.stringify((yield* script.prompts)[0])
      assert.include(prompt, "image/png")
      assert.include(prompt, "b.txt")
    }))

  it.effect("a file without a text is a message", () =>
    Effect.gen(function*() {
      const platform = withFiles({ "a.png": png })
      const { says, send } = yield* desk([[Script.text("I see")]], { platform })
      yield* send({ id: "E1", text: "", files: [sent("a.png", { mediaType: "image/png" })] })
      yield* says("I see")
    }))

  const refused = [
    [
      "files that say they are too large",
      [sent("a.png", { size: 21 * 1024 * 1024 })],
      /^The files are too large for me/
    ],
    ["files that are too large without saying it", [sent("large.png"), sent("large.png")], /^The files are too large/],
    ["files of unknown types", [sent("a.exe", { mediaType: "application/x-exe" })], /^I cannot read files of this type/]
  ] as const
  for (const [what, files, expected] of refused) {
    it.effect(`${what} are refused with a sentence, and no run starts`, () =>
      Effect.gen(function*() {
        const platform = withFiles({ "a.exe": png, "a.png": png, "large.png": new Uint8Array(11 * 1024 * 1024) })
        const { send, server } = yield* desk([], { platform })
        yield* send({ id: "E1", text: "Look", files })
        yield* Chatting.until(platform, () => platform.messages.length === 1)
        assert.match(platform.texts()[0] ?? "", expected)
        assert.strictEqual(yield* sessions(server), 0)
      }))
  }

  it.effect("a platform whose files cannot be read says so", () =>
    Effect.gen(function*() {
      const { says, send } = yield* desk([])
      yield* send({ id: "E1", text: "Look", files: [sent("a.png")] })
      yield* says("I cannot read files here. Please write to me without one.")
    }))

  it.effect("the files of an answer are sent behind its words, once", () =>
    Effect.gen(function*() {
      const agent = Agent.make({ id: "desk", model: painter(fileOf("image/png", png)) })
      const { platform, send } = yield* Chatting.chatting({ agents: [agent] })
      yield* send({ id: "E1", text: "Paint" })
      yield* Chatting.until(platform, () => platform.messages.length === 2)
      yield* passing(Effect.sleep("2 seconds"))
      assert.deepStrictEqual(platform.texts(), ["Here it is", ""])
      const [file, ...others] = platform.messages[1]?.files ?? []
      assert.deepInclude(file, { mediaType: "image/png", name: "image-1.png" })
      assert.deepStrictEqual([...file?.bytes ?? []], [...png])
      assert.deepStrictEqual(others, [])
    }))

  it.effect("a file that is too large for the platform is named in the text", () =>
    Effect.gen(function*() {
      const agent = Agent.make({ id: "desk", model: painter(fileOf("image/png", png)) })
      const platform = MemoryPlatform.make({ limits: { file: 3 } })
      const { says, send } = yield* Chatting.chatting({ agents: [agent], platform })
      yield* send({ id: "E1", text: "Paint" })
      yield* says("Here it is\n\n(The file image-1.png is too large to be sent here.)")
      assert.strictEqual(platform.messages.length, 1)
    }))
})
