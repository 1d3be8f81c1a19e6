// Properties of the edits of config files over unusual texts: comments, blanks and commas wherever the syntax allows
// them. An entry that is added and removed leaves the same text.
import { assert, describe, it } from "@effect/vitest"
import * as Seed from "@svc-runtime/test-support/Seed"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Result, Schema } from "effect"
import type { EntryFormat, EntryLocation } from "../../src/clients/text/EntryFormat.ts"
import { JsonEntries } from "../../src/clients/text/JsonEntries.ts"
import { TomlEntries } from "../../src/clients/text/TomlEntries.ts"

const entry = { type: "http", url: "http://localhost:7777/mcp", headers: { Authorization: "Bearer svc_pat_x" } }
const name = "svc-of-test"

const ok = <A, E>(result: Result.Result<A, E>): A => {
  if (Result.isFailure(result)) throw new Error(`refused: ${JSON.stringify(result.failure)}`)
  return result.success
}

const comesAndGoes = (format: EntryFormat, place: EntryLocation, text: string): void => {
  const before = ok(format.entries(text, place))
  const changed = ok(format.set(text, place, name, entry))
  assert.deepStrictEqual({ ...ok(format.entries(changed, place)) }, { ...before, [name]: entry })
  assert.strictEqual(ok(format.set(changed, place, name, entry)), changed)
  assert.strictEqual(ok(format.remove(changed, place, name)), text)
}

/** What may stand between two tokens of JSON with comments. */
const between = ["", " ", "\n", "\r\n    ", "\t", " // a, \"b\": {}\n", "/* } , { */", "\n\n  /* x\n y */\n  "]

const key = Schema.Literals(["mcpServers", "svc", "a", "b\"c", "//", "/*", "é", ","])
/** As they are written, which is not how they are read. */
const numbers = ["12345678901234567890", "1.0", "-0", "1E+2"] as const
const isNumber = Schema.is(Schema.Literals(numbers))
const value = Schema.Union([
  Schema.Null,
  Schema.Boolean,
  Schema.Literals(numbers),
  Schema.String,
  Schema.Array(Schema.Boolean)
])
const servers = Schema.Record(key, Schema.Record(key, value))
const document = Schema.Struct({
  others: Schema.Record(key, value),
  servers: Schema.Union([Schema.Undefined, servers])
})

/** Prints with what the picks say between the tokens, and with a comma behind the last member where they say so. */
const printer = (picks: ReadonlyArray<number>) => {
  let at = 0
  const pick = (): number => picks.length === 0 ? 0 : picks[at++ % picks.length] ?? 0
  const gap = (): string => between[pick() % between.length] ?? ""
  const list = (open: string, items: ReadonlyArray<() => string>, close: string): string => {
    const printed = items.map((item) => `${gap()}${item()}${gap()}`)
    const trailing = printed.length > 0 && pick() % 3 === 0 ? `,${gap()}` : ""
    return `${open}${printed.length === 0 ? gap() : printed.join(",")}${trailing}${close}`
  }
  const print = (value: unknown): string => {
    if (Array.isArray(value)) return list("[", value.map((item) => () => print(item)), "]")
    if (typeof value === "object" && value !== null) {
      const members = Object.entries(value)
      return list("{", members.map(([key, item]) => () => `${JSON.stringify(key)}${gap()}:${gap()}${print(item)}`), "}")
    }
    return isNumber(value) ? value : JSON.stringify(value)
  }
  return (value: unknown): string => `${gap()}${print(value)}${gap()}`
}

const picks = Schema.Array(Schema.Literals([0, 1, 2, 3, 4, 5, 6, 7]))

describe("JSON with comments", () => {
  it.prop(
    "an edit of JSON with comments keeps every byte",
    { document, picks },
    ({ document: { others, servers }, picks }) => {
      const { mcpServers: _, ...rest } = others
      const text = printer(picks)(servers === undefined ? rest : { ...rest, mcpServers: servers })
      comesAndGoes(JsonEntries, ["mcpServers"], text)
    },
    { arbitrary: { runs: Tier.size(150, 600), seed: Seed.seed } }
  )
})

/** Pieces of TOML that stand well beside each other, whatever their order; `%` is a number of their own. */
const pieces = [
  "# comment [mcp_servers.svc]",
  "",
  "[t%]\nx = 1 # one",
  "[[list]]\nv = [1,\n  [2], # two\n]",
  "  [ mcp_servers . s% ]  # spaced\n\turl = 'x'",
  "[mcp_servers.\"q %\"]\nurl = \"x\"\n[mcp_servers.\"q %\".env]\nK = \"\"\"\n[mcp_servers.svc]\n\"\"\"",
  "[mcp_servers.s%]\nargs = [\"[\", \"]\"]\n# inside\nurl = \"y\"",
  "[u%.mcp_servers.svc-of-test]\nd = 1979-05-27T07:32:00Z\nf = 1.0",
  "[\"größe %\"]\n\"日本語\" = { a = 1, b = [ { c = 2 } ] }"
]

describe("TOML", () => {
  it.prop(
    "an edit of TOML keeps every byte",
    {
      top: Schema.Boolean,
      chosen: Schema.Array(Schema.Literals([0, 1, 2, 3, 4, 5, 6, 7, 8])),
      end: Schema.Literals(["\n", "\r\n"]),
      last: Schema.Literals(["", "\n", "\n\n", "\n\n\n"])
    },
    ({ chosen, end, last, top }) => {
      const body = chosen.map((index, at) => (pieces[index] ?? "").replaceAll("%", String(at)))
      const text = [...(top ? ["big = 9007199254740993123"] : []), ...body].join("\n") + last
      comesAndGoes(TomlEntries, ["mcp_servers"], text.replaceAll("\n", end))
    },
    { arbitrary: { runs: Tier.size(150, 600), seed: Seed.seed } }
  )
})
