// Files of people and of agents in Slack.
import { assert, describe, it } from "@effect/vitest"
import * as PlatformListener from "@svc-runtime/test-support/platforms/PlatformListener"
import { Effect } from "effect"
import { call, direct, failureOf, reasonOf, starting } from "./SlackPlatform.ts"

const bytes = new TextEncoder().encode("a,b\n1,2\n")

const file = { name: "numbers.csv", mediaType: "text/csv", bytes }

/** A server that is not Slack's, and what it got. */
const elsewhere = Effect.gen(function*() {
  const requests: Array<PlatformListener.Request> = []
  const { url } = yield* PlatformListener.listen((request) => {
    requests.push(request)
    return { body: "OK" }
  })
  return { url, requests }
})

describe("files in Slack", () => {
  it.live("files of an agent are uploaded, and shared in the thread behind their text", () =>
    Effect.gen(function*() {
      const { post, slack } = yield* starting()
      const place = { channel: "C0DESK", thread: "17.5" }
      const id = yield* post({ text: "The numbers", files: [file, { ...file, name: "more.csv" }] }, place)
      const [text, shared] = slack.messages
      assert.strictEqual(text?.ts, id)
      assert.strictEqual(shared?.thread_ts, "17.5")
      assert.deepEqual(shared?.files?.map(({ title }) => title), ["numbers.csv", "more.csv"])
      for (const { bytes: stored } of slack.files.values()) assert.deepEqual(stored, bytes)
    }))

  it.live("files without a text have an id, with which an edit changes nothing", () =>
    Effect.gen(function*() {
      const { adapter, context, post, slack } = yield* starting()
      const id = yield* post({ text: "", files: [file] })
      assert.match(id, /^file:F/)
      yield* call(async () => adapter.edit?.(direct, id, { text: "Hello", key: "k1" }, context))
      assert.lengthOf(slack.messages, 1)
    }))

  it.live("when only the files failed, the repetition writes no second text", () =>
    Effect.gen(function*() {
      const { adapter, context, post, slack } = yield* starting()
      slack.fail("files.completeUploadExternal", { error: "internal_error" })
      const message = { text: "The numbers", key: "k1", files: [file] }
      assert.strictEqual(reasonOf(yield* failureOf(() => adapter.post(direct, message, context))), "temporary")
      const id = yield* post(message)
      assert.lengthOf(slack.messages, 2)
      assert.strictEqual(slack.messages[0]?.ts, id)
    }))

  it.live("an empty file is refused before anything is written", () =>
    Effect.gen(function*() {
      const { adapter, context, slack } = yield* starting()
      const message = { text: "The numbers", key: "k1", files: [{ ...file, bytes: new Uint8Array() }] }
      assert.strictEqual(reasonOf(yield* failureOf(() => adapter.post(direct, message, context))), "permanent")
      assert.deepEqual(slack.messages, [])
    }))

  it.live("an address for an upload that is not Slack's gets no file", () =>
    Effect.gen(function*() {
      const { adapter, context, slack } = yield* starting()
      const { requests, url } = yield* elsewhere
      const message = { text: "", key: "k1", files: [file] }
      for (const upload_url of [`${url}/upload`, "http://slack.com/upload", "https://slack.com.example/", "upload"]) {
        slack.fail("files.getUploadURLExternal", { with: { upload_url } })
        const failure = yield* failureOf(() => adapter.post(direct, message, context))
        assert.strictEqual(reasonOf(failure), "permanent", upload_url)
      }
      assert.deepEqual(requests, [])
      assert.deepEqual(slack.messages, [])
    }))

  it.live("files of a message of a person are read with what Slack says of them", () =>
    Effect.gen(function*() {
      const { read, slack } = yield* starting()
      const files = [
        { id: "F1", name: "a.png", mimetype: "image/png", size: 7, mode: "hosted" },
        { id: "F2", name: null, mimetype: null },
        { id: "F3", mode: "tombstone" },
        { id: "F4", mode: "hidden_by_limit" },
        { id: "../F5" },
        "F6"
      ]
      const event = yield* read(slack.message({ channel: "D0ANN", subtype: "file_share", text: "", files }))
      assert.deepEqual(event?.type === "message" && event.files, [
        { name: "a.png", mediaType: "image/png", size: 7, source: { id: "F1" } },
        { source: { id: "F2" } }
      ])
    }))

  it.live("a file of a person is downloaded with the token", () =>
    Effect.gen(function*() {
      const { adapter, context, slack } = yield* starting()
      slack.files.set("F1", { name: "a.csv", type: "text/csv", bytes })
      assert.deepEqual(yield* call(async () => adapter.download?.({ source: { id: "F1" } }, context)), bytes)
      const unknown = yield* failureOf(async () => adapter.download?.({ source: { id: "F2" } }, context))
      assert.strictEqual(reasonOf(unknown), "permanent")
    }))

  it.live("a file that is stored outside of Slack is not asked for, so that its server gets no token", () =>
    Effect.gen(function*() {
      const { adapter, context, slack } = yield* starting()
      const { requests, url } = yield* elsewhere
      const download = () => failureOf(async () => adapter.download?.({ source: { id: "F1" } }, context))
      slack.files.set("F1", { name: "a.csv", type: "text/csv", url: `${url}/a.csv` })
      assert.strictEqual(reasonOf(yield* download()), "permanent")
      // also when Slack says that it stores it
      for (const url_private_download of [`${url}/a.csv`, "http://files.slack.com/a", "https://evilslack.com/a"]) {
        slack.fail("files.info", { with: { file: { id: "F1", mode: "hosted", url_private_download } } })
        assert.strictEqual(reasonOf(yield* download()), "permanent", url_private_download)
      }
      assert.deepEqual(requests, [])
    }))

  it.live("a page of Slack instead of the file says which permission is missing", () =>
    Effect.gen(function*() {
      const { adapter, context, slack } = yield* starting()
      const page = new TextEncoder().encode("<!DOCTYPE html>")
      slack.files.set("F1", { name: "a.csv", type: "text/html; charset=utf-8", bytes: page })
      const mimetype = "text/csv"
      const url_private_download = `${slack.url.replace(/\/api$/, "")}/files/F1`
      slack.fail("files.info", { with: { file: { id: "F1", mode: "hosted", mimetype, url_private_download } } })
      const failure = yield* failureOf(async () => adapter.download?.({ source: { id: "F1" } }, context))
      assert.deepInclude(failure, { reason: "unauthorized" })
    }))
})
