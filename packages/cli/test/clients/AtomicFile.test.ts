// Replacing files: whatever ends a run, and wherever, the file is the old one or the new one.
import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, FileSystem, Layer, PlatformError, type Scope } from "effect"
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { current, replace } from "../../src/clients/AtomicFile.ts"
import { place } from "../Cli.ts"

const bytes = (text: string) => new TextEncoder().encode(text)

const directory = Effect.map(place, ({ cwd }) => cwd)

const put = (path: string, text: string, isSecret = true, expected?: Uint8Array) =>
  Effect.gen(function*() {
    yield* replace({ path, bytes: bytes(text), expected: expected ?? (yield* current(path)), isSecret })
  })

const modeOf = (path: string) => statSync(path).mode & 0o777

const withUmask = <A, E, R>(mask: number, effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => process.umask(mask)),
    () => effect,
    (before) => Effect.sync(() => process.umask(before))
  )

const live = (
  name: string,
  run: Effect.Effect<void, unknown, NodeServices.NodeServices | Scope.Scope>
) => it.live(name, () => run.pipe(Effect.provide(NodeServices.layer)))

describe("AtomicFile", () => {
  live(
    "a file is written whether it exists or not, and nothing is left beside it",
    Effect.gen(function*() {
      const folder = yield* directory
      const path = join(folder, "config.json")
      yield* put(path, "new")
      assert.strictEqual(readFileSync(path, "utf8"), "new")
      yield* put(path, "newer")
      assert.strictEqual(readFileSync(path, "utf8"), "newer")
      assert.deepStrictEqual(readdirSync(folder), ["config.json"])
    })
  )

  live(
    "a secret is readable for its owner only, whatever the file and the umask allowed",
    Effect.gen(function*() {
      const folder = yield* directory
      const [fresh, wide] = [join(folder, "fresh"), join(folder, "wide")]
      writeFileSync(wide, "old")
      chmodSync(wide, 0o664)
      yield* withUmask(0, Effect.andThen(put(fresh, "a"), put(wide, "b")))
      assert.strictEqual(modeOf(fresh), 0o600)
      assert.strictEqual(modeOf(wide), 0o600)
    })
  )

  live(
    "a file that is no secret keeps its mode, and a new one gets that of the umask",
    Effect.gen(function*() {
      const folder = yield* directory
      const [fresh, kept] = [join(folder, "fresh"), join(folder, "kept")]
      writeFileSync(kept, "old")
      chmodSync(kept, 0o640)
      yield* withUmask(0o027, Effect.andThen(put(fresh, "a", false), put(kept, "b", false)))
      assert.strictEqual(modeOf(fresh), 0o640)
      assert.strictEqual(modeOf(kept), 0o640)
      chmodSync(kept, 0o604)
      yield* put(kept, "c", false)
      assert.strictEqual(modeOf(kept), 0o604)
    })
  )

  live(
    "a file keeps its owner, where a process may give files away",
    Effect.gen(function*() {
      const folder = yield* directory
      const path = join(folder, "config")
      writeFileSync(path, "old")
      // only root can change the owner of this file
      const uid = process.getuid?.() === 0 ? 12_345 : statSync(path).uid
      chownSync(path, uid, statSync(path).gid)
      yield* put(path, "new")
      assert.strictEqual(statSync(path).uid, uid)
      assert.strictEqual(modeOf(path), 0o600)
    })
  )

  live(
    "links are followed: relative, in a chain, and to a file that does not exist yet",
    Effect.gen(function*() {
      const folder = yield* directory
      mkdirSync(join(folder, "dotfiles"))
      const real = join(folder, "dotfiles", "config")
      writeFileSync(real, "old")
      symlinkSync("dotfiles/config", join(folder, "first"))
      symlinkSync("first", join(folder, "second"))
      symlinkSync("dotfiles/later", join(folder, "dangling"))
      yield* put(join(folder, "second"), "new")
      assert.strictEqual(readFileSync(real, "utf8"), "new")
      assert.strictEqual(readlinkSync(join(folder, "second")), "first")
      assert.strictEqual(readlinkSync(join(folder, "first")), "dotfiles/config")
      yield* put(join(folder, "dangling"), "there")
      assert.isTrue(lstatSync(join(folder, "dangling")).isSymbolicLink())
      assert.strictEqual(readFileSync(join(folder, "dotfiles", "later"), "utf8"), "there")
      assert.deepStrictEqual(readdirSync(join(folder, "dotfiles")).toSorted(), ["config", "later"])
    })
  )

  live(
    "a change of another program since the file was read is not overwritten",
    Effect.gen(function*() {
      const folder = yield* directory
      const path = join(folder, "config")
      writeFileSync(path, "theirs")
      const error = yield* Effect.flip(put(path, "mine", true, bytes("as it was read")))
      assert.strictEqual(error._tag, "FileChanged")
      assert.strictEqual(readFileSync(path, "utf8"), "theirs")
      assert.deepStrictEqual(readdirSync(folder), ["config"])
    })
  )
})

