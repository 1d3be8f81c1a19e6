// Where the compiled code of the tool is kept between its starts.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs"
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

  it("a home that does not exist is not made, and the tool starts", async () => {
    const { hasHome, temporary } = await started(({ home }) => rmSync(home, { recursive: true }))
    assert.isFalse(hasHome)
    assert.deepStrictEqual(temporary, [])
  })
})
