// The entries for services in the configs of a client: finds them by the client's precedence, writes one, and removes
// them from every scope.
import { Effect, FileSystem, Path, type Redacted } from "effect"
import { CommandFailed } from "../CliError.ts"
import { Environment } from "../Environment.ts"
import * as Program from "../Program.ts"
import * as AtomicFile from "./AtomicFile.ts"
import type { Client, Registration, Scope } from "./Client.ts"
import * as Clients from "./Clients.ts"
import * as ConfigFile from "./ConfigFile.ts"
import { type Entries, isRecord } from "./text/EntryFormat.ts"

// Claude Code's own command for adding servers. It is used only without a token: arguments of a program are readable by
// every user of the machine.

const addFailed = (what: string) => new CommandFailed({ message: `claude mcp add failed: ${what}` })

/** The path of the program, if it can be started directly: a script for cmd.exe would need quoted arguments. */
const claudeProgram = Effect.fnUntraced(function*() {
  const program = yield* Program.which("claude")
  return program === undefined || /\.(cmd|bat)$/i.test(program) ? undefined : program
})

interface CommandRequest {
  readonly program: string
  readonly scope: "user" | "project"
  readonly name: string
  readonly url: string
}

/** Adds an entry without a token, and replaces one with the same name. */
const addWithClaude = Effect.fn("ServiceEntries.addWithClaude")(
  function*({ name, program, scope, url }: CommandRequest) {
    const { cwd } = yield* Environment
    const claude = (...args: ReadonlyArray<string>) =>
      Effect.mapError(
        Program.run({ program, args, cwd, limit: "60 seconds", output: "captured" }),
        ({ message }) => addFailed(message)
      )
    const adding = claude("mcp", "add", "--transport", "http", "--scope", scope, name, url)
    const first = yield* adding
    const isTaken = first.code !== 0 && first.stderr.toLowerCase().includes("already exists")
    if (isTaken) yield* claude("mcp", "remove", "--scope", scope, name)
    const last = isTaken ? yield* adding : first
    if (last.code !== 0) {
      return yield* addFailed(last.stderr.trim() || last.stdout.trim() || `it ended with ${last.code}`)
    }
    return `claude mcp add (scope: ${scope})`
  }
)

// A project file can come from the project's author: a link in it must not lead a token out of the project.

/** The real path of a folder, by its nearest existing parent. */
const realFolder = Effect.fnUntraced(function*(given: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const missing: Array<string> = []
  let folder = given
  for (;;) {
    const real = yield* Effect.option(files.realPath(folder))
    if (real._tag === "Some") return path.join(real.value, ...missing)
    const parent = path.dirname(folder)
    if (parent === folder) return given
    missing.unshift(path.basename(folder))
    folder = parent
  }
})

const refuseLeavingProject = Effect.fn("ProjectFile.refuseLeavingProject")(function*(file: string) {
  const path = yield* Path.Path
  const project = yield* realFolder((yield* Environment).cwd)
  const folder = yield* realFolder(path.dirname(yield* AtomicFile.destination(file)))
  if (folder === project || folder.startsWith(`${project}${path.sep}`)) return
  return yield* new CommandFailed({
    message: `Refusing to write ${file}: it is a link that leads out of the project, to ${folder}`,
    hint: "Make it a file of its own, or connect without --project."
  })
})

/** A found entry and its place. */
export interface Found extends Registration {
  readonly name: string
  readonly scope: Scope
}

const decoded = (client: Client, scope: Scope, entries: Entries): ReadonlyArray<Found> =>
  Object.entries(entries).flatMap(([name, entry]) => {
    const registration = isRecord(entry) ? client.decode(entry) : undefined
    return registration === undefined ? [] : [{ ...registration, name, scope }]
  })

/** The entries with an address in every scope, by precedence. */
export const list = Effect.fn("ServiceEntries.list")(function*(client: Client) {
  const { scopes } = yield* Clients.layoutOf(client)
  const found = yield* Effect.forEach(
    scopes,
    (scope) => Effect.map(ConfigFile.peek(scope), (entries) => decoded(client, scope, entries))
  )
  return found.flat()
})

/** The entry that the client uses for a name. Undefined: none. */
export const resolve = Effect.fn("ServiceEntries.resolve")(function*(client: Client, name: string) {
  return (yield* list(client)).find((found) => found.name === name)
})

/** Searches all scopes for an entry of the name, with or without an address. */
export const isTaken = Effect.fn("ServiceEntries.isTaken")(function*(client: Client, name: string) {
  const { scopes } = yield* Clients.layoutOf(client)
  const taken = yield* Effect.filter(
    scopes,
    (scope) => Effect.map(ConfigFile.peek(scope), (entries) => Object.hasOwn(entries, name))
  )
  return taken.length > 0
})

