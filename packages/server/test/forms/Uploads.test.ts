// Files that come with a run: which category they fall into, by content type, else by extension,
// and what of them ends up in the run's input and before the model.
import { assert, describe, it, layer } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { at, get, hasKeys, list, runWhole, upload, uuid } from "../Wire.ts"
import { Started, started } from "./Started.ts"

Tier.oneIn(8)

const words = (text: string) => text.split(" ")
const typed = (prefix: string, names: string) => words(names).map((name) => `${prefix}/${name}`)

const office = "application/vnd.openxmlformats-officedocument"

const byType: Readonly<Record<string, ReadonlyArray<string>>> = {
  images: typed("image", "png jpeg jpg gif webp bmp tiff tif avif heic heif"),
  audios: typed("audio", "wav wave mp3 mpeg ogg mp4 m4a aac flac"),
  videos: typed("video", "x-flv quicktime mpeg mpegs mpgs mpg mp4 webm wmv 3gpp"),
  files: [
    ...typed("application", "pdf json x-javascript msword vnd.ms-powerpoint vnd.ms-excel vnd.ms-outlook x-python"),
    `${office}.wordprocessingml.document`,
    `${office}.presentationml.presentation`,
    `${office}.spreadsheetml.sheet`,
    ...typed("text", "javascript x-python plain html css markdown csv xml rtf")
  ]
}

const byExtension: Readonly<Record<string, ReadonlyArray<string>>> = {
  images: words("png jpg jpeg gif webp bmp tiff tif avif heic heif"),
  audios: words("wav mp3 ogg m4a aac flac"),
  videos: words("flv mov mpeg mpg mp4 webm wmv 3gp"),
  files: words("pdf json js docx doc pptx ppt xlsx xls msg py txt html htm css md markdown csv xml rtf")
}

const cases = (table: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Object.entries(table).flatMap(([kind, items]) => items.map((item) => [item, kind] as const))

layer(Started.layer)("categories by type", (it) => {
  it.effect.each(cases(byType))("a file of the type %s is one of the %s", ([type, kind]) =>
    Effect.gen(function*() {
      const { server } = yield* Started
      const { json, status } = yield* upload(server, "plain", { message: "look", stream: "no" }, [
        new File(["abc"], "upload", { type })
      ])
      assert.strictEqual(status, 200)
      hasKeys(at(json, "input"), "input_content", kind)
      assert.strictEqual(list(json, "input", kind).length, 1)
    }))
})

layer(Started.layer)("texts", (it) => {
  it.effect.each([
    ["ISO 8859-1", "latin1", "text/plain"],
    ["a declared charset", "latin1", "text/plain; charset=iso-8859-1"],
    ["UTF-16 with a byte order mark", "utf16le", "text/plain"],
    ["UTF-8", "utf8", "text/plain"]
  ])("a file in %s is read with its letters", ([, encoding, type]) =>
    Effect.gen(function*() {
      const { server } = yield* Started
      const text = "Der Grüne Bär läuft über die Straße"
      const bytes = Buffer.from(encoding === "utf16le" ? `\ufeff${text}` : text, encoding as BufferEncoding)
      const { json } = yield* upload(server, "plain", { message: "look", stream: "no" }, [
        new File([bytes], "bear.txt", { type: type! })
      ])
      assert.strictEqual(at(json, "input", "files", 0, "content"), text)
    }))
})

layer(Started.layer)("categories by extension", (it) => {
  it.effect.each(cases(byExtension))(
    "a file without a type and with .%s is one of the %s",
    ([extension, kind]) =>
      Effect.gen(function*() {
        const { server } = yield* Started
        for (const type of ["", "application/octet-stream"]) {
          const name = `My.Upload.${extension.toUpperCase()}`
          const { json } = yield* upload(server, "plain", { message: "look", stream: "no" }, [
            new File(["abc"], name, { type })
          ])
          hasKeys(at(json, "input"), "input_content", kind)
          assert.strictEqual(at(json, "input", kind, 0, "format"), extension)
        }
      })
  )
})

layer(Started.layer)("refusals", (it) => {
  it.effect.each([
    ["application/x-msdownload", "setup.exe"],
    ["application/zip", "a.zip"],
    ["image/svg+xml", "a.svg"],
    ["text/calendar", "a.ics"],
    ["", "noextension"],
    ["", "a.exe"],
    ["application/octet-stream", "a.constructor"],
    ["application/octet-stream", "a.__proto__"],
    ["application/nonsense", "a.png"]
  ])("a file of the type %j called %s is refused", ([type, name]) =>
    Effect.gen(function*() {
      const { script, server } = yield* Started
      const answer = yield* upload(server, "plain", { message: "look", stream: "no", session_id: "s" }, [
        new File(["fine"], "a.txt", { type: "text/plain" }),
        new File(["abc"], name!, { type: type! })
      ])
      assert.strictEqual(answer.status, 400)
      const detail = String(at(answer.json, "detail"))
      // the client of the tests names the type of a file without one
      if (type !== "") assert.include(detail, `'${type}'`)
      assert.include(detail, `'${name}'`)
      assert.include(detail, "It takes images (png, jpg, ")
      assert.deepStrictEqual(yield* script.calls, [], "the model saw nothing")
      assert.strictEqual((yield* get(server, "/sessions/s")).status, 404, "nothing is stored")
    }))
})

describe("categories of files", () => {
  it.effect("the type wins over the extension, and its parameters do not matter", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const { json } = yield* upload(server, "plain", { message: "look", stream: "no" }, [
        new File(["abc"], "a.mp3", { type: "image/png" }),
        new File(["abc"], "b.csv", { type: "TEXT/HTML; charset=utf-8" })
      ])
      hasKeys(at(json, "input"), "input_content", "images", "files")
      assert.strictEqual(at(json, "input", "files", 0, "mime_type"), "text/html")
    }))

  it.effect("an empty file is ignored, whatever its type", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const { json, status } = yield* upload(server, "plain", { message: "look", stream: "no" }, [
        new File([], "a.png", { type: "image/png" }),
        new File([], "a.exe", { type: "application/x-msdownload" })
      ])
      assert.strictEqual(status, 200)
      hasKeys(at(json, "input"), "input_content")
    }))
})

