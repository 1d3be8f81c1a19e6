// Addresses inside of the console.
import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { go, href, parse, redirect, route } from "../src/Route.ts"

describe("Addresses", () => {
  it("An address that was made is read as what it was made of.", () => {
    const path = ["chat", "agent", "a/b ?#ä"]
    const query = { session: "x&y=z" }
    assert.deepStrictEqual(parse(href(path, query)), { path, query })
  })

  it("Empty values are left out.", () => {
    assert.strictEqual(href(["runs"], { status: "", page: undefined }), "#/runs")
  })

  it("A segment that is not encoded well is taken as it is.", () => {
    assert.deepStrictEqual(parse("#/runs/%E0%A4%A").path, ["runs", "%E0%A4%A"])
  })
})

describe("The page that is open", () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  const browserAt = (hash: string) => {
    const location = { hash }
    const replaceState = (_state: unknown, _title: string, to: string) => {
      location.hash = to
    }
    vi.stubGlobal("location", location)
    vi.stubGlobal("history", { replaceState })
    return location
  }

  it("A redirect does not bring the person back from a link that was just followed.", () => {
    const location = browserAt("")
    go("#/chat", { replace: true })
    assert.strictEqual(location.hash, "#/chat")
    location.hash = "#/approvals"
    redirect("#/chat/agent/shop")
    assert.strictEqual(location.hash, "#/approvals")
  })

  it("The address that a sign-in restored is the page that is open.", () => {
    const location = browserAt("")
    go("#/chat", { replace: true })
    location.hash = "#/runs?status=ERROR"
    go(location.hash, { replace: true })
    assert.deepStrictEqual(route.value, { path: ["runs"], query: { status: "ERROR" } })
  })
})
