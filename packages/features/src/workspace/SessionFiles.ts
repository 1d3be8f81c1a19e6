// The files of one session in a run: what its tools read and change, and the commands that see them.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import { now } from "@svc-runtime/engine/now"
import { Effect, Option, Result, Schema } from "effect"
import { createHash } from "node:crypto"
import type { Known, Places } from "./Places.ts"
import { type Command, type Ended, OverQuota, type Place, SandboxUnusable, Unstorable } from "./SandboxPort.ts"
import * as WorkspaceFile from "./WorkspaceFile.ts"
import * as WorkspacePath from "./WorkspacePath.ts"
import type { Settings } from "./WorkspaceSettings.ts"
import type { State, WorkspaceStore } from "./WorkspaceStore.ts"

/** The model reads the message, which says what to do. */
export class FilesUnusable extends Schema.TaggedError<FilesUnusable>()("FilesUnusable", {
  message: Schema.String
}) {}

const unusable = (message: string) => new FilesUnusable({ message })

/** A sandbox failed in a way that neither the model nor its author can mend by other options. The log has the cause. */
export class SandboxFailed extends Schema.TaggedError<SandboxFailed>()("SandboxFailed", {
  message: Schema.String,
  cause: Schema.Defect()
}) {}

const failureOf = (cause: unknown): FilesUnusable | SandboxFailed => {
  if (cause instanceof SandboxUnusable) return unusable(cause.message)
  if (cause instanceof OverQuota) return thrownAway(`the workspace would have ${cause.message}`)
  if (cause instanceof Unstorable) return thrownAway(cause.message)
  return new SandboxFailed({ message: "The sandbox failed. Its files are as they were before the command", cause })
}

const thrownAway = (why: string) => unusable(`What the command wrote was thrown away: ${why}`)

const attempt = <A>(work: (signal: AbortSignal) => Promise<A>) => Effect.tryPromise({ try: work, catch: failureOf })

export const hashOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

/** Fails for a path that is none, and for a file that is too large. */
export const checkFile = Effect.fnUntraced(function*(path: string, bytes: number) {
  const problem = WorkspacePath.problemOf(path)
  if (problem !== undefined) return yield* unusable(problem)
  if (bytes > WorkspaceFile.maxFileBytes) {
    return yield* unusable(
      `The file '${path}' has ${bytes} bytes, and a file has at most ${WorkspaceFile.maxFileBytes}. Make it smaller`
    )
  }
})

const notFound = (path: string) =>
  unusable(`There is no file '${path.slice(0, 80)}'. list_files shows the paths of all files`)

export interface CommandResult extends Pick<Ended, "output"> {
  readonly exit_code: number | null
  readonly note?: string | undefined
}

const reasons: Readonly<Record<NonNullable<Ended["stopped"]>, string>> = {
  disk: "The command was stopped, because the disk of the machine is nearly full",
  memory: "The command was stopped, because it used more memory than it may. Process less at once",
  quota: "The command was stopped, because its files need more than the workspace may have. What it wrote was thrown " +
    "away",
  signal: "The command was stopped, because the run was",
  timeout: "The command was stopped, because it took too long. Do less in one command"
}

/** Callers can have stored more than the agent may: a command can make it less. */
const largerOf = (quota: Settings["quota"], { files }: State): Settings["quota"] => ({
  bytes: Math.max(quota.bytes, files.reduce((sum, { size }) => sum + size, 0)),
  files: Math.max(quota.files, files.length)
})

/**
 * Brings a place to the stored state. The files are compared by their hashes: a session can have been deleted since,
 * and another one have its id.
 */
const bring = Effect.fnUntraced(function*(
  place: Place,
  known: Known | undefined,
  { files }: State,
  { quota, read }: Pick<Parts, "read"> & Pick<Settings, "quota">
) {
  const before: Known["files"] = known?.files ?? new Map()
  const wanted = new Map(files.map((file) => [file.path, file]))
  const isSame = ({ executable, hash, path }: WorkspaceFile.Listed) => {
    const old = before.get(path)
    return old?.hash === hash && old.executable === executable
  }
  const removed = [...before.keys()].filter((path) => !wanted.has(path))
  const changed = files.filter((file) => !isSame(file))
  if (removed.length === 0 && changed.length === 0) return { files: before }
  for (const path of removed) yield* attempt(() => place.remove(path))
  for (const file of changed) {
    const whole = yield* read(file.path)
    // it was removed meanwhile, and the next command sees that
    if (Option.isNone(whole)) continue
    const { content, executable, path } = whole.value
    yield* attempt(() => place.write({ path, content, executable }))
  }
  const found = yield* attempt(() => place.list(quota))
  const stamps = new Map(found.files.map(({ path, stamp }) => [path, stamp]))
  const copies = files.map(({ executable, hash, path }) =>
    [path, { hash, executable, stamp: stamps.get(path) ?? "" }] as const
  )
  return { files: new Map(copies) }
})

