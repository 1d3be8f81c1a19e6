// What only a process can show: exit codes, both streams, terminals, signals, and standard input without a writer.
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Tier from "@svc-runtime/test-support/Tier"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { build, hasShell, inShell, inTerminal, noTerminal, run } from "./Process.ts"

Tier.oneIn(12)

beforeAll(async () => {
  await build()
})

const inFolder = async (use: (folder: string) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), "svc-process-"))
  try {
    await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const script = (folder: string, name: string, text: string): Record<string, string> => {
  mkdirSync(join(folder, "bin"), { recursive: true })
  writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
  return { PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter) }
}

describe("a script", () => {
  it("a script sees the exit codes", async () => {
    const codes = await Promise.all(
      [[], ["--version"], ["status", "--url", "http://127.0.0.1:9"], ["nothing"], ["tokens"]].map((argv) => run(argv))
    )
    assert.deepStrictEqual(codes.map(({ code }) => code), [0, 0, 1, 2, 2])
    assert.strictEqual(codes[4]?.stdout, "")
    assert.include(codes[4]?.stderr ?? "", "Missing command.")
  })

  it("a command on an older Node names a way to execute it", async () => {
    const older = "Object.defineProperty(process,\"versions\",{value:{...process.versions,node:\"20.11.0\"}})"
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(older)}`
    const { code, stderr } = await run(["create", "mine"], { env: { NODE_OPTIONS } })
    assert.strictEqual(code, 1)
    // the same file, which is there however svc was installed
    assert.match(
      stderr,
      /^svc needs Node 22\.19 or newer, and this is 20\.11\.0\. Get it from https:\/\/nodejs\.org, or for one command: npx -p node@24 node \/\S+bin\.[jt]s create …\n$/
    )
    const [, file = ""] = /node@24 node (\S+) create/.exec(stderr) ?? []
    assert.include(execFileSync(process.execPath, [file, "--version"], { encoding: "utf8" }), "svcctl")
  })

  it("a script is never asked, and never waits for input, whether that is closed or only silent", async () => {
    await inFolder(async (cwd) => {
      for (const stdin of ["closed", "silent"] as const) {
        const created = await run(["create", "--json"], { cwd, stdin })
        assert.strictEqual(created.code, 1)
        assert.include(JSON.parse(created.stdout).error, "project name is required")
        const people = await run(["create"], { cwd, stdin })
        assert.strictEqual(people.code, 1)
        assert.include(people.stderr, "svc create <name>")
      }
      assert.deepStrictEqual(readdirSync(cwd), [])
    })
  })

  it("a script gets one document on standard output, and nothing on standard error", async () => {
    const { stderr, stdout } = await run(["status", "--url", "http://127.0.0.1:9", "--json"])
    assert.strictEqual(stderr, "")
    assert.match(stdout, /^\{"error":"[ -~]+","hint":"[ -~]+"\}\n$/)
  })

  it("svc status gives the same answer with the parser of commands and without it", async () => {
    const flags = [
      ["--json", "--url", "http://127.0.0.1:9"],
      ["--json", "--json", "--url=http://127.0.0.1:9", "--url", "http://127.0.0.1:8", "--server-name", "x"],
      ["--url", "http://127.0.0.1:9"],
      ["--url", "ftp:/ /", "--json"],
      ["--json", "--url"],
      ["--json=1"],
      ["--no-json"],
      ["--json", "more"],
      ["--bogus", "--json"],
      ["--help"]
    ]
    for (const argv of flags) {
      // a flag before the name is for the parser
      assert.deepStrictEqual(
        await run(["status", ...argv]),
        await run(["--no-color", "status", ...argv]),
        argv.join(" ")
      )
    }
  })

  it("a script gets no colour unless it forces it", async () => {
    assert.notInclude((await run([])).stdout, "\u001B")
    assert.notInclude((await run(["nothing"])).stderr, "\u001B")
    assert.include((await run([], { env: { FORCE_COLOR: "1" } })).stdout, "\u001B[")
    assert.include((await run(["nothing"], { env: { FORCE_COLOR: "1" } })).stderr, "\u001B[31m")
  })

  it("a script sees the output of docker at once, and can pipe it", async () => {
    await inFolder(async (cwd) => {
      writeFileSync(join(cwd, "compose.yml"), "services: {}\n")
      const env = script(cwd, "docker", "echo building; echo careful >&2")
      const { code, stderr, stdout } = await run(["up"], { cwd, env })
      assert.strictEqual(code, 0)
      assert.strictEqual(stdout, `building\nStarted the containers of ${join(cwd, "compose.yml")}\n`)
      assert.strictEqual(stderr, "careful\n")
    })
  })

  it("an interrupted command ends with 130 and no message, and its child processes have ended", async () => {
    await inFolder(async (cwd) => {
      const env = script(cwd, "git", `echo $$ > ${join(cwd, "pid")}; sleep 60 & wait`)
      const ending = run(["create", "mine", "--url", "/template", "--json"], {
        cwd,
        env,
        watch: () => undefined
      })
      const child = await started(join(cwd, "pid"))
      const parent = Number(readFileSync(`/proc/${child}/stat`, "utf8").split(") ")[1]?.split(" ")[1])
      process.kill(parent, "SIGINT")
      const { code, stderr, stdout } = await ending
      assert.strictEqual(code, 130)
      assert.strictEqual(stdout + stderr, "")
      assert.throws(() => process.kill(child, 0))
      assert.isFalse(existsSync(join(cwd, "mine")))
    })
  })
})

/** The process that wrote its number there. */
const started = async (file: string): Promise<number> => {
  while (!existsSync(file) || !readFileSync(file, "utf8").endsWith("\n")) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return Number(readFileSync(file, "utf8"))
}

describe.skipIf(noTerminal !== undefined)("a person at a terminal", () => {
  const templates = (folder: string) => {
    const env = script(folder, "git", "eval last=\\${$#}; touch \"$last/example.env\"")
    return { ...env, PLATFORM_TEMPLATES_URL: "/templates" }
  }

  it("a person gets colour, unless they turn it off", async () => {
    assert.include((await inTerminal([], [])).stdout, "\u001B[1m")
    assert.notInclude((await inTerminal([], [], { env: { NO_COLOR: "1" } })).stdout, "\u001B[1m")
  })

  it("Ctrl-C, Ctrl-D and Escape leave a question with Aborted and 1", async () => {
    for (const key of ["\u0003", "\u0004", "\u001B"]) {
      await inFolder(async (cwd) => {
        const { code, stdout } = await inTerminal(["create", "--template", "agentos-fly"], [["Project name", key]], {
          cwd,
          env: templates(cwd)
        })
        assert.strictEqual(code, 1, JSON.stringify(key))
        assert.include(stdout, "Aborted.")
        assert.isFalse(existsSync(join(cwd, "agentos")))
      })
    }
  })

  it("a person is asked nothing with --json", async () => {
    await inFolder(async (cwd) => {
      const { code, stdout } = await inTerminal(["create", "--json"], [], { cwd })
      assert.strictEqual(code, 1)
      assert.include(JSON.parse(stdout).error, "project name is required")
    })
  })

  it("git can ask in the terminal when a clone needs an answer", async () => {
    await inFolder(async (cwd) => {
      const env = script(
        cwd,
        "git",
        "[ \"$GIT_TERMINAL_PROMPT\" = 0 ] && { echo 'fatal: could not read Username: terminal prompts disabled' >&2; exit 128; }\n" +
          "printf 'Username: ' > /dev/tty; read name < /dev/tty; echo \"hello $name\" > /dev/tty"
      )
      const { code, stdout } = await inTerminal(
        ["create", "mine", "--url", "https://example.com/private.git"],
        [["Username: ", "ada\r"]],
        { cwd, env }
      )
      assert.strictEqual(code, 0, stdout)
      assert.include(stdout, "hello ada")
    })
  })

  it("docker is in the session of the terminal, and gets Ctrl-C from it", async () => {
    await inFolder(async (cwd) => {
      writeFileSync(join(cwd, "compose.yml"), "")
      const env = script(
        cwd,
        "docker",
        "trap 'echo got SIGINT; exit 1' INT; trap 'echo got SIGTERM; exit 1' TERM; echo ready > /dev/tty; while :; do sleep 0.05; done"
      )
      const { code, stdout } = await inTerminal(["up"], [["ready", "\u0003"]], { cwd, env })
      assert.strictEqual(code, 130)
      assert.include(stdout, "got SIGINT")
      assert.notInclude(stdout, "got SIGTERM")
    })
  })

  it("a person sees progress while it lasts, and nothing of it afterwards", async () => {
    await inFolder(async (cwd) => {
      const env = script(cwd, "git", "printf 'Receiving objects:  42%%\\r' >&2; sleep 0.3")
      const { code, stdout } = await inTerminal(["create", "mine", "--url", "/template"], [], { cwd, env })
      assert.strictEqual(code, 0)
      assert.match(stdout, /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/)
      assert.include(stdout, "42%")
      assert.include(stdout, "\r\u001B[2K")
    })
  })
})

describe("completions", () => {
  const check: Record<string, ReadonlyArray<string>> = {
    bash: ["-c", "source $FILE && complete -p svc && complete -p svcctl"],
    zsh: ["-c", "autoload -Uz compinit && compinit -u -D && source $FILE && echo ${_comps[svc]} ${_comps[svcctl]}"],
    fish: ["--no-config", "-c", "source $FILE && complete -C 'svc tok' && complete -C 'svcctl tok'"]
  }
  const printed = (shell: string, use: (file: string) => void) =>
    inFolder(async (folder) => {
      const file = join(folder, "completions")
      writeFileSync(file, (await run(["completions", shell])).stdout)
      use(file)
    })

  for (const [shell, args] of Object.entries(check)) {
    it.skipIf(!hasShell(shell))(`completions are read by ${shell}`, () =>
      printed(shell, (file) => {
        const lines = inShell(shell, args, file).trim().split(/\s*\n/)
        if (shell === "zsh") assert.deepStrictEqual(lines, ["_svc _svc"])
        else assert.strictEqual(lines.length, 2)
      }))
  }

  it.skipIf(!hasShell("bash"))(
    "completions complete commands and flags in bash, under both names",
    () =>
      printed("bash", (file) => {
        const completed = (...words: ReadonlyArray<string>) =>
          inShell("bash", [
            "-c",
            "source $FILE; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMP_LINE=\"$*\"; COMP_POINT=${#COMP_LINE}; " +
            "_svc \"$1\" \"${@: -1}\"; printf '%s\\n' \"${COMPREPLY[@]}\"",
            "bash",
            ...words
          ], file).split("\n").map((word) => word.trim()).filter((word) => word !== "")
        assert.deepStrictEqual(completed("svc", "tok"), ["tokens"])
        assert.deepStrictEqual(completed("svcctl", "tokens", "re"), ["revoke"])
        assert.deepStrictEqual(completed("svc", "tokens", "create", "--exp"), ["--expires"])
        assert.deepStrictEqual(completed("svc", "completions", "z"), ["zsh"])
        assert.deepStrictEqual(completed("svc", "create", "--template", "agentos-a"), ["agentos-aws", "agentos-azure"])
        assert.deepStrictEqual(completed("svc", "connect", "--clients", "cu"), ["cursor"])
        assert.deepStrictEqual(completed("svc", "up", "-f", file.slice(0, -2)), [file])
        assert.notMatch(readFileSync(file, "utf8"), /(?<!_svc)_init_completion/)
      })
  )
})