/** The steps that change the disk, in their order; each may be the last one. */
const steps = ["open", "chmod", "writeAll", "sync", "rename"] as const
type Step = (typeof steps)[number]

const broken = (method: string) =>
  new PlatformError.PlatformError(
    new PlatformError.SystemError({ _tag: "Unknown", module: "FileSystem", method, description: "the disk is full" })
  )

/** A file system that goes as far as a step and then fails, or stops for good. */
const stoppingAt = (step: Step, stop: Effect.Effect<never, PlatformError.PlatformError>, cleans: boolean) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (files) => {
      const at = (name: Step) => name === step
      return FileSystem.FileSystem.of({
        ...files,
        chmod: (path, mode) => at("chmod") ? stop : files.chmod(path, mode),
        rename: (from, to) => at("rename") ? stop : files.rename(from, to),
        remove: (path, options) => cleans ? files.remove(path, options) : Effect.void,
        open: (path, options) =>
          at("open") ? stop : Effect.map(files.open(path, options), (file) => ({
            ...file,
            writeAll: (buffer) =>
              at("writeAll")
                // half of it gets there
                ? Effect.andThen(file.writeAll(buffer.slice(0, buffer.length / 2)), stop)
                : file.writeAll(buffer),
            sync: at("sync") ? stop : file.sync
          }))
      })
    })
  ).pipe(Layer.provide(NodeServices.layer))

describe("a crash while a file is replaced", () => {
  for (const step of steps) {
    live(
      `a failure at ${step} leaves the old file and nothing else`,
      Effect.gen(function*() {
        const folder = yield* directory
        const path = join(folder, "config")
        writeFileSync(path, "the old text")
        const exit = yield* Effect.exit(
          put(path, "the new text").pipe(Effect.provide(stoppingAt(step, Effect.fail(broken(step)), true)))
        )
        assert.isTrue(Exit.isFailure(exit))
        assert.strictEqual(readFileSync(path, "utf8"), "the old text")
        assert.deepStrictEqual(readdirSync(folder), ["config"])
      })
    )

    live(
      `a power failure at ${step} leaves the old file complete, and any other file readable for its owner only`,
      Effect.gen(function*() {
        const folder = yield* directory
        const path = join(folder, "config")
        writeFileSync(path, "the old text")
        yield* Effect.exit(
          put(path, "the new text").pipe(Effect.provide(stoppingAt(step, Effect.die("no power"), false)))
        )
        assert.strictEqual(readFileSync(path, "utf8"), "the old text")
        for (const left of readdirSync(folder).filter((name) => name !== "config")) {
          assert.match(left, /^\.config\..+\.tmp$/)
          assert.strictEqual(modeOf(join(folder, left)), 0o600)
        }
        // and the next run is not in its way
        yield* put(path, "the new text")
        assert.strictEqual(readFileSync(path, "utf8"), "the new text")
      })
    )
  }
})
