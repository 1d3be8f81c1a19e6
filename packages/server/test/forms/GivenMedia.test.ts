// Media that a request names in JSON, beside its uploads.
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, post, run, runWhole } from "../Wire.ts"
import { started } from "../wire/StartedRuns.ts"

const address = `/media/${"a".repeat(64)}`

describe("media in fields of JSON", () => {
  const items = [
    { url: address },
    { url: "" },
    { url: "file:///etc/passwd" },
    { url: "http:no-host" },
    { url: "ftp://files.example/a.png" },
    { filepath: "/etc/hosts" },
    { id: "a" },
    {}
  ]

  it.effect("a medium without content and without a url of the web is refused with its place, and no run starts", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started()
      for (const item of items) {
        for (const name of ["images", "audio", "videos", "input_files"]) {
          const given = [{ content: "aGk=" }, item]
          const form = yield* run(server, "plain", { message: "hi", stream: "false", [name]: JSON.stringify(given) })
          const json = yield* post(server, "/agents/plain/runs", { message: "hi", stream: false, [name]: given })
          for (const answer of [form, json]) {
            assert.strictEqual(answer.status, 422)
            assert.deepStrictEqual(at(answer.json, "errors", 0, "loc"), ["body", name, 1])
            assert.include(String(at(answer.json, "detail")), "neither content nor an http(s) or data url")
          }
        }
      }
      assert.lengthOf(yield* script.prompts, 0)
    }))

  it.effect("the model gets the content of a medium whose url is an address of the service", () =>
    Effect.gen(function*() {
      const { script, server } = yield* started()
      const images = JSON.stringify([{ url: address, content: "aGk=", mime_type: "image/png" }])
      const { status } = yield* runWhole(server, "plain", { message: "hi", images })
      assert.strictEqual(status, 200)
      assert.include(JSON.stringify((yield* script.prompts)[0]), "aGk=")
    }))
})
