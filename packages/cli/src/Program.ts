// Child processes: found on the PATH, run without standard input, and ended with their children at a timeout or an
// interruption.
import { Data, Duration, Effect, Fiber, FileSystem, Path, type PlatformError, Stream } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { Environment } from "./Environment.ts"
import { inWords } from "./FileError.ts"

/** The result of a child process. */
export interface Finished {
  readonly code: number
  /** Empty if the output was shown instead. */
  readonly stdout: string
  readonly stderr: string
}

export class TimedOut extends Data.TaggedError("TimedOut")<{ readonly limit: Duration.Input }> {
  override get message() {
    return `did not finish within ${Duration.format(Duration.fromInputUnsafe(this.limit))} and was ended`
  }
}

/** It could not be started, or was ended by a signal. */
export class Broken extends Data.TaggedError("Broken")<{ readonly message: string }> {}

export interface Invocation {
  /** The path that `which` found. */
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  /** Added to the variables of this process. */
  readonly env?: Readonly<Record<string, string>>
  readonly limit: Duration.Input
  /** `shown`: it inherits the output of this process. */
  readonly output: "captured" | "shown"
  /** It stays in the session of the terminal, where it can ask for a password and gets Ctrl-C. Default: false. */
  readonly isInTerminal?: boolean
  /** Called for each chunk of the captured standard error. */
  readonly onStderr?: (text: string) => Effect.Effect<void>
}

const isExecutable = (info: FileSystem.File.Info, platform: string): boolean =>
  info.type === "File" && (platform === "win32" || (info.mode & 0o111) !== 0)

/** The path of the program; undefined if it is not on the PATH. */
export const which = Effect.fn("Program.which")(function*(name: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { cwd, platform, variable } = yield* Environment
  const folders = (variable("PATH") ?? variable("Path") ?? "").split(platform === "win32" ? ";" : ":")
  const endings = platform === "win32" ? (variable("PATHEXT") ?? ".EXE;.CMD;.BAT").split(";") : [""]
  for (const folder of folders.filter((folder) => folder !== "")) {
    for (const ending of endings) {
      const file = path.resolve(cwd, folder, `${name}${ending}`)
      const info = yield* Effect.option(files.stat(file))
      if (info._tag === "Some" && isExecutable(info.value, platform)) return file
    }
  }
  return undefined
})

const broken = (error: PlatformError.PlatformError) => new Broken({ message: inWords(error) })

/** The spawner has the signal in the text of its error only. */
const killed = (error: PlatformError.PlatformError, stderr: string) => {
  const signal = /'(SIG\w+)'/.exec(String(error.cause))?.[1]
  const reason = signal === undefined ? inWords(error) : `it was ended by ${signal}`
  return new Broken({ message: [reason, stderr.trim()].filter((text) => text !== "").join(": ") })
}

/** Reads the output until the program ends: a child that it leaves behind can keep the pipes open. */
const collect = (stream: Stream.Stream<Uint8Array, PlatformError.PlatformError>, onText: Invocation["onStderr"]) => {
  const pieces: Array<string> = []
  return {
    written: () => pieces.join(""),
    reading: Stream.runForEach(Stream.decodeText(stream), (text) => {
      pieces.push(text)
      return onText === undefined ? Effect.void : onText(text)
    })
  }
}

const grace = "5 seconds"

export const run = Effect.fn("Program.run")(
  function*({ args, cwd, env = {}, isInTerminal = false, onStderr, output, program }: Invocation) {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const stream = output === "shown" ? "inherit" : "pipe"
    const child = yield* spawner.spawn(
      ChildProcess.make(program, args, {
        cwd,
        env,
        extendEnv: true,
        stdin: "ignore",
        stdout: stream,
        stderr: stream,
        forceKillAfter: grace,
        ...(isInTerminal && { detached: false, killSignal: "SIGINT" as const })
      })
    )
    const stdout = collect(child.stdout, undefined)
    const stderr = collect(child.stderr, onStderr)
    const reading = yield* Effect.forkScoped(Effect.all([stdout.reading, stderr.reading], { concurrency: 2 }))
    const settled = Effect.timeoutOption(Fiber.await(reading), "1 second")
    const code = yield* Effect.catch(
      child.exitCode,
      (error) => Effect.andThen(settled, Effect.suspend(() => Effect.fail(killed(error, stderr.written()))))
    )
    yield* settled
    const finished: Finished = { code, stdout: stdout.written(), stderr: stderr.written() }
    return finished
  },
  Effect.scoped,
  (running, { limit }) =>
    Effect.timeoutOrElse(running, { duration: limit, orElse: () => Effect.fail(new TimedOut({ limit })) }),
  Effect.catchTag("PlatformError", (error) => Effect.fail(broken(error)))
)