/** What a command has changed. */
const changesOf = Effect.fnUntraced(function*(place: Place, known: Known, quota: Settings["quota"]) {
  const { dropped, files } = yield* attempt(() => place.list(quota))
  const changed: Array<WorkspaceFile.NewFile> = []
  const now = new Map<string, { readonly hash: string; readonly stamp: string; readonly executable: boolean }>()
  for (const { bytes, executable, path, stamp } of files) {
    const old = known.files.get(path)
    if (old !== undefined && old.stamp === stamp && old.executable === executable) {
      now.set(path, old)
      continue
    }
    yield* Effect.mapError(checkFile(path, bytes), ({ message }) => thrownAway(message))
    const content = yield* attempt(() => place.read(path))
    const hash = hashOf(content)
    now.set(path, { hash, stamp, executable })
    if (old?.hash !== hash || old.executable !== executable) changed.push({ path, hash, executable, content })
  }
  const removed = [...known.files.keys()].filter((path) => !now.has(path))
  return { dropped, changed, removed, files: now }
})

interface Parts {
  readonly read: (path: string) => ReturnType<WorkspaceStore["Service"]["read"]>
}

export interface Dependencies {
  readonly store: WorkspaceStore["Service"]
  readonly places: Places["Service"]
  /** Names the database and the session. */
  readonly key: string
  readonly session: Session.Id
  readonly settings: Settings
}

const gone = unusable("The session was deleted, and its files with it")

export const make = ({ key, places, session, settings, store }: Dependencies) => {
  const { commandTimeout, outputBytes, quota, sandbox } = settings
  const read = (path: string) => store.read(session, path, Owner.anyone)
  const state = Effect.flatMap(
    store.state(session, Owner.anyone),
    Option.match({ onNone: () => Effect.fail(gone), onSome: Effect.succeed })
  )

  const save = Effect.fnUntraced(function*(
    files: ReadonlyArray<WorkspaceFile.NewFile>,
    removed: ReadonlyArray<string> = []
  ) {
    const saved = yield* store.save(session, { files, removed, at: yield* now }, quota, Owner.anyone)
    if (Option.isNone(saved)) return yield* gone
  })

  /** Stores what a command has changed. */
  const keep = Effect.fnUntraced(function*(place: Place, known: Known, room: Settings["quota"]) {
    const found = yield* changesOf(place, known, room)
    if (found.changed.length > 0 || found.removed.length > 0) yield* save(found.changed, found.removed)
    return found
  }, Effect.catchTag("WorkspaceFull", ({ message }) => Effect.fail(thrownAway(message))))

  const find = Effect.fnUntraced(function*(given: string) {
    const path = WorkspacePath.normalized(given)
    yield* checkFile(path, 0)
    const found = yield* read(path)
    return Option.isSome(found) ? found.value : yield* notFound(path)
  })

  const write = Effect.fnUntraced(function*(given: string, text: string, executable?: boolean) {
    const path = WorkspacePath.normalized(given)
    const content = new TextEncoder().encode(text)
    yield* checkFile(path, content.length)
    const old = executable === undefined ? Option.getOrUndefined(yield* read(path)) : undefined
    yield* save([{ path, content, hash: hashOf(content), executable: executable ?? old?.executable ?? false }])
    return { path, bytes: content.length }
  })

  const run = Effect.fnUntraced(function*(
    given: Pick<Command, "command" | "onOutput" | "skills"> & { readonly timeoutMillis?: number | undefined }
  ) {
    if (sandbox === undefined) return yield* unusable("This agent executes no commands")
    yield* attempt(() => sandbox.check())
    return yield* places.use(sandbox, key, (held) =>
      Effect.gen(function*() {
        const { place } = held
        // until all is stored, the place is no copy of it
        held.isSpoilt = true
        const before = yield* state
        const room = largerOf(quota, before)
        const known = yield* bring(place, held.known, before, { quota: room, read })
        const ended = yield* attempt((signal) =>
          place.run({
            ...given,
            timeoutMillis: Math.min(given.timeoutMillis ?? commandTimeout, commandTimeout),
            quota: room,
            outputBytes,
            signal
          })
        )
        const result: CommandResult = { exit_code: ended.exitCode, output: ended.output }
        if (ended.stopped === "quota") return { ...result, note: reasons.quota }
        const kept = yield* Effect.result(keep(place, known, room))
        // the model sees the output of the command, whether its files are kept or not
        if (Result.isFailure(kept)) {
          if (kept.failure._tag === "FilesUnusable") return { ...result, note: kept.failure.message }
          return yield* Effect.fail(kept.failure)
        }
        const { dropped, files } = kept.success
        // a change in between, by a caller or by another node, is fetched before the next command
        held.known = { files }
        held.isSpoilt = false
        const notes = [
          ...(ended.stopped === undefined ? [] : [reasons[ended.stopped]]),
          ...(dropped.length === 0 ? [] : [`Not kept: ${dropped.slice(0, 10).join(", ")}`])
        ]
        return notes.length === 0 ? result : { ...result, note: notes.join(". ") }
      }))
  })

  return { find, run, state, write }
}

export type SessionFiles = ReturnType<typeof make>
