// Where the compiled code of the tool is kept between its starts.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, directory, run } from "./Process.ts"

Tier.oneIn(8)

beforeAll(async () => {
  await build()
})

/** Starts the tool once, with folders for temporary files and for the home. */
const started = async (prepare: (folders: { readonly home: string; readonly temporary: string }) => void) => {
  const root = mkdtempSync(join(tmpdir(), "svc-cache-"))
  const folders = { home: join(root, "home"), temporary: join(root, "tmp") }
  for (const folder of Object.values(folders)) mkdirSync(folder)
  prepare(folders)
  await run(["completions", "--help"], { env: { HOME: folders.home, TMPDIR: folders.temporary } })
  const cache = join(folders.home, ".cache", "svc")
  const kept = {
    temporary: readdirSync(folders.temporary),
    cache: existsSync(cache) ? readdirSync(cache) : [],
    mode: existsSync(cache) ? statSync(cache).mode & 0o777 : undefined,
    hasHome: existsSync(folders.home)
  }
  rmSync(root, { recursive: true, force: true })
  return kept
}

describe.skipIf(process.platform === "win32")("the compile cache", () => {
  it("compiled code is kept in a directory that only its user can enter, and never among temporary files", async () => {
    const { cache, mode, temporary } = await started(() => undefined)
    assert.deepStrictEqual(temporary, [])
    assert.isNotEmpty(cache)
    assert.strictEqual(mode, 0o700)
  })

  it("a directory that others can write to, or a link, is not used", async () => {
    const open = await started(({ home }) => {
      mkdirSync(join(home, ".cache", "svc"), { recursive: true })
      chmodSync(join(home, ".cache", "svc"), 0o777)
    })
    assert.deepStrictEqual([open.cache, open.temporary], [[], []])
    const linked = await started(({ home, temporary }) => {
      mkdirSync(join(home, ".cache"))
      symlinkSync(temporary, join(home, ".cache", "svc"))
    })
    assert.deepStrictEqual(linked.temporary, [])
  })

  it("the next start of a command uses what the last one stored, and a command that fails stores nothing", async () => {
    const home = mkdtempSync(join(tmpdir(), "svc-cache-"))
    const versions = join(home, ".cache", "svc")
    const env = { HOME: home }
    await run(["nothing"], { env })
    assert.isFalse(existsSync(versions))
    await run(["completions", "--help"], { env })
    const stored = join(versions, readdirSync(versions)[0] ?? "", "completions")
    const files = () => readdirSync(stored).map((name) => [name, statSync(join(stored, name)).ino])
    const first = files()
    assert.isNotEmpty(first)
    const { code, stdout } = await run(["completions", "--help"], { env })
    assert.strictEqual(code, 0)
    assert.include(stdout, "svc completions")
    assert.deepStrictEqual(files(), first)
    rmSync(home, { recursive: true })
  })

  it("stored code that V8 does not accept is compiled again, and replaced", async () => {
    const home = mkdtempSync(join(tmpdir(), "svc-cache-"))
    const versions = join(home, ".cache", "svc")
    const env = { HOME: home }
    await run(["completions", "--help"], { env })
    const stored = join(versions, readdirSync(versions)[0] ?? "", "completions")
    const names = readdirSync(stored)
    for (const name of names) writeFileSync(join(stored, name), "not what V8 stores")
    assert.strictEqual((await run(["completions", "--help"], { env })).code, 0)
    assert.deepStrictEqual(readdirSync(stored), names)
    for (const name of names) assert.isAbove(statSync(join(stored, name)).size, 100)
    rmSync(home, { recursive: true })
  })

  // in a process of its own: V8 accepts only what was compiled with the same flags
  const poisoning = `
    const { readFileSync, writeFileSync } = require("node:fs")
    for (const [source, stored] of JSON.parse(process.argv[1])) {
      const { length } = require("node:module").wrap(readFileSync(source, "utf8"))
      const code = "(function () { process.stdout.write('poisoned') })".padEnd(length)
      writeFileSync(stored, new (require("node:vm").Script)(code).createCachedData())
    }`

  /** Replaces each stored file by other code that V8 accepts: of the source it compares no more than the length. */
  const poison = (stored: string): void => {
    const files = readdirSync(stored).map((name) => [join(directory, name), join(stored, name)])
    assert.strictEqual(spawnSync(process.execPath, ["-e", poisoning, JSON.stringify(files)]).status, 0)
  }

  it("stored code is executed only if its directory belongs to the user alone", async () => {
    const home = mkdtempSync(join(tmpdir(), "svc-cache-"))
    const cache = join(home, ".cache", "svc")
    const output = async () => (await run(["completions", "--help"], { env: { HOME: home } })).stdout
    const expected = await output()
    poison(join(cache, readdirSync(cache)[0] ?? "", "completions"))
    // that it can be executed is why the directory matters
    assert.include(await output(), "poisoned")
    for (const mode of [0o750, 0o705, 0o720, 0o702]) {
      chmodSync(cache, mode)
      assert.strictEqual(await output(), expected, mode.toString(8))
    }
    if (process.getuid?.() === 0) {
      chmodSync(cache, 0o700)
      chownSync(cache, 65_534, 65_534)
      assert.strictEqual(await output(), expected)
    }
    rmSync(home, { recursive: true })
  })

  it("code of other bundles of the version, and of versions that were not used for longest, is removed", async () => {
    const home = mkdtempSync(join(tmpdir(), "svc-cache-"))
    const cache = join(home, ".cache", "svc")
    const names = ["0.0.1", "0.0.2", "0.0.3", "0.0.4"]
    for (const [at, name] of names.entries()) {
      mkdirSync(join(cache, name, "status"), { recursive: true, mode: 0o700 })
      utimesSync(join(cache, name), at + 1, at + 1)
    }
    chmodSync(cache, 0o700)
    const env = { HOME: home }
    await run(["completions", "--help"], { env })
    const current = readdirSync(cache).find((name) => !names.includes(name)) ?? ""
    assert.sameMembers(readdirSync(cache), ["0.0.3", "0.0.4", current])
    const stored = join(cache, current, "completions")
    const files = readdirSync(stored)
    writeFileSync(join(stored, "start-AAAAAAAA.js"), "of another bundle")
    writeFileSync(join(stored, files[0] ?? ""), "not what V8 stores")
    await run(["completions", "--help"], { env })
    assert.sameMembers(readdirSync(stored), files)
    rmSync(home, { recursive: true })
  })

  it("code that cannot be stored leaves no temporary files, which would fill the disk", async () => {
    const home = mkdtempSync(join(tmpdir(), "svc-cache-"))
    const versions = join(home, ".cache", "svc")
    const env = { HOME: home }
    await run(["completions", "--help"], { env })
    const stored = join(versions, readdirSync(versions)[0] ?? "", "completions")
    const names = readdirSync(stored)
    for (const name of names) {
      rmSync(join(stored, name))
      mkdirSync(join(stored, name))
    }
    assert.strictEqual((await run(["completions", "--help"], { env })).code, 0)
    assert.sameMembers(readdirSync(stored), names)
    rmSync(home, { recursive: true })
  })

  it("the tool starts from its sources, without a bundle", () => {
    const program = join(import.meta.dirname, "..", "src", "bin.ts")
    const { status, stdout } = spawnSync(process.execPath, [program, "status", "--url", "http://127.0.0.1:9", "--json"])
    assert.strictEqual(status, 1)
    assert.include(JSON.parse(String(stdout)).error, "No running service")
  })

  it("a home that does not exist is not made, and the tool starts", async () => {
    const { hasHome, temporary } = await started(({ home }) => rmSync(home, { recursive: true }))
    assert.isFalse(hasHome)
    assert.deepStrictEqual(temporary, [])
  })
})
