// Where the compiled code of the tool is kept between its starts.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { build, run } from "./Process.ts"

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
    const directory = join(versions, readdirSync(versions)[0] ?? "", "completions")
    const stored = () => readdirSync(directory).map((name) => [name, statSync(join(directory, name)).ino])
    const first = stored()
    assert.isNotEmpty(first)
    const { code, stdout } = await run(["completions", "--help"], { env })
    assert.strictEqual(code, 0)
    assert.include(stdout, "svc completions")
    assert.deepStrictEqual(stored(), first)
    rmSync(home, { recursive: true })
  })

  it("stored code that V8 does not accept is compiled again, and replaced", async () => {
    const home = mkdtempSync(join(tmpdir(), "svc-cache-"))
    const versions = join(home, ".cache", "svc")
    const env = { HOME: home }
    await run(["completions", "--help"], { env })
    const directory = join(versions, readdirSync(versions)[0] ?? "", "completions")
    const names = readdirSync(directory)
    for (const name of names) writeFileSync(join(directory, name), "not what V8 stores")
    assert.strictEqual((await run(["completions", "--help"], { env })).code, 0)
    assert.deepStrictEqual(readdirSync(directory), names)
    for (const name of names) assert.isAbove(statSync(join(directory, name)).size, 100)
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
