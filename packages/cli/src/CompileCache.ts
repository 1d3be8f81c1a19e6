// Caches the compiled code of the bundle for the next start of the same command. V8 keeps what ran until the end; the
// cache of Node has only what is compiled when a file is loaded, and the rest is compiled again in each start. V8
// executes what it finds, so the directory must belong to the user alone.
import * as fs from "node:fs"
import Module, { createRequire } from "node:module"
import { basename, dirname, isAbsolute, join } from "node:path"
import process from "node:process"
import { promisify } from "node:util"
import { constants, Script } from "node:vm"
import { version } from "./version.ts"

// `node:fs/promises` is not loaded yet
const lstat = promisify(fs.lstat)
const mkdir = promisify(fs.mkdir)
const readdir = promisify(fs.readdir)
const readFile = promisify(fs.readFile)
const rename = promisify(fs.rename)
const writeFile = promisify(fs.writeFile)

/** Undefined without a home. */
const cacheOf = (): string | undefined => {
  const { HOME: home, LOCALAPPDATA: windows, NODE_DISABLE_COMPILE_CACHE: isOff, XDG_CACHE_HOME: standard } = process.env
  if (isOff) return undefined
  if (process.platform === "win32") return windows && join(windows, "svc")
  if (standard && isAbsolute(standard)) return join(standard, "svc")
  return home && isAbsolute(home) ? join(home, ".cache", "svc") : undefined
}

/** Rejects unless the directory belongs to the user alone. Windows has no owners, and keeps it in the profile. */
const checkPrivate = (directory: string): Promise<void> =>
  lstat(directory).then((found) => {
    const isPrivate = found.isDirectory() &&
      (process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0))
    if (!isPrivate) throw new Error(`${directory} belongs to others too`)
  })

/** The code of a file, as V8 stores it. */
type Stored = ReadonlyMap<string, Buffer>

const none: Stored = new Map()

const storedIn = (directory: string): Promise<Stored> =>
  readdir(directory).then((names) =>
    Promise.all(names.map((name) => readFile(join(directory, name)).then((data) => [name, data] as const)))
  ).then((files) => new Map(files))

/** Files that were compiled in this start. */
const compiled = new Map<string, Script>()

type Compile = (this: NodeJS.Module, source: string, file: string, ...more: ReadonlyArray<unknown>) => unknown

/** A file of the bundle, whose name changes with its content. */
const isOfBundle = (name: string): boolean => /^\w+-[\w-]{8}\.js$/.test(name)

const useStored = (stored: Stored): void => {
  const { _compile: other } = Module.prototype as unknown as { readonly _compile: Compile }
  const compile: Compile = function(source, file, ...more) {
    const name = basename(file)
    if (!isOfBundle(name)) return other.call(this, source, file, ...more)
    const cachedData = stored.get(name)
    const script = new Script(Module.wrap(source), {
      filename: file,
      ...(cachedData !== undefined && { cachedData }),
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
    })
    if (script.cachedDataRejected !== false) compiled.set(name, script)
    return script.runInThisContext().call(this.exports, this.exports, createRequire(file), this, file, dirname(file))
  }
  Object.assign(Module.prototype, { _compile: compile })
}

const mode = 0o700
let store: (() => Promise<unknown>) | undefined

/** A reader sees the old file or the new one, also after a crash: V8 does not check what it reads. */
const write = (directory: string) => ([name, script]: readonly [string, Script]): Promise<void> => {
  const temporary = join(directory, `.${name}.${process.pid}`)
  return writeFile(temporary, script.createCachedData(), { flag: "wx", flush: true, mode: 0o600 })
    .then(() => rename(temporary, join(directory, name)))
}

const ignored = () => undefined

/** Calls `start` with the compiled code of this command, if there is any. */
export const withCompiledCode = (command: string, start: () => void): void => {
  const cache = cacheOf()
  if (cache === undefined || !/^[a-z]+$/.test(command)) return start()
  const directory = join(cache, `${version}-${process.version}-${process.arch}`, command)
  void checkPrivate(cache).then(() => storedIn(directory)).catch(() => none).then((stored) => {
    useStored(stored)
    store = () =>
      // not recursive: a home that does not exist is not made
      mkdir(dirname(cache), { mode }).catch(ignored)
        .then(() => mkdir(cache, { mode }).catch(ignored))
        .then(() => checkPrivate(cache))
        .then(() => mkdir(directory, { recursive: true, mode }))
        .then(() => Promise.all([...compiled].map(write(directory))))
    start()
  })
}

/** Stores what was compiled, and calls back. */
export const storeCompiledCode = (done: () => void): void => {
  if (store === undefined || compiled.size === 0) return done()
  void store().catch(ignored).then(done)
}
