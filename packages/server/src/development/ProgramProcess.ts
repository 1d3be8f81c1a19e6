// A process that executes the program, or waits for its start.
// @effect-diagnostics processEnv:off globalTimers:off newPromise:off asyncFunction:off -- this process has no Effect
import { type ChildProcess, fork } from "node:child_process"
import type { FileWatch } from "./FileWatch.ts"
import { processMark } from "./processMark.ts"

export interface Program {
  /** The address of the module that the process loads before the program. */
  readonly preload: string
  readonly program: string
  readonly args: ReadonlyArray<string>
}

/** What a process sends. */
export interface Report {
  /** A file that it loads. */
  readonly loaded?: { readonly file: string; readonly version: string | undefined }
  /** A folder whose files it reads. */
  readonly folder?: string
  /** The start can be sent. */
  readonly isReady?: boolean
}

export interface End {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Milliseconds that a program has for its end. */
const killAfterMillis = 5000

/** Flags of the supervisor alone. */
const own = /^--(?:import|watch)(?:=|$)/

/** Flags of Node for the process of the program. */
const flags = (): ReadonlyArray<string> =>
  process.execArgv.filter((flag, index, all) => !own.test(flag) && all[index - 1] !== "--import")

export class ProgramProcess {
  readonly #child: ChildProcess
  readonly #ready: Promise<void>
  readonly ended: Promise<End>
  /** Files that it has loaded so far. */
  readonly files = new Set<string>()

  /** `watch` gets each file, with what it was when it was loaded, and each folder. */
  constructor({ args, preload, program }: Program, watch: Pick<FileWatch, "add" | "addFolder">) {
    this.#child = fork(program, [...args], {
      execArgv: [...flags(), "--import", preload],
      env: { ...process.env, [processMark]: "1" },
      stdio: "inherit"
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#ready = promise
    this.#child.on("message", ({ folder, isReady, loaded: found }: Report) => {
      if (isReady === true) resolve()
      if (folder !== undefined) watch.addFolder(folder)
      if (found === undefined) return
      this.files.add(found.file)
      watch.add(found.file, found.version)
    })
    this.ended = new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => resolve({ code, signal }))
    })
  }

  start(): void {
    void this.#ready.then(() => this.#child.connected && this.#child.send("start"))
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Lets the program end in order. */
  async stop(): Promise<void> {
    const late = setTimeout(() => this.kill("SIGKILL"), killAfterMillis)
    this.kill("SIGTERM")
    await this.ended
    clearTimeout(late)
  }
}
