// `svc docs` and `svc mcp-docs`: the documents, in the terminal and for assistants.
import { assert, describe, it } from "@effect/vitest"
import { assertLinear } from "@svc-runtime/test-support/Growth"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { type Found, type Page, search } from "../src/docs/Search.ts"
import { sectionsOf } from "../src/docs/Sections.ts"
import { cli, documentOf, place } from "./Cli.ts"
import { build, directory } from "./Process.ts"

Tier.oneIn(2)

const documents = join(import.meta.dirname, "../../../docs")

const server = "node_modules/@svc-runtime/server/docs"

const page = (path: string, text: string): Page => ({ path, text })

const first = (pages: ReadonlyArray<Page>, query: string): Found | undefined => search(pages, query, 1)[0]

describe("the search of the documents", () => {
  it("a word in a heading counts more than in a text, and a section with all words is before one with some, and two of a page suffice", () => {
    const pages = [
      page("a.md", "# Other\n\nA refund, a refund, a refund, and one more refund.\n"),
      page("b.md", "# Money\n\n## Refunds\n\nHow it works.\n"),
      page("c.md", "# Other\n\n## Sums\n\nThe limit of a refund is a sum.\n")
    ]
    assert.strictEqual(first(pages, "refund")?.path, "b.md")
    assert.strictEqual(first(pages, "limit of a refund")?.path, "c.md")
    const many = page("d.md", "# D\n\n## Refund\n\n## Refund\n\n## Refund\n")
    assert.deepStrictEqual(search([many], "refund", 5).map(({ anchor }) => anchor), ["refund", "refund-1"])
    assert.deepInclude(first(pages, "limit refund"), { title: "Other", section: "Sums", anchor: "sums" })
  })

  it("forms of a word, parts of a name and beginnings of words are found", () => {
    const pages = [page("a.md", "# A\n\nSet requiresConfirmation.\n"), page("b.md", "# B\n\nNothing.\n")]
    for (const query of ["confirmations", "confirmed", "requires confirmation", "requiresconf", "CONFIRM"]) {
      assert.strictEqual(first(pages, query)?.path, "a.md", query)
    }
    assert.deepStrictEqual(search(pages, "cores", 5), [])
    assert.deepStrictEqual(search(pages, "the of", 5), [])
  })

  it("an excerpt is the part with most of the words, without marks, and no longer than a few lines", () => {
    const long = `${"before ".repeat(60)}needle ${"after ".repeat(60)}`
    const pages = [
      page("a.md", `# A\n\nOne needle.\n\n| \`x\` | a [needle](b.md) and thread |\n`),
      page("b.md", `# B\n\n${long}`)
    ]
    assert.strictEqual(first(pages, "needle thread")?.excerpt, "x · a needle and thread")
    const excerpt = first([page("b.md", `# B\n\n${long}`)], "needle")?.excerpt ?? ""
    assert.match(excerpt, /^… .*needle.* …$/)
    assert.isBelow(excerpt.length, 250)
  })

  it.each(["\n", " \t", " |", " · a·", "[", "[](", "![", "```\n"])(
    "a page of many %j is searched in linear time",
    (piece) => {
      assertLinear(
        2000,
        (length) => void search([page("a.md", `# A\n\nneedle${piece.repeat(length)}x needle`)], "needle", 5)
      )
    }
  )

  it("a heading in a block of code begins no section", () => {
    const sections = sectionsOf("# A\n\n```sh\n# no heading\n```\n\n## B\n").map(({ anchor }) => anchor)
    assert.deepStrictEqual(sections, ["a", "b"])
  })
})

