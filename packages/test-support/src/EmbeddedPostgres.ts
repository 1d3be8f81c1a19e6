// A real PostgreSQL 18 for tests and figures: on a free port, in a temporary directory, gone with its scope. A shell
// watches over the server and over a pipe from this process; when the pipe breaks, because the process was killed, it
// stops the server and removes the files, so that nothing is ever left running (there is no such shell on Windows). The
// order of texts is that of English, as it is on most servers, and unlike that of the embedded database: what depends
// on it should show.
import { Context, Data, Effect, Layer, Redacted } from "effect"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./freePort.ts"
import * as PostgresBinaries from "./internal/PostgresBinaries.ts"

export class EmbeddedPostgresFailed extends Data.TaggedError("EmbeddedPostgresFailed")<{ readonly message: string }> {}

export interface Options {
  /** Whether a commit waits for the disk. False when left out, which is faster. */
  readonly durable?: boolean | undefined
  /** Of `postgresql.conf`. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

export interface Server {
  /** Of the superuser, and of a database that may be used. */
  readonly url: Redacted.Redacted
  /** The same server again, on the same port with the same data, after `stop`. */
  readonly start: Effect.Effect<void, EmbeddedPostgresFailed>
  /** Breaks off every connection. */
  readonly stop: Effect.Effect<void>
}

/**
 * Runs the server until it ends, or until a line or the end of its input. Only the end of it removes the directory,
 * because then nothing else is left to do it.
 */
const supervisor = `
  exec 3<&0
  "$@" 3<&- & server=$!
  { read word <&3; kill -INT $server; [ -n "$word" ]; } & watcher=$!
  wait $server
  kill $watcher 2>/dev/null
  wait $watcher
  if [ $? = 1 ]; then rm -rf "$SVC_POSTGRES_DIRECTORY"; fi
`

const failed = (message: string) => new EmbeddedPostgresFailed({ message })

interface Plan {
  readonly directory: string
  readonly port: number
  readonly password: string
  readonly binaries: PostgresBinaries.Binaries
  readonly options: Options
}

const initialise = Effect.fnUntraced(function*({ binaries, directory, password }: Plan) {
  const passwordFile = join(directory, "password")
  writeFileSync(passwordFile, password)
  yield* Effect.callback<void, EmbeddedPostgresFailed>((resume) => {
    const initdb = spawn(binaries.initdb, [
      `--pgdata=${join(directory, "data")}`,
      `--pwfile=${passwordFile}`,
      "--username=postgres",
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale=C",
      "--locale-provider=icu",
      "--icu-locale=en-US",
      "--no-instructions",
      "--no-sync"
    ], { ...binaries.user, stdio: ["ignore", "ignore", "pipe"] })
    let errors = ""
    initdb.stderr.on("data", (chunk) => errors += String(chunk))
    initdb.once("error", (cause) => resume(Effect.fail(failed(`initdb did not run: ${cause.message}`))))
    initdb.once("close", (code) => resume(code === 0 ? Effect.void : Effect.fail(failed(`initdb failed: ${errors}`))))
    return Effect.sync(() => initdb.kill("SIGKILL"))
  })
})

const settingsOf = ({ durable = false, settings = {} }: Options) => ({
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  lc_messages: "C",
  ...durable ? {} : { fsync: "off", full_page_writes: "off" },
  ...settings
})

/** Gives, once the server accepts connections, the way to stop it. */
const launch = ({ binaries, directory, options, port }: Plan) =>
  Effect.callback<Effect.Effect<void>, EmbeddedPostgresFailed>((resume) => {
    const settings = Object.entries(settingsOf(options)).flatMap(([name, value]) => ["-c", `${name}=${value}`])
    const server = spawn(
      "/bin/sh",
      ["-c", supervisor, "sh", binaries.postgres, "-D", join(directory, "data"), "-p", String(port), ...settings],
      {
        ...binaries.user,
        // a group of its own, out of reach of what the terminal sends to this one
        detached: true,
        env: { ...process.env, SVC_POSTGRES_DIRECTORY: directory },
        stdio: ["pipe", "ignore", "pipe"]
      }
    )
    const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()))
    const stop = Effect.promise(() => {
      server.stdin.end("stop\n")
      return ended
    })
    let log = ""
    server.stderr.on("data", (chunk) => {
      log = `${log}${chunk}`.slice(-4000)
      if (log.includes("ready to accept connections")) resume(Effect.succeed(stop))
    })
    // a stopped server does not answer
    server.stdin.on("error", () => {})
    server.once("error", (cause) => resume(Effect.fail(failed(`PostgreSQL did not run: ${cause.message}`))))
    server.once("exit", () => resume(Effect.fail(failed(`PostgreSQL did not start: ${log}`))))
    return stop
  })

/** A server that is not started yet: its url is known before it is up. */
export const make = Effect.fn("EmbeddedPostgres.make")(function*(options: Options = {}) {
  const directory = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "svc-postgres-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  )
  const binaries = yield* PostgresBinaries.find(directory).pipe(
    Effect.mapError(({ cause }) => failed(`The binaries of PostgreSQL cannot be used: ${String(cause)}`))
  )
  const plan: Plan = { directory, binaries, options, port: yield* freePort, password: randomBytes(16).toString("hex") }
  let running: Effect.Effect<void> | undefined

  const start = Effect.gen(function*() {
    if (!existsSync(join(directory, "data"))) yield* initialise(plan)
    running = yield* launch(plan)
  })
  const stop = Effect.suspend(() => {
    const end = running ?? Effect.void
    running = undefined
    return end
  })
  yield* Effect.addFinalizer(() => stop)
  const url = Redacted.make(`postgres://postgres:${plan.password}@127.0.0.1:${plan.port}/postgres`)
  const server: Server = { url, start, stop }
  return server
})

export class EmbeddedPostgres
  extends Context.Service<EmbeddedPostgres, Server>()("@svc-runtime/test-support/EmbeddedPostgres")
{
  /** Up, for as long as the scope is open. */
  static readonly layerWith = (options: Options) =>
    Layer.effect(EmbeddedPostgres, Effect.tap(make(options), (server) => server.start))
  static readonly layer = EmbeddedPostgres.layerWith({})
}
