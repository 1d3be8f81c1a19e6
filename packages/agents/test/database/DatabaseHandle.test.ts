import { assert, describe, it } from "@effect/vitest"
import * as DatabaseHandle from "@svc-runtime/engine/DatabaseHandle"
import { Redacted } from "effect"

const messageOf = (make: () => unknown): string => {
  try {
    make()
  } catch (error) {
    return String(error)
  }
  return ""
}

describe("database handles", () => {
  it("a handle with a url of another form is refused when it is made, and nothing of the url is shown", () => {
    for (const form of ["", "mysql://app:?@db/app", "postgres//app:?@db/app", "postgres://app:?@db:x/app"]) {
      const url = form.replace("?", "hunter2")
      for (const given of [url, Redacted.make(url)]) {
        const message = messageOf(() => DatabaseHandle.postgres({ id: "north-db", url: given }))
        assert.include(message, "'north-db': url must be of the form postgres://user:password@host:port/database")
        assert.notInclude(message, "hunter2")
      }
    }
  })

  it("a handle takes each form of a url that the service takes", () => {
    for (const url of ["postgres://a:b@db:5432/app", "postgresql://db/app", "postgres:///app?host=/run/postgresql"]) {
      assert.strictEqual(messageOf(() => DatabaseHandle.postgres({ id: "north-db", url })), "")
    }
  })

  it("an embedded database needs a directory, and the error says which values there are", () => {
    const message = messageOf(() => DatabaseHandle.embedded({ id: "north-db", dataDir: " " }))
    assert.include(message, "'north-db': dataDir must be a directory of its own, or \"memory\"")
  })
})
