// One process at a time in a data directory, shown with real processes.
import { assert, describe, it } from "@effect/vitest"
import * as TemporaryDirectory from "@svc-runtime/test-support/TemporaryDirectory"
import * as Tier from "@svc-runtime/test-support/Tier"
import { Effect, Exit, Scope } from "effect"
import { chmodSync, mkdirSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as DataDirectory from "../src/DataDirectory.ts"
import * as Child from "./fixtures/child.ts"

Tier.oneIn(10)

describe("DataDirectory", () => {
  it.live("a data directory is made for its owner alone, with its parents", () =>
    Effect.gen(function*() {
      const path = join(yield* TemporaryDirectory.make, "above", "data")
      assert.strictEqual(yield* DataDirectory.claim(path), path)
      assert.strictEqual(statSync(path).mode & 0o777, 0o700)
    }))

  it.live("a second process is refused, and the error names the first one and the ways out", () =>
    Effect.gen(function*() {
      const path = yield* TemporaryDirectory.make
      const holder = yield* Child.start("holder.ts", path)
      assert.strictEqual(yield* holder.line, "claimed")

      const error = yield* Effect.flip(DataDirectory.claim(path))
      assert.strictEqual(error._tag, "DataDirectoryInUse")
      assert.strictEqual(
        error.message,
        `DATA_DIR ${path} is in use by process ${holder.pid}. Stop it, set another DATA_DIR, ` +
          "or set DATABASE_URL to share one PostgreSQL"
      )
    }))

  it.live("a second claim of the same process is refused, and the error names what has claimed before", () =>
    Effect.gen(function*() {
      const path = yield* TemporaryDirectory.make
      yield* DataDirectory.claim(path)
      const error = yield* Effect.flip(DataDirectory.claim(path))
      assert.strictEqual(
        error.message,
        `DATA_DIR ${path} is in use by this program itself: run() of a component has opened it, or another service. ` +
          "Close the first one before the second one starts, as await Local.close() does, or leave it out"
      )
    }))

  it.live("a data directory is free again when its scope closes", () =>
    Effect.gen(function*() {
      const path = yield* TemporaryDirectory.make
      yield* Effect.scoped(DataDirectory.claim(path))
      yield* Effect.scoped(DataDirectory.claim(path))
    }))

  it.live("a data directory is free again, without repair, when its process was killed", () =>
    Effect.gen(function*() {
      const path = yield* TemporaryDirectory.make
      const holder = yield* Child.start("holder.ts", path)
      assert.strictEqual(yield* holder.line, "claimed")
      yield* holder.kill
      yield* DataDirectory.claim(path)
    }))

  it.live("exactly one of several processes that start together gets the data directory, also after a kill", () =>
    Effect.gen(function*() {
      const path = yield* TemporaryDirectory.make
      const killed = yield* Child.start("holder.ts", path)
      assert.strictEqual(yield* killed.line, "claimed")
      yield* killed.kill

      const starters = yield* Effect.forEach([1, 2, 3, 4, 5], () => Child.start("holder.ts", path))
      const lines = yield* Effect.forEach(starters, (starter) => starter.line, { concurrency: "unbounded" })
      const winner = starters[lines.indexOf("claimed")]
      assert.deepStrictEqual(
        lines.filter((line) => line !== "claimed").map((line) => /in use by process (\d+)\./.exec(line)?.[1]),
        Array.from({ length: 4 }, () => String(winner?.pid))
      )
    }))

  it.live("a pid file that names a dead process does not take the directory from a living one", () =>
    Effect.gen(function*() {
      const path = yield* TemporaryDirectory.make
      const scope = yield* Scope.make()
      yield* Scope.provide(DataDirectory.claim(path), scope)
      writeFileSync(join(path, "svc.pid"), "not a number")
      const error = yield* Effect.flip(DataDirectory.claim(path))
      assert.include(error.message, "in use by another process.")
      yield* Scope.close(scope, Exit.void)
    }))

  it.live("the error says that the path is not a directory", () =>
    Effect.gen(function*() {
      const path = join(yield* TemporaryDirectory.make, "file")
      writeFileSync(path, "")
      const error = yield* Effect.flip(DataDirectory.claim(path))
      assert.strictEqual(error._tag, "DataDirectoryUnusable")
      assert.include(error.message, `DATA_DIR ${path} cannot be used: EEXIST`)
    }))

  it.live.skipIf(process.platform !== "linux")(
    "the error about a parent that takes no directories comes at once",
    () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(DataDirectory.claim("/proc/svc/data"))
        assert.match(error.message, /^DATA_DIR \/proc\/svc\/data cannot be used: ENOENT/)
      })
  )

  it.live("missing parents are created, readable by their owner only", () =>
    Effect.gen(function*() {
      const path = join(yield* TemporaryDirectory.make, "one", "two")
      yield* Effect.scoped(DataDirectory.claim(path))
      assert.deepStrictEqual([path, join(path, "..")].map((each) => statSync(each).mode & 0o777), [0o700, 0o700])
    }))

  // root may write anywhere
  it.live.skipIf(process.getuid?.() === 0)(
    "the error says that the directory is not writable",
    () =>
      Effect.gen(function*() {
        const path = join(yield* TemporaryDirectory.make, "sealed")
        mkdirSync(path)
        chmodSync(path, 0o500)
        const error = yield* Effect.flip(DataDirectory.claim(path))
        assert.include(error.message, "cannot be used: EACCES")
      })
  )
})
