// The tool as a process when its surroundings fail: output that cannot be written, a directory that is gone, signals.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { execFileSync, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { build, directory, inTerminal, noTerminal, run } from "./Process.ts"
import { withService } from "./RunningService.ts"

Tier.oneIn(8)

beforeAll(async () => {
  await build()
})

const program = join(directory, "bin.js")
const env = { PLATFORM_ADMIN_TOKEN: "admin" }

/** Runs a line of the shell, in which "$@" is the tool. */
const inShell = (line: string, cwd: string = tmpdir()) => {
  const { status, stderr, stdout } = spawnSync("bash", ["-c", line, "bash", process.execPath, program], {
    cwd,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: "/nonexistent" }
  })
  return { code: status, stderr, stdout }
}

describe.skipIf(!existsSync("/dev/full"))("output that cannot be written", () => {
  it("a full disk is an error of every command, in one line", () => {
    for (const command of ["", "--version", "completions bash", "--help", "completions bash --json"]) {
      const { code, stderr } = inShell(`"$@" ${command} > /dev/full`)
      assert.strictEqual(code, 1, command)
      assert.match(stderr, /^svc: standard output could not be written: [^\n]*ENOSPC[^\n]*\n$/, command)
    }
  })

  it("a reader that has read enough is no error", () => {
    for (const command of ["", "--version", "completions bash", "--help"]) {
      const { code, stderr } = inShell(`"$@" ${command} | true; exit \${PIPESTATUS[0]}`)
      assert.strictEqual(code, 0, command)
      assert.strictEqual(stderr, "", command)
    }
  })

  it("standard error that cannot be written changes no exit code", () => {
    assert.strictEqual(inShell(`"$@" nothing 2> /dev/full`).code, 2)
    assert.strictEqual(inShell(`"$@" nothing 2>&-`).code, 2)
  })

  it("a token that was not shown is revoked", () =>
    withService(async ({ revoked, url }, folder) => {
      for (const [at, more] of ["", "--json"].entries()) {
        const script = join(folder, "mint")
        writeFileSync(script, `exec "$@" tokens create ci ${more} --url ${url} > /dev/full\n`)
        const { code, stderr } = await run([], { env, shell: script })
        assert.strictEqual(code, 1, more)
        assert.include(stderr, "Service account x was revoked again.")
        assert.strictEqual(revoked(), at + 1)
      }
    }))
})

describe("a working directory that is gone", () => {
  it("a document says so, and commands that need no directory work", () => {
    const gone = mkdtempSync(join(tmpdir(), "svc-gone-"))
    const { code, stderr, stdout } = inShell(
      `rmdir "$PWD"; "$@" status --json --url http://127.0.0.1:9; "$@" create mine --json`,
      gone
    )
    assert.strictEqual(code, 1)
    assert.strictEqual(stderr, "")
    const [status, created] = stdout.trimEnd().split("\n").map((text) => JSON.parse(text))
    assert.include(status.error, "No running service")
    assert.include(created.error, "no such file or directory")
    assert.isFalse(existsSync(gone))
  })
})

describe("signals", () => {
  it.runIf(Tier.isWhole)(
    "a terminated command ends with 143, a hung-up one with 129, and their child processes have ended",
    async () => {
      const ended = async ([signal, expected]: readonly [NodeJS.Signals, number]) => {
        const folder = mkdtempSync(join(tmpdir(), "svc-signal-"))
        const pid = join(folder, "pid")
        writeFileSync(join(folder, "git"), `#!/bin/sh\necho $$ > ${pid}\nsleep 60 & wait\n`, { mode: 0o755 })
        const ending = run(["create", "mine", "--url", "/template", "--json"], {
          cwd: folder,
          env: { PATH: [folder, process.env["PATH"]].join(delimiter) }
        })
        while (!existsSync(pid) || !readFileSync(pid, "utf8").endsWith("\n")) await pause(20)
        const child = Number(readFileSync(pid, "utf8"))
        const parent = Number(execFileSync("ps", ["-o", "ppid=", "-p", String(child)], { encoding: "utf8" }))
        process.kill(parent, signal)
        const { code, stderr, stdout } = await ending
        assert.strictEqual(code, expected, signal)
        assert.strictEqual(stdout + stderr, "")
        assert.throws(() => process.kill(child, 0))
        assert.isFalse(existsSync(join(folder, "mine")))
        rmSync(folder, { recursive: true })
      }
      await Promise.all(([["SIGTERM", 143], ["SIGHUP", 129], ["SIGINT", 130]] as const).map(ended))
    }
  )
})

describe("a child process that is killed", () => {
  it("the error has the signal and the text of the process", async () => {
    const folder = mkdtempSync(join(tmpdir(), "svc-killed-"))
    writeFileSync(join(folder, "docker"), "#!/bin/sh\necho 'out of memory' >&2\nkill -9 $$\n", { mode: 0o755 })
    writeFileSync(join(folder, "compose.yml"), "")
    const { stdout } = await run(["up", "--json"], {
      cwd: folder,
      env: { PATH: [folder, process.env["PATH"]].join(delimiter) }
    })
    assert.include(JSON.parse(stdout).error, "docker compose broke off: it was ended by SIGKILL: out of memory")
    rmSync(folder, { recursive: true })
  })
})

describe.skipIf(noTerminal !== undefined)("colours", () => {
  it.runIf(Tier.isWhole)("--no-color turns colours off, wherever it stands", async () => {
    for (const argv of [["--no-color", "--help"], ["completions", "--help", "--no-color"], ["--no-color"]]) {
      const { code, stdout } = await inTerminal(argv, [])
      assert.strictEqual(code, 0, stdout)
      assert.notInclude(stdout, "\u001B[")
    }
  })
})
