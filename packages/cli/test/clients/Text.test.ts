// Edits of config files as text. Whatever a user wrote stays as it was written: an entry that comes and goes leaves the
// bytes that were there, and an edit that cannot be made safely is refused.
import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Result, Schema } from "effect"
import type { EntryFormat, EntryLocation } from "../../src/clients/text/EntryFormat.ts"
import { JsonEntries } from "../../src/clients/text/JsonEntries.ts"
import { TomlEntries } from "../../src/clients/text/TomlEntries.ts"
import { json, toml } from "./corpus.ts"

Tier.oneIn(2)

const entry = { type: "http", url: "http://localhost:7777/mcp", headers: { Authorization: "Bearer svc_pat_x" } }
const other = { url: "https://other.example/mcp" }

const formats: ReadonlyArray<{
  readonly title: string
  readonly format: EntryFormat
  readonly place: EntryLocation
  readonly samples: typeof json
}> = [
  { title: "JSON", format: JsonEntries, place: ["mcpServers"], samples: json },
  { title: "TOML", format: TomlEntries, place: ["mcp_servers"], samples: toml }
]

const ok = <A, E>(result: Result.Result<A, E>): A => {
  if (Result.isFailure(result)) throw new Error(`refused: ${JSON.stringify(result.failure)}`)
  return result.success
}

describe.each(formats)("$title", ({ format, place, samples }) => {
  describe.each(samples)("$title", ({ text }) => {
    const set = (from: string, name: string, value: typeof entry | typeof other) =>
      ok(format.set(from, place, name, value))
    const removed = (from: string, name: string) => ok(format.remove(from, place, name))

    it("an entry that is added and removed leaves the same bytes", () => {
      assert.strictEqual(removed(set(text, "svc", entry), "svc"), text)
    })

    it("two entries that are added and removed leave the same bytes, in either order", () => {
      const both = set(set(text, "svc", entry), "svc-b", other)
      assert.strictEqual(removed(removed(both, "svc-b"), "svc"), text)
      assert.deepStrictEqual(
        ok(format.entries(removed(removed(both, "svc"), "svc-b"), place)),
        ok(format.entries(text, place))
      )
    })

    it("an entry is read as it was written, beside all that were there", () => {
      const before = ok(format.entries(text, place))
      assert.deepStrictEqual({ ...ok(format.entries(set(text, "svc", entry), place)) }, { ...before, svc: entry })
    })

    it("writing an entry a second time changes nothing, and another entry replaces it as a whole", () => {
      const once = set(text, "svc", entry)
      assert.strictEqual(set(once, "svc", entry), once)
      const replaced = set(once, "svc", other)
      assert.deepStrictEqual(ok(format.entries(replaced, place))["svc"], other)
      assert.strictEqual(removed(replaced, "svc"), text)
    })

    it("removing a missing entry changes nothing", () => {
      assert.strictEqual(removed(text, "absent"), text)
    })
  })
})