export interface EntryRequest extends Registration {
  readonly name: string
  readonly isProject: boolean
}

/** The place of a written entry. */
export interface Written {
  readonly location: string
  readonly notes: ReadonlyArray<string>
  /** Puts back what was there before. */
  readonly undo: Effect.Effect<void, ConfigFile.NotUndone, FileSystem.FileSystem | Path.Path>
}

const notesOf = Effect.fnUntraced(
  function*(client: Client, { isProject, token }: EntryRequest, scope: Scope | undefined) {
    const notes: Array<string> = []
    if (isProject && scope !== undefined && token !== undefined && client.projectWarning !== undefined) {
      notes.push(client.projectWarning)
    }
    if (client.needs !== undefined && (yield* Program.which(client.needs)) === undefined) {
      notes.push(`${client.name} starts the entry with ${client.needs}, which is not on the PATH: install Node.js.`)
    }
    return notes
  }
)

/** The client's own command, which adds entries without a token. */
const ownCommand = Effect.fnUntraced(function*(client: Client, { name, isProject, token, url }: EntryRequest) {
  if (client.key !== "cli-assistant" || token !== undefined) return undefined
  const program = yield* claudeProgram()
  if (program === undefined) return undefined
  return yield* addWithClaude({ program, scope: isProject ? "project" : "user", name, url })
})

/** The scope that an entry is written to. */
const scopeOf = Effect.fnUntraced(function*(client: Client, { isProject, token }: EntryRequest) {
  const { makesFolder, project, user } = yield* Clients.layoutOf(client)
  const scope = isProject ? project ?? user : user
  if (scope === project) yield* refuseLeavingProject(project.file)
  return { project: isProject ? project : undefined, scope, options: { isSecret: token !== undefined, makesFolder } }
})

/** Fails if an entry could not be written to its file. */
export const rehearse = Effect.fn("ServiceEntries.rehearse")(function*(client: Client, wanted: EntryRequest) {
  const { options, scope } = yield* scopeOf(client, wanted)
  yield* ConfigFile.rehearse(scope, wanted.name, client.encode(wanted), options)
})

export const write = Effect.fn("ServiceEntries.write")(function*(client: Client, wanted: EntryRequest) {
  const { options, project, scope } = yield* scopeOf(client, wanted)
  const notes = yield* notesOf(client, wanted, project)
  const added = yield* ownCommand(client, wanted)
  if (added !== undefined) return { location: added, notes, undo: Effect.void } satisfies Written
  const { undo } = yield* ConfigFile.set(scope, wanted.name, client.encode(wanted), options)
  return { location: scope.file, notes, undo } satisfies Written
})

export interface Removed {
  /** The names of the removed entries. */
  readonly names: ReadonlyArray<string>
  readonly locations: ReadonlyArray<string>
  /** The tokens of the removed entries. */
  readonly tokens: ReadonlyArray<Redacted.Redacted>
}

interface Removal {
  readonly names: ReadonlyArray<string>
  /** Selects entries of those names. Default: all, also those without an address. */
  readonly isMeant?: (found: Found) => boolean
}

interface Target {
  readonly name: string
  readonly scope: Scope
  readonly token: Found["token"]
}

/** The selected entries of a scope. */
const targetsIn = (
  client: Client,
  scope: Scope,
  entries: Entries,
  { isMeant, names }: Removal
): ReadonlyArray<Target> =>
  names.filter((name) => Object.hasOwn(entries, name)).flatMap((name) => {
    const found = decoded(client, scope, { [name]: entries[name] })[0]
    const isSelected = isMeant === undefined || (found !== undefined && isMeant(found))
    return isSelected ? [{ name, scope, token: found?.token }] : []
  })

/**
 * Removes entries from every scope. Without `isMeant` a file that cannot be parsed is an error, and no scope is
 * changed. With it such a file is skipped, because it has no entry that `isMeant` could select.
 */
export const remove = Effect.fn("ServiceEntries.remove")(function*(client: Client, removal: Removal) {
  const { scopes } = yield* Clients.layoutOf(client)
  const read = removal.isMeant === undefined ? ConfigFile.read : ConfigFile.peek
  const found = yield* Effect.forEach(
    scopes,
    (scope) => Effect.map(read(scope), (entries) => targetsIn(client, scope, entries, removal))
  )
  for (const [at, targets] of found.entries()) {
    const scope = scopes[at]
    if (scope !== undefined && targets.length > 0) {
      yield* ConfigFile.remove(scope, ...targets.map(({ name }) => name))
    }
  }
  const all = found.flat()
  const removed: Removed = {
    names: removal.names.filter((name) => all.some((target) => target.name === name)),
    locations: [...new Set(all.map(({ scope }) => scope.label))],
    tokens: all.flatMap(({ token }) => token === undefined ? [] : [token])
  }
  return removed
})
