// The package that is published: what is in it, what is not, and that it runs.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { nameOf } from "../../../scripts/publishing.ts"
import type { Bundled } from "../scripts/Bundle.ts"
import { info } from "./FakeService.ts"
import { build, directory, run } from "./Process.ts"

Tier.oneIn(3)

let bundled: Bundled
beforeAll(async () => {
  bundled = await build()
})

const sources = () => bundled.chunks.flatMap((chunk) => chunk.sources)

/** The MCP server of the documents is a program of its own. */
const isApart = ({ name }: { readonly name: string }) => name === "mcpDocs.js"

describe("the bundle", () => {
  it("the bundle contains nothing of the server, its stores and its keys", () => {
    // the endpoints of a feature and their schemas, and nothing of what it does
    const ofFeatures = sources().filter((source) => source.startsWith("packages/features/"))
    const endpoints = [
      "channels/ChannelLink.ts",
      "channels/ChannelMessage.ts",
      "channels/ChannelsApi.ts",
      "channels/ShownChannel.ts",
      "channels/StoredChannel.ts",
      "roles/RolesApi.ts",
      "roles/StoredRole.ts"
    ].map((file) => `packages/features/src/${file}`)
    assert.deepStrictEqual([...new Set(ofFeatures)].toSorted(), endpoints)
    // the manifest of Slack, and nothing that calls platforms
    const ofChannels = sources().filter((source) => source.startsWith("packages/channels/"))
    const manifest = ["Settings.ts", "slack/SlackManifest.ts"].map((file) => `packages/channels/src/${file}`)
    assert.deepStrictEqual([...new Set(ofChannels)].toSorted(), manifest)
    const others = sources().filter((source) => !ofFeatures.includes(source) && !ofChannels.includes(source))
    const own = [...new Set(others.map((source) => /^packages\/([^/]+)/.exec(source)?.[1]).filter(Boolean))]
    assert.deepStrictEqual(own.toSorted(), ["api", "cli", "client", "domain", "telemetry"])
    for (const name of ["jose", "pglite", "postgres", "sql-pg", "undici"]) {
      assert.isFalse(sources().some((source) => source.includes(name)), name)
    }
  })

  it("the bundle is smaller than its limit", () => {
    const bytesOf = (chunks: Bundled["chunks"]) => chunks.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0)
    const [apart, commands] = [bundled.chunks.filter(isApart), bundled.chunks.filter((chunk) => !isApart(chunk))]
    // 110 KB of them are the endpoints of the API and their schemas, and 170 KB the errors of `svc explain`
    assert.isBelow(bytesOf(commands), 930_000)
    assert.isBelow(bytesOf(apart), 480_000)
  })

  it("the search and the MCP server of the documents are loaded by their commands, and not at a start", () => {
    const documents = /^packages\/cli\/src\/docs\/|\/effect\/dist\/ai\//
    const sources = loadedWith(/^(?:bin|start|StatusOnly|AllCommands)/)
    assert.include(sources, "packages/cli/src/commands/docs.ts")
    assert.deepStrictEqual(sources.filter((source) => documents.test(source)), [])
  })

  it("the bundle is ASCII, which node reads faster", () => {
    for (const { code, name } of bundled.chunks) assert.notMatch(code, /[\u0080-\uFFFF]/, name)
  })

  it("the bundle has no wizard of Effect, because the tool has no flag for it", () => {
    assert.deepStrictEqual(sources().filter((source) => source.endsWith("/wizard.js")), [])
  })

  it("the bundle loads nothing else to print the version and the catalog", () => {
    const entry = bundled.chunks.find(({ name }) => name === "bin.js")
    assert.isTrue(entry?.imports.every((name) => name.startsWith("node:")))
    assert.isBelow(entry?.code.length ?? Infinity, 6_200)
    assert.isFalse(entry?.sources.some((source) => source.includes("node_modules")))
  })

  /** The sources of these files, and of the files that are loaded with them. */
  const loadedWith = (files: RegExp): ReadonlyArray<string> => {
    const loaded = (name: string, before: ReadonlySet<string>): ReadonlyArray<string> => {
      const chunk = bundled.chunks.find((chunk) => chunk.name === name)
      if (chunk === undefined || before.has(name)) return []
      const seen = new Set([...before, name])
      return [...chunk.sources, ...chunk.imports.flatMap((imported) => loaded(imported, seen))]
    }
    return bundled.chunks.map(({ name }) => name).filter((name) => files.test(name))
      .flatMap((name) => loaded(name, new Set()))
  }

  it("a command loads the endpoints of the API and the errors when it needs them, and not at its start", () => {
    const sources = loadedWith(/^(?:bin|start|StatusOnly|AllCommands)/)
    assert.include(sources, "packages/cli/src/service/ServiceClient.ts")
    const endpoints = /^packages\/api\/|\/effect\/dist\/http-api\/|\/explanations\.json$/
    assert.deepStrictEqual(sources.filter((source) => endpoints.test(source)), [])
  })

  it("svc status loads no command, and no parser of commands or configs", () => {
    const sources = loadedWith(/^(?:bin|start|StatusOnly)/)
    assert.include(sources, "packages/cli/src/status/Status.ts")
    const late = /\/src\/commands\/|\/effect\/dist\/cli\/|jsonc-parser|toml-eslint-parser/
    assert.deepStrictEqual(sources.filter((source) => late.test(source)), [])
  })

  it("the bundle has no import(), of which node warns in code that was stored", () => {
    for (const { code, name } of bundled.chunks) assert.notMatch(code, /\bimport\(/, name)
  })

  it("the bundle sends a file, and node prints no warning", async () => {
    const form = Promise.withResolvers<string>()
    const server = createServer((request, response) => {
      response.setHeader("content-type", "application/json")
      if (request.method === "GET") return response.end(JSON.stringify(info()))
      form.resolve(text(request))
      return response.writeHead(422).end(JSON.stringify({ detail: "refused" }))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const file = join(directory, "package.json")
    const ran = await run(["run", "agent/none", "Hi", "--file", file, "--json", "--url", url])
    server.closeAllConnections()
    server.close()
    assert.include(JSON.parse(ran.stdout).error, "refused")
    assert.include(await form.promise, readFileSync(file, "utf8"))
    assert.strictEqual(ran.stderr, "")
  })

  it("the bundle imports nothing at run time that it does not contain", () => {
    const brought = new Set(readdirSync(directory).map((name) => `./${name}`))
    for (const { code, name } of bundled.chunks) {
      const wanted = [...code.matchAll(/\brequire\(\s*[`"']([^`"']+)[`"']\s*\)/g)].map(([, specifier]) => specifier!)
      for (const specifier of wanted) {
        assert.isTrue(specifier.startsWith("node:") || brought.has(specifier), `${name} asks for ${specifier}`)
      }
    }
  })

  it("the bundle is a package with two names for one program, for a known node, with the licenses of others", () => {
    const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"))
    assert.strictEqual(manifest.name, nameOf("cli"))
    assert.deepStrictEqual(manifest.bin, { svc: "bin.js", svcctl: "bin.js" })
    assert.strictEqual(manifest.engines.node, ">=22.19")
    assert.isUndefined(manifest.scripts)
    assert.isUndefined(manifest.dependencies)
    assert.isTrue(readFileSync(join(directory, "bin.js"), "utf8").startsWith("#!/usr/bin/env node\n"))
    assert.include(readFileSync(join(directory, "NOTICES.txt"), "utf8"), "effect")
    assert.include(readFileSync(join(directory, "README.md"), "utf8"), "# ")
  })

  it("the bundle can be executed", async () => {
    const { code, stdout } = await run(["--version"])
    assert.strictEqual(code, 0)
    assert.match(stdout, /^svcctl \d+\.\d+\.\d+\n$/)
    const status = await run(["status", "--url", "http://127.0.0.1:9", "--json"])
    assert.strictEqual(status.code, 1)
    assert.include(JSON.parse(status.stdout).error, "No running")
  })
})