describe("JSON", () => {
  const place: EntryLocation = ["mcpServers"]

  it("an entry is laid out as its document is", () => {
    const put = (text: string) => ok(JsonEntries.set(text, place, "svc", other))
    assert.strictEqual(
      put("{\n\t\"mcpServers\": {\n\t\t\"x\": {}\n\t}\n}\n"),
      "{\n\t\"mcpServers\": {\n\t\t\"x\": {},\n\t\t\"svc\": {\n\t\t\t\"url\": \"https://other.example/mcp\"\n\t\t}\n\t}\n}\n"
    )
    assert.strictEqual(
      put("{\r\n  \"a\": 1\r\n}"),
      "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"svc\": {\r\n      \"url\": \"https://other.example/mcp\"\r\n    }\r\n  }\r\n}"
    )
    assert.strictEqual(
      put("{\"mcpServers\": {\"x\": {}}}"),
      "{\"mcpServers\": {\"x\": {}, \"svc\": { \"url\": \"https://other.example/mcp\" }}}"
    )
  })

  it("an entry whose name is written with escapes is found", () => {
    const text = "{\"mcpServers\": {\"\\u0073vc\": {\"url\": \"a\"}}}"
    assert.deepStrictEqual(ok(JsonEntries.entries(text, place)), { svc: { url: "a" } })
    assert.strictEqual(ok(JsonEntries.remove(text, place, "svc")), "{\"mcpServers\": {}}")
  })

  it("an entry in the middle is removed with its comma, and comments stay", () => {
    const text = "{\"mcpServers\": {\n  \"a\": {}, // a\n  \"svc\": {}, // svc\n  // b\n  \"b\": {}\n}}"
    assert.strictEqual(
      ok(JsonEntries.remove(text, place, "svc")),
      "{\"mcpServers\": {\n  \"a\": {}, // a\n   // svc\n  // b\n  \"b\": {}\n}}"
    )
    const inComment = "{\"mcpServers\": { // mine\n  \"svc\": {} }}"
    assert.strictEqual(ok(JsonEntries.remove(inComment, place, "svc")), "{\"mcpServers\": { // mine\n   }}")
  })

  it("an empty table is left in a file that has nothing else", () => {
    const own = ok(JsonEntries.set("{\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n", place, "svc", other))
    const left = ok(JsonEntries.remove(ok(JsonEntries.remove(own, place, "svc")), place, "x"))
    assert.strictEqual(left, "{\n  \"mcpServers\": {}\n}\n")
  })

  it("an entry is written to the servers of one project", () => {
    const deep: EntryLocation = ["projects", "/home/ada/work", "mcpServers"]
    const text =
      "{\"projects\": {\"/home/ada/work\": {\"mcpServers\": {\"svc\": {}, \"x\": {}}}}, \"mcpServers\": {\"svc\": {}}}"
    assert.deepStrictEqual(Object.keys(ok(JsonEntries.entries(text, deep))), ["svc", "x"])
    assert.strictEqual(
      ok(JsonEntries.remove(text, deep, "svc")),
      "{\"projects\": {\"/home/ada/work\": {\"mcpServers\": {\"x\": {}}}}, \"mcpServers\": {\"svc\": {}}}"
    )
  })

  it.each([
    ["an empty file", ""],
    ["blanks only", " \n"],
    ["an unfinished file", "{\"mcpServers\": {"],
    ["text behind the end", "{} {}"],
    ["single quotes", "{'a': 1}"],
    ["a list", "[]"],
    ["a number", "1"],
    ["servers in a list", "{\"mcpServers\": []}"],
    ["servers as text", "{\"mcpServers\": \"none\"}"],
    ["the table twice", "{\"mcpServers\": {\"a\": {}}, \"mcpServers\": {}}"],
    ["the name twice", "{\"mcpServers\": {\"svc\": {}, \"\\u0073vc\": {}}}"],
    ["a missing comma", "{\"a\": 1 \"b\": 2}"],
    ["a control character in a string", "{\"a\": \"\n\"}"]
  ])("the JSON editor refuses %s", (_, text) => {
    for (const result of [JsonEntries.set(text, place, "svc", entry), JsonEntries.remove(text, place, "svc")]) {
      assert.isTrue(Result.isFailure(result) && result.failure.why === "malformed")
    }
  })

  it("an entry replaces a null in its place", () => {
    assert.strictEqual(
      ok(JsonEntries.set("{\"mcpServers\": null}", place, "svc", other)),
      "{\"mcpServers\": {\"svc\": { \"url\": \"https://other.example/mcp\" }}}"
    )
  })

  it.each([
    ["on one line", "{\"mcpServers\": {\"a\": {}, \"b\": {}}}", "{\"mcpServers\": {}}"],
    [
      "on lines of their own",
      "{\n  \"x\": 1,\n  \"mcpServers\": {\n    \"a\": {},\n    \"b\": {}\n  }\n}\n",
      "{\n  \"x\": 1,\n  \"mcpServers\": {}\n}\n"
    ]
  ])("a table stays when its entries are removed together, %s", (_, text, left) => {
    assert.strictEqual(ok(JsonEntries.remove(text, place, "a", "b")), left)
    assert.strictEqual(ok(JsonEntries.remove(text, place, "b", "a")), left)
  })

  it("a table on one line stays when its entries are removed one after the other", () => {
    const removed = (text: string, name: string) => ok(JsonEntries.remove(text, place, name))
    assert.strictEqual(removed(removed("{\"mcpServers\": {\"a\": {}, \"b\": {}}}", "a"), "b"), "{\"mcpServers\": {}}")
  })

  it("a table that was null stays when the entry in its place is removed", () => {
    for (const text of ["{\"mcpServers\": null}", "{\n  \"x\": 1,\n  \"mcpServers\": null\n}\n"]) {
      const left = ok(JsonEntries.remove(ok(JsonEntries.set(text, place, "svc", other)), place, "svc"))
      assert.strictEqual(left, text.replace("null", "{}"))
    }
  })

  const key = Schema.Union([
    Schema.Literals(["mcpServers", "svc", "projects", "\"", "//", "/*", ",", "__proto__"]),
    Schema.String
  ])
  it.prop(
    "every byte of any document that JSON can hold is kept",
    {
      rest: Schema.Record(key, Schema.Json),
      mcpServers: Schema.Union([Schema.Undefined, Schema.Record(key, Schema.Json)]),
      unit: Schema.Literals(["", " ", "  ", "    ", "\t"]),
      end: Schema.Literals(["\n", "\r\n"])
    },
    ({ end, mcpServers, rest, unit }) => {
      const { mcpServers: _, ...others } = rest
      const value = mcpServers === undefined ? others : { ...others, mcpServers }
      const text = JSON.stringify(value, null, unit).replaceAll("\n", end)
      const name = "svc-of-test"
      const changed = ok(JsonEntries.set(text, place, name, entry))
      assert.deepStrictEqual(JSON.parse(changed).mcpServers[name], entry)
      assert.strictEqual(ok(JsonEntries.remove(changed, place, name)), text)
    },
    { arbitrary: { runs: 300, seed: Seed.seed } }
  )
})

