// Config files on the disk: what is kept of them beside their text, and what is refused.
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, FileSystem, Layer } from "effect"
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as ConfigFile from "../../src/clients/ConfigFile.ts"
import * as Formats from "../../src/clients/text/Formats.ts"
import { place } from "../Cli.ts"
import * as corpus from "./corpus.ts"

Tier.oneIn(2)

const json = (file: string): ConfigFile.Table => ({ file, place: ["mcpServers"], format: Formats.json })
const toml = (file: string): ConfigFile.Table => ({ file, place: ["mcp_servers"], format: Formats.toml })

const entry = { url: "http://localhost:7777/mcp" }
const plain = { isSecret: false, makesFolder: false }
const secret = { isSecret: true, makesFolder: false }

const inFolder = <A, E>(run: (folder: string) => Effect.Effect<A, E, NodeServices.NodeServices>) =>
  Effect.gen(function*() {
    const { cwd } = yield* place
    return yield* run(cwd)
  }).pipe(Effect.provide(NodeServices.layer))

describe("a config file", () => {
  it.live("a config file that does not exist is made, readable for people", () =>
    inFolder(Effect.fnUntraced(function*(folder) {
      const [a, b] = [join(folder, "new", "deep", "a.json"), join(folder, "b.toml")]
      yield* ConfigFile.set(json(a), "svc", entry, { isSecret: true, makesFolder: true })
      yield* ConfigFile.set(toml(b), "svc", entry, plain)
      assert.strictEqual(
        readFileSync(a, "utf8"),
        "{\n  \"mcpServers\": {\n    \"svc\": {\n      \"url\": \"http://localhost:7777/mcp\"\n    }\n  }\n}\n"
      )
      assert.strictEqual(readFileSync(b, "utf8"), "[mcp_servers.svc]\nurl = \"http://localhost:7777/mcp\"\n")
      yield* ConfigFile.remove(json(a), "svc")
      yield* ConfigFile.remove(toml(b), "svc")
      assert.strictEqual(readFileSync(a, "utf8"), "{\n  \"mcpServers\": {}\n}\n")
      assert.strictEqual(readFileSync(b, "utf8"), "")
      yield* ConfigFile.remove(json(join(folder, "absent.json")), "svc")
      assert.isFalse(existsSync(join(folder, "absent.json")))
    })))

  it.live("a config file in a missing folder is an error where folders are not made", () =>
    inFolder(Effect.fnUntraced(function*(folder) {
      const error = yield* Effect.flip(ConfigFile.set(json(join(folder, "no", "a.json")), "svc", entry, plain))
      assert.include(error.message, "Could not write")
    })))

  it.live("a config file keeps its byte order mark, its mode and the link that leads to it", () =>
    inFolder(Effect.fnUntraced(function*(folder) {
      mkdirSync(join(folder, "dotfiles"))
      for (const [name, table, text] of [["a.json", json, "{\r\n}\r\n"], ["b.toml", toml, "x = 1\r\n"]] as const) {
        const [real, link] = [join(folder, "dotfiles", name), join(folder, name)]
        writeFileSync(real, `\uFEFF${text}`)
        chmodSync(real, 0o640)
        symlinkSync(join("dotfiles", name), link)
        yield* ConfigFile.set(table(link), "svc", entry, plain)
        assert.isTrue(readFileSync(real, "utf8").startsWith("\uFEFF"))
        assert.deepStrictEqual(yield* ConfigFile.read(table(link)), { svc: entry })
        assert.strictEqual(statSync(real).mode & 0o777, 0o640)
        yield* ConfigFile.set(table(link), "svc", entry, secret)
        assert.strictEqual(statSync(real).mode & 0o777, 0o600)
        yield* ConfigFile.remove(table(link), "svc")
        assert.strictEqual(readFileSync(real, "utf8"), `\uFEFF${text}`)
      }
    })))

  it.live("a config file has the same bytes after an entry was added and removed, with a byte order mark and without", () =>
    inFolder(Effect.fnUntraced(function*(folder) {
      for (
        const [table, samples] of [[json(join(folder, "a.json")), corpus.json], [
          toml(join(folder, "b.toml")),
          corpus.toml
        ]] as const
      ) {
        for (const { text, title } of samples) {
          for (const content of [text, `\uFEFF${text}`]) {
            writeFileSync(table.file, content)
            yield* ConfigFile.set(table, "svc", entry, secret)
            assert.notStrictEqual(readFileSync(table.file, "utf8"), content, title)
            yield* ConfigFile.remove(table, "svc")
            assert.strictEqual(readFileSync(table.file, "utf8"), content, title)
          }
        }
      }
    })))

  it.live("an invalid config file is refused by name when it is written, and read as empty", () =>
    inFolder(Effect.fnUntraced(function*(folder) {
      const bad: ReadonlyArray<readonly [ConfigFile.Table, string | Uint8Array, string]> = [
        [json(join(folder, "a.json")), "{ not json", "not valid JSON"],
        [json(join(folder, "b.json")), "", "it is empty"],
        [json(join(folder, "c.json")), "[]", "not an object"],
        [json(join(folder, "d.json")), Buffer.from("{}", "utf16le"), "not valid JSON"],
        [json(join(folder, "e.json")), new Uint8Array([0xff, 0xfe, 0x7b]), "not UTF-8"],
        [toml(join(folder, "f.toml")), "[mcp_servers\n", "not valid TOML"],
        [toml(join(folder, "g.toml")), new Uint8Array([0x61, 0xff]), "not UTF-8"]
      ]
      for (const [table, content, problem] of bad) {
        writeFileSync(table.file, content)
        for (
          const refused of [
            ConfigFile.set(table, "svc", entry, plain),
            ConfigFile.remove(table, "svc"),
            ConfigFile.read(table)
          ]
        ) {
          const error = yield* Effect.flip(Effect.asVoid(refused))
          assert.include(error.message, `Refusing to modify ${table.file}`)
          assert.include(error.message, problem)
        }
        assert.deepStrictEqual(yield* ConfigFile.peek(table), {})
        assert.deepStrictEqual(readFileSync(table.file), Buffer.from(content))
      }
    })))

  it.live("a config file that its client writes meanwhile keeps that change", () =>
    inFolder(Effect.fnUntraced(function*(folder) {
      const file = join(folder, "a.json")
      writeFileSync(file, "{\"a\": 1}")
      let writes = 2
      const busy = Layer.effect(
        FileSystem.FileSystem,
        Effect.map(FileSystem.FileSystem, (files) =>
          FileSystem.FileSystem.of({
            ...files,
            // between reading and writing
            open: (path, options) => {
              if (options?.flag === "wx" && writes-- > 0) writeFileSync(file, `{"a": ${3 - writes}}`)
              return files.open(path, options)
            }
          }))
      )
      yield* ConfigFile.set(json(file), "svc", entry, plain).pipe(Effect.provide(busy))
      assert.strictEqual(
        readFileSync(file, "utf8"),
        "{\"a\": 3, \"mcpServers\": { \"svc\": { \"url\": \"http://localhost:7777/mcp\" } }}"
      )
      writes = 1000
      const error = yield* Effect.flip(ConfigFile.set(json(file), "other", entry, plain).pipe(Effect.provide(busy)))
      assert.include(error.message, "another program keeps writing it")
    })))
})