describe("svc docs", () => {
  it.effect.runIf(Tier.isWhole)(
    "words find the section of the real documents that a reader looks for",
    () =>
      Effect.gen(function*() {
        const expected = {
          "tool that needs an approval": /^(guides\/(approvals|pauses)|recipes\/refund)\.md/,
          "test an agent": /^(guides\/testing|recipes\/scripted)\.md/,
          "a value of a person in a workflow": /^(guides\/workflows|recipes\/\w+)\.md/,
          "limits per user": /^(operate\/limits|recipes\/\w+)\.md/,
          "backup and restore": /^(operate\/upgrading|recipes\/backup)\.md/,
          CORS_ORIGIN_LIST: /^reference\/settings\.md/,
          DATA_DIR: /^reference\/settings\.md/,
          "Agent.make": /^reference\/options\.md#agentmake/,
          requiresConfirmation: /^(reference\/options\.md#|guides\/pauses)/,
          runTimeout: /^reference\/options\.md/,
          "429": /^errors\/TOO_MANY_REQUESTS\.md/,
          "HTTP 413": /^errors\/PAYLOAD_TOO_LARGE\.md/,
          TOO_MANY_REQUESTS: /^errors\/TOO_MANY_REQUESTS\.md/,
          "stop sequences": /^(reference\/options|guides\/agents)\.md/
        }
        for (const [query, path] of Object.entries(expected)) {
          const ran = yield* cli(["docs", query, "--json", "--limit", "3"], yield* place)
          const { results } = documentOf<{ readonly results: ReadonlyArray<Found> }>(ran)
          assert.strictEqual(results.length, 3, query)
          assert.isTrue(results.some((found) => path.test(found.path)), `${query}: ${results[0]?.path}`)
        }
      })
  )

  it.effect("the documents of the project come first, and people see title, section, path and excerpt", () =>
    Effect.gen(function*() {
      const at = yield* place
      at.write(`${server}/concepts/durability.md`, "# Durability\n\n## Of tea\n\nIt is `hot`.\n")
      const ran = yield* cli(["docs", "hot", "tea"], at)
      assert.strictEqual(ran.code, 0)
      assert.strictEqual(
        ran.stdout,
        "Durability › Of tea  concepts/durability.md#of-tea\n  It is hot.\n\n" +
          "svc docs --page concepts/durability.md#of-tea prints the first one.\n"
      )
      const nothing = yield* cli(["docs", "coffee"], at)
      assert.deepInclude(nothing, { code: 1, stdout: "Nothing was found for: coffee\n" })
      assert.include((yield* cli(["docs"], at)).stdout, "concepts/durability.md")
    }))

  it.effect("a page is printed by its path or its name, and a section by its anchor", () =>
    Effect.gen(function*() {
      const at = yield* place
      const file = readFileSync(join(documents, "guides/approvals.md"), "utf8").trimEnd()
      for (const name of ["guides/approvals.md", "approvals", "docs/guides/approvals"]) {
        assert.strictEqual((yield* cli(["docs", "--page", name], at)).stdout, `${file}\n`, name)
      }
      const section = (yield* cli(["docs", "--page", "approvals#deciding"], at)).stdout
      assert.isTrue(section.startsWith("## Deciding\n"))
      assert.notInclude(section, "## Finding approvals")
    }))

  it.effect("a page or a section that does not exist is an error that says what there is", () =>
    Effect.gen(function*() {
      const at = yield* place
      const errorOf = (name: string) => Effect.map(cli(["docs", "--page", name, "--json"], at), documentOf)
      assert.deepInclude(yield* errorOf("none"), { error: "There is no page none.", hint: "svc docs lists the pages." })
      at.write(`${server}/concepts/durability.md`, "# Durability\n")
      for (const folder of ["a", "b"]) at.write(`${server}/${folder}/tea.md`, "# Tea\n\n## Hot\n")
      assert.strictEqual((yield* errorOf("tea")).error, "Several pages have this name: a/tea.md, b/tea.md.")
      assert.strictEqual((yield* errorOf("a/tea#none")).hint, "It has: tea, hot.")
      assert.strictEqual((yield* cli(["docs", "x", "--page", "tea"], at)).code, 2)
    }))
})

describe("svc mcp-docs", () => {
  it.effect("the error with --json names the command that has a document", () =>
    Effect.gen(function*() {
      const ran = yield* cli(["mcp-docs", "--json"], yield* place)
      assert.strictEqual(ran.code, 1)
      assert.deepStrictEqual(documentOf(ran), {
        error: "svc mcp-docs writes the messages of MCP, and has no document",
        hint: "svc docs WORDS --json searches the documents."
      })
    }))

  /** A project in which the packed tool and the documents are installed. */
  const project = async (): Promise<string> => {
    await build()
    const home = mkdtempSync(join(tmpdir(), "documented-"))
    cpSync(documents, join(home, server), { recursive: true, filter: (source) => !source.includes("images") })
    return home
  }

  it.runIf(Tier.isWhole)(
    "the packed tool answers over MCP until its input ends, also after a line that is no JSON",
    async () => {
      const child = spawn(process.execPath, [join(directory, "bin.js"), "mcp-docs"], { cwd: await project() })
      const call = (id: number, method: string, params: object) =>
        JSON.stringify({ jsonrpc: "2.0", id, method, params })
      const tool = (id: number, name: string, args: object) => call(id, "tools/call", { name, arguments: args })
      const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
      const output = text(child.stdout)
      const errors = text(child.stderr)
      const ended = new Promise((resolve) => child.once("close", resolve))
      child.stdin.end([
        call(1, "initialize", client),
        JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }),
        call(2, "tools/list", {}),
        "no JSON",
        "",
        tool(3, "search_docs", { query: "backup and restore", limit: 5 }),
        tool(4, "read_doc", { path: "operate/upgrading.md#backup" }),
        tool(5, "read_doc", { path: "none" }),
        ""
      ].join("\n"))
      assert.strictEqual(await ended, 0)
      assert.strictEqual(await errors, "")
      const lines = (await output).trim().split("\n").map((line) => JSON.parse(line))
      assert.deepStrictEqual(lines.filter(({ error }) => error !== undefined), [
        { jsonrpc: "2.0", id: null, error: { code: -32700, message: "Parse error: the line is no JSON" } }
      ])
      const answers = new Map(lines.map(({ id, result }) => [id, result]))
      assert.strictEqual(answers.get(1).protocolVersion, "2025-06-18")
      assert.deepStrictEqual(answers.get(2).tools.map(({ name }: { name: string }) => name), [
        "search_docs",
        "read_doc"
      ])
      const found = answers.get(3).structuredContent.results.map(({ path }: { path: string }) => path)
      assert.include(found, "operate/upgrading.md#backup")
      assert.match(answers.get(4).structuredContent.text, /^## Backup\n/)
      assert.isTrue(answers.get(5).isError)
      assert.include(answers.get(5).content[0].text, "There is no page none.")
    }
  )

  it.runIf(Tier.isWhole)("without the documents, the packed tool says where they are", async () => {
    await build()
    const child = spawn(process.execPath, [join(directory, "bin.js"), "docs", "tea"], {
      cwd: mkdtempSync(join(tmpdir(), "undocumented-"))
    })
    assert.include(await text(child.stderr), "The documents are in @svc-runtime/server, which is not installed here.")
  })
})
