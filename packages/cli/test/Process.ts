// The tool as a process: the bundle that is published, run by node, without a terminal or in one. A terminal is made by
// python3, which needs nothing to be built; where there is none, tests that need one are left out.
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bundle, type Bundled } from "../scripts/Bundle.ts"

/** One for each worker: two that build into one directory would pull it from under each other's processes. */
export const directory = mkdtempSync(join(tmpdir(), "svc-bundle-"))
const program = join(directory, "bin.js")

/** Made once for all test files of a worker. */
let built: Promise<Bundled> | undefined
export const build = (): Promise<Bundled> => built ??= bundle(directory)

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Standard input: closed at once, or left open and silent. */
  readonly stdin?: "closed" | "silent"
  /** A script that starts the tool, which is "$@" in it. */
  readonly shell?: string
  /** Called with the whole output so far, whenever there is more. */
  readonly watch?: (output: string, child: ChildProcess) => void
  /** In a terminal: what executes the tool, whose command line follows. */
  readonly before?: ReadonlyArray<string>
  /** In a terminal: the file that standard output goes to instead. */
  readonly stdoutFile?: string
  /** The columns of the terminal. */
  readonly columns?: number
}

const environment = (env: Options["env"] = {}) => ({ PATH: process.env["PATH"], HOME: "/nonexistent", ...env })

export const run = (argv: ReadonlyArray<string>, options: Options = {}): Promise<Ended> =>
  collected(
    spawn(options.shell === undefined ? process.execPath : "sh", [
      ...(options.shell === undefined ? [] : [options.shell, process.execPath]),
      program,
      ...argv
    ], {
      cwd: options.cwd,
      env: environment(options.env),
      stdio: [options.stdin === "silent" ? "pipe" : "ignore", "pipe", "pipe"]
    }),
    options
  )

const collected = (child: ChildProcess, { watch }: Options): Promise<Ended> =>
  new Promise((resolve) => {
    const output = { stdout: "", stderr: "" }
    for (const name of ["stdout", "stderr"] as const) {
      child[name]?.setEncoding("utf8").on("data", (text: string) => {
        output[name] += text
        watch?.(output.stdout + output.stderr, child)
      })
    }
    child.once("close", (code, signal) => resolve({ code, signal, ...output }))
  })

const hasPython = spawnSync("python3", ["-c", "import pty"]).status === 0

/** Why there is no terminal; undefined when there is one. */
export const noTerminal = process.platform === "win32" || !hasPython ? "python3 makes the terminal" : undefined

// Passes on what it reads, so that the test types by writing; the exit code is the program's.
const terminal = `
import os, pty, select, sys, struct, fcntl, termios
out, columns = sys.argv[1], int(sys.argv[2])
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    if out: os.dup2(os.open(out, os.O_WRONLY | os.O_CREAT), 1)
    os.execvp(sys.argv[3], sys.argv[3:])
watched = [fd, 0]
while True:
    ready, _, _ = select.select(watched, [], [])
    if 0 in ready:
        typed = os.read(0, 1024)
        if typed: os.write(fd, typed)
        else: watched.remove(0)
    if fd in ready:
        try: output = os.read(fd, 65536)
        except OSError: output = b""
        if not output: break
        os.write(1, output)
_, status = os.waitpid(pid, 0)
sys.exit(os.waitstatus_to_exitcode(status))
`

/** What was typed when, in the order of the texts that are waited for. */
export type Script = ReadonlyArray<readonly [shown: string, typed: string]>

export const inTerminal = (argv: ReadonlyArray<string>, script: Script, options: Options = {}): Promise<Ended> => {
  const remaining = [...script]
  let from = 0
  const settings = [options.stdoutFile ?? "", String(options.columns ?? 100)]
  const child = spawn("python3", [
    "-c",
    terminal,
    ...settings,
    ...options.before ?? [],
    process.execPath,
    program,
    ...argv
  ], {
    cwd: options.cwd,
    env: environment({ TERM: "xterm", ...options.env }),
    stdio: ["pipe", "pipe", "pipe"]
  })
  return collected(child, {
    watch: (output, child) => {
      options.watch?.(output, child)
      // one piece of output can have several of the texts that are waited for
      for (;;) {
        const [next] = remaining
        const at = next === undefined ? -1 : output.indexOf(next[0], from)
        if (next === undefined || at < 0) return
        from = at + next[0].length
        remaining.shift()
        child.stdin?.write(next[1])
      }
    }
  })
}

/** Whether a shell is installed. */
export const hasShell = (name: string): boolean => spawnSync(name, ["-c", "true"]).status === 0

/** Runs a command of the shell, which finds the file as `$FILE`. */
export const inShell = (shell: string, args: ReadonlyArray<string>, file: string): string =>
  execFileSync(shell, shell === "bash" ? ["--norc", ...args] : args, {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], FILE: file }
  })