describe("large files", () => {
  it.each([" ", "\t", "\n", "/*\n*/", "//\n"])("JSON with many %j is changed in time that grows with it", (piece) => {
    const blanks = (length: number) => piece.repeat(length)
    assertLinear(2000, (length) => {
      const text = `{"mcpServers": {${blanks(length)}"a": {}${blanks(length)}, "b": {}${blanks(length)}}}`
      const changed = ok(JsonEntries.set(text, ["mcpServers"], "c", { url: "https://c.example" }))
      ok(JsonEntries.remove(changed, ["mcpServers"], "c"))
    })
  })
})

describe("TOML", () => {
  const place: EntryLocation = ["mcp_servers"]
  const values = { url: "http://localhost:7777/mcp", http_headers: { Authorization: "Bearer \"t\\\"" } }
  const block =
    "[mcp_servers.svc]\nurl = \"http://localhost:7777/mcp\"\nhttp_headers = { \"Authorization\" = \"Bearer \\\"t\\\\\\\"\" }\n"
  const put = (text: string) => ok(TomlEntries.set(text, place, "svc", values))
  const removed = (text: string) => ok(TomlEntries.remove(text, place, "svc"))

  it("an entry is written as a table, at the end after a blank line", () => {
    assert.strictEqual(put("model = \"m\"\n"), `model = "m"\n\n${block}`)
  })

  it("an entry replaces all of its tables, at the place of the first", () => {
    assert.strictEqual(
      put(
        "a = 1\n\n[mcp_servers.svc] # old\nurl = \"x\" # x\n\n[mcp_servers.svc.env]\nK = \"v\"\n\n# of b\n[b]\n[mcp_servers.\"svc\".tools.x]\ny = 1\n"
      ),
      `a = 1\n\n${block}\n\n# of b\n[b]\n`
    )
  })

  it.each([
    ["a bare header", "[mcp_servers.svc]\nurl = \"x\"\n\n[b]\n", "\n[b]\n"],
    ["a quoted header", "[mcp_servers.\"svc\"]\nurl = \"x\"\n", ""],
    ["a literal header", "a = 1\n\n[mcp_servers.'svc']\nurl = \"x\"\n", "a = 1\n"],
    ["blanks in the header", "a = 1\n[ mcp_servers . svc ]\nurl = \"x\"\n", "a = 1\n"],
    ["a quoted table", "[\"mcp_servers\".svc]\nurl = \"x\"\n[c]\n", "[c]\n"],
    [
      "one inline table",
      "[mcp_servers] # c\nsvc = { url = \"x\" } # s\ny = { url = \"y\" }\n",
      "[mcp_servers] # c\ny = { url = \"y\" }\n"
    ],
    ["dotted keys", "mcp_servers.svc.url = \"x\"\nmcp_servers.svc.enabled = true\nz = 1\n", "z = 1\n"],
    ["dotted keys in the table", "[mcp_servers]\nsvc.url = \"x\"\ny.url = \"y\"\n", "[mcp_servers]\ny.url = \"y\"\n"],
    [
      "an array over lines that begin with brackets",
      "[mcp_servers.svc]\nargs = [\n[\"a\"],\n[\"b\"]\n]\n[c]\n",
      "[c]\n"
    ],
    ["a multi-line string", "[mcp_servers.svc]\nx = \"\"\"\n[c]\n\"\"\"\n[d]\n", "[d]\n"],
    ["no line end", "a = 1\n\n[mcp_servers.svc]\nurl = \"x\"", "a = 1"]
  ])("an entry is removed however it is spelled: %s", (_, before, after) => {
    assert.strictEqual(removed(before), after)
    assert.deepStrictEqual(ok(TomlEntries.entries(put(before), place))["svc"], values)
  })

  it.each([
    ["an unfinished file", "[mcp_servers"],
    ["a key twice", "a = 1\na = 2\n"],
    ["not TOML at all", "{\"a\": 1}"]
  ])("a malformed document is refused: %s", (_, text) => {
    for (const result of [TomlEntries.set(text, place, "svc", values), TomlEntries.remove(text, place, "svc")]) {
      assert.isTrue(Result.isFailure(result) && result.failure.why === "malformed")
    }
  })

  it.each([
    ["all entries in one inline table", "mcp_servers = { svc = { url = \"x\" } }\n"],
    ["an array of tables", "[[mcp_servers]]\nx = 1\n"],
    ["a number", "mcp_servers = 1\n"]
  ])("a layout that cannot be written is refused: %s", (_, text) => {
    const result = TomlEntries.set(text, place, "svc", values)
    assert.isTrue(Result.isFailure(result) && result.failure.why === "layout")
  })

  it("an entry is not removed from an inline table that holds all of them, and the error says so", () => {
    const result = TomlEntries.remove("mcp_servers = { svc = { url = \"x\" }, y = {} }\n", place, "svc")
    assert.isTrue(Result.isFailure(result) && result.failure.why === "layout")
  })
})