const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
const base64 = Buffer.from(bytes).toString("base64")

describe("contents", () => {
  it.effect("the bytes of a file are base64, with id, format and type", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const { json } = yield* upload(server, "plain", { message: "look", stream: "no" }, [
        new File([bytes], "photo.JPG", { type: "image/jpeg" }),
        new File([bytes], "report.pdf", { type: "application/pdf" })
      ])
      const image = at(json, "input", "images", 0)
      hasKeys(image, "id", "content", "format", "mime_type")
      assert.match(String(at(image, "id")), uuid)
      assert.strictEqual(at(image, "content"), base64)
      assert.strictEqual(at(image, "format"), "jpg")
      assert.strictEqual(at(image, "mime_type"), "image/jpeg")
      const file = at(json, "input", "files", 0)
      hasKeys(file, "id", "content", "format", "mime_type", "filename", "size")
      assert.strictEqual(at(file, "content"), base64)
      assert.strictEqual(at(file, "filename"), "report.pdf")
      assert.strictEqual(at(file, "size"), 256)
    }))

  it.effect("a text document is plain text, and an ambiguous type is that of the extension", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const { json } = yield* upload(server, "plain", { message: "look", stream: "no" }, [
        new File(["# Grüße"], "a.md", { type: "text/plain" }),
        new File(["a,b"], "table.csv", { type: "application/octet-stream" }),
        new File(["hi"], "notes.txt", { type: "text/plain" })
      ])
      const files = list(json, "input", "files")
      assert.deepStrictEqual(files.map((file) => [at(file, "content"), at(file, "mime_type")]), [
        ["# Grüße", "text/markdown"],
        ["a,b", "text/csv"],
        ["hi", "text/plain"]
      ])
    }))

  it.effect("an upload is in the user's message, under the same id, and before the model", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started()
      const { json } = yield* upload(server, "plain", { message: "look", stream: "no" }, [
        new File([bytes], "photo.png", { type: "image/png" })
      ])
      const message = at(json, "messages", 0)
      assert.deepStrictEqual(at(message, "images"), at(json, "input", "images"))
      const [prompt] = yield* script.prompts
      const part = at(prompt?.[0], "content", 1)
      assert.strictEqual(at(part, "type"), "file")
      assert.strictEqual(at(part, "mediaType"), "image/png")
    }))

  it.effect("names of files are kept as text and are not used as paths", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const { json } = yield* upload(server, "plain", { message: "look", stream: "no" }, [
        new File(["x"], "../../etc/passwd.txt", { type: "text/plain" }),
        new File(["x"], "größe – 1.txt", { type: "text/plain" })
      ])
      const names = list(json, "input", "files").map((file) => at(file, "filename"))
      assert.strictEqual(names[1], "größe – 1.txt")
      assert.match(String(names[0]), /passwd\.txt$/)
    }))
})

describe("media as JSON", () => {
  const item = { content: base64, mime_type: "image/png", format: "png", id: "mine" }

  it.effect("images, audio, videos and input_files of JSON become part of the input", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const { json } = yield* runWhole(server, "plain", {
        message: "look",
        images: JSON.stringify([item, { url: "https://example.com/a.png" }]),
        audio: JSON.stringify([{ content: base64, format: "wav", sample_rate: 24000 }]),
        videos: JSON.stringify([{ url: "https://example.com/a.mp4" }]),
        input_files: JSON.stringify([{ content: "plain", mime_type: "text/plain", filename: "a.txt" }])
      })
      assert.deepStrictEqual(at(json, "input"), {
        input_content: "look",
        images: [item, { url: "https://example.com/a.png" }],
        audios: [{ content: base64, format: "wav", sample_rate: 24000 }],
        videos: [{ url: "https://example.com/a.mp4" }],
        files: [{ content: "plain", mime_type: "text/plain", filename: "a.txt" }]
      })
    }))

  it.effect("media of JSON come after uploads", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const { json } = yield* upload(
        server,
        "plain",
        { message: "look", stream: "no", images: JSON.stringify([item]) },
        [new File(["abc"], "a.gif", { type: "image/gif" })]
      )
      const formats = list(json, "input", "images").map((image) => at(image, "format"))
      assert.deepStrictEqual(formats, ["gif", "png"])
    }))

  it.effect("a list with anything but media is dropped as a whole", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      for (const images of ["{}", "[1]", "[{\"content\":3}]", "null", "[", JSON.stringify(item)]) {
        const { json, status } = yield* runWhole(server, "plain", { message: "look", images })
        assert.strictEqual(status, 200)
        hasKeys(at(json, "input"), "input_content")
      }
    }))

  it.effect("an empty list has no media", () =>
    Effect.gen(function*() {
      const { server } = yield* started()
      const { json } = yield* runWhole(server, "plain", { message: "look", images: "[]" })
      hasKeys(at(json, "input"), "input_content")
    }))
})
