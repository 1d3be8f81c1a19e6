import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileSystem, type Options } from "../../src/toolkit/fileSystem.ts"
import { call } from "./Calls.ts"

/** A directory beside a file that must not be read. */
const prepared = Effect.fnUntraced(function*(options: Partial<Options> = {}) {
  const outer = yield* TemporaryDirectory.make
  const root = join(outer, "root")
  mkdirSync(join(root, "notes"), { recursive: true })
  mkdirSync(join(outer, "root-beside"))
  writeFileSync(join(root, "notes", "today.txt"), "Buy tea")
  writeFileSync(join(outer, "secret.txt"), "secret")
  writeFileSync(join(outer, "root-beside", "secret.txt"), "secret")
  const [list, read] = fileSystem({ root, ...options })
  return { list: list!, outer, read: read!, root }
})

describe("the tools of files", () => {
  it.effect("files are listed and read by paths in the directory", () =>
    Effect.gen(function*() {
      const { list, read } = yield* prepared()
      assert.strictEqual(yield* call(list, {}), `{"entries":[{"name":"notes","kind":"directory"}]}`)
      assert.strictEqual(yield* call(list, { path: "notes" }), `{"entries":[{"name":"today.txt","kind":"file"}]}`)
      assert.strictEqual(yield* call(read, { path: "/notes/../notes/today.txt" }), "Buy tea")
    }))

  it.effect("no path leads out of the directory", () =>
    Effect.gen(function*() {
      const { list, outer, read, root } = yield* prepared()
      symlinkSync(join(outer, "secret.txt"), join(root, "link.txt"))
      symlinkSync(outer, join(root, "up"))
      symlinkSync("loop", join(root, "loop"))
      const paths = [
        "../secret.txt",
        "link.txt",
        "up/secret.txt",
        "../root-beside/secret.txt",
        "notes/../../secret.txt",
        "../not-there.txt"
      ]
      for (const path of paths) {
        assert.strictEqual(yield* call(read, { path }), `Error: '${path}' is outside of the directory`)
      }
      assert.match(yield* call(list, { path: ".." }), /outside of the directory$/)
      assert.match(yield* call(list, { path: "up" }), /outside of the directory$/)
      assert.match(yield* call(read, { path: "loop" }), /^Error/)
      assert.match(yield* call(read, { path: "notes/today.txt\0.md" }), /zero bytes/)
    }))

  it.effect("the response about a path below a link that leads out does not tell what exists there", () =>
    Effect.gen(function*() {
      const { list, outer, read, root } = yield* prepared()
      symlinkSync(outer, join(root, "up"))
      symlinkSync("up", join(root, "again"))
      symlinkSync(join(outer, "nothing.txt"), join(root, "dangling"))
      symlinkSync("notes", join(root, "inside"))
      const paths = ["up/secret.txt", "up/nothing.txt", "up/secret.txt/below", "again/nothing.txt", "dangling"]
      for (const path of paths) {
        assert.strictEqual(yield* call(read, { path }), `Error: '${path}' is outside of the directory`)
        assert.strictEqual(yield* call(list, { path }), `Error: '${path}' is outside of the directory`)
      }
      assert.strictEqual(yield* call(read, { path: "inside/nothing.txt" }), "Error: There is no 'inside/nothing.txt'")
      assert.strictEqual(yield* call(read, { path: "inside/today.txt" }), "Buy tea")
    }))

  it.effect("an error does not tell the path of the machine", () =>
    Effect.gen(function*() {
      const { outer, read } = yield* prepared()
      const error = yield* call(read, { path: "nothing.txt" })
      assert.strictEqual(error, "Error: There is no 'nothing.txt'")
      assert.notInclude(error, outer)
    }))

  it.effect("a long file is read in parts, and a long list is cut", () =>
    Effect.gen(function*() {
      const { list, read, root } = yield* prepared({ maxBytes: 4, maxEntries: 1 })
      assert.strictEqual(
        yield* call(read, { path: "notes/today.txt" }),
        "Buy \n[The file has 7 bytes. Continue with offset 4]"
      )
      assert.strictEqual(yield* call(read, { path: "notes/today.txt", offset: 4 }), "tea")
      writeFileSync(join(root, "second.txt"), "")
      assert.include(yield* call(list, {}), "Only the first 1 entries are listed")
    }))

  it.effect("a pipe and a directory are no files, and nothing waits for them", () =>
    Effect.gen(function*() {
      const { read, root } = yield* prepared()
      execFileSync("mkfifo", [join(root, "pipe")])
      assert.strictEqual(yield* call(read, { path: "pipe" }), "Error: 'pipe' is no file")
      assert.strictEqual(yield* call(read, { path: "notes" }), "Error: 'notes' is no file")
    }))

  it("a root that does not exist is refused when the tools are made", () => {
    assert.throws(() => fileSystem({ root: "/nowhere/at/all" }), /there is no directory/)
  })
})
