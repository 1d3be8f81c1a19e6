// Caches the compiled code of the bundle for the next start of the same command. V8 keeps what ran until the end; the
// cache of Node has only what is compiled when a file is loaded, and the rest is compiled again in each start. V8
// executes what it finds, so the directory must belong to the user alone.
import { lstatSync, promises, readdirSync, readFileSync } from "node:fs"
import Module, { createRequire } from "node:module"
import { basename, dirname, isAbsolute, join } from "node:path"
import process from "node:process"
import { Script } from "node:vm"
import { version } from "./version.ts"

/** The directory of the cache. A user without a home has none. */
const cacheOf = (): string | undefined => {
  const { HOME: home, LOCALAPPDATA: windows, NODE_DISABLE_COMPILE_CACHE: isOff, XDG_CACHE_HOME: standard } = process.env
  if (isOff) return undefined
  if (process.platform === "win32") return windows && join(windows, "svc")
  if (standard && isAbsolute(standard)) return join(standard, "svc")
  return home && isAbsolute(home) ? join(home, ".cache", "svc") : undefined
}

/** Throws unless the directory belongs to the user alone. Windows has no owners, and keeps it in the profile. */
const checkPrivate = (directory: string): void => {
  const found = lstatSync(directory)
  const isPrivate = found.isDirectory() &&
    (process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0))
  if (!isPrivate) throw new Error(`${directory} belongs to others too`)
}

/** The code of a file, as V8 stores it. */
type Stored = ReadonlyMap<string, Buffer>

const none: Stored = new Map()

/** Nothing else can be done meanwhile, and starting threads to read takes longer. */
const storedIn = (directory: string): Stored =>
  new Map(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]))

/** Files without stored code. */
const compiled = new Map<string, Script>()

type Compile = (this: NodeJS.Module, source: string, file: string, ...more: ReadonlyArray<unknown>) => unknown

/** Node does not document its method, and may have none of this name one day. */
const isCompile = (method: unknown): method is Compile => typeof method === "function"

/** A file of the bundle, whose name changes with its content. */
const isOfBundle = (name: string): boolean => /^\w+-[\w-]{8}\.js$/.test(name)

const useStored = (stored: Stored): void => {
  const other: unknown = Reflect.get(Module.prototype, "_compile")
  if (!isCompile(other)) return
  const compile: Compile = function(source, file, ...more) {
    const name = basename(file)
    if (!isOfBundle(name)) return other.call(this, source, file, ...more)
    const cachedData = stored.get(name)
    const script = new Script(Module.wrap(source), {
      filename: file,
      ...(cachedData !== undefined && { cachedData })
    })
    if (script.cachedDataRejected !== false) compiled.set(name, script)
    return script.runInThisContext().call(this.exports, this.exports, createRequire(file), this, file, dirname(file))
  }
  Object.assign(Module.prototype, { _compile: compile })
}

/** This file is a part of it. */
const bundle = import.meta.dirname

const mode = 0o700
const ignored = () => undefined
let store: (() => Promise<unknown>) | undefined

type Files = typeof promises

/** A reader sees the old file or the new one, also after a crash: V8 does not check what it reads. */
const write = ({ rename, writeFile }: Files, directory: string) => ([name, script]: readonly [string, Script]) => {
  const temporary = join(directory, `.${name}.${process.pid}`)
  return writeFile(temporary, script.createCachedData(), { flag: "wx", flush: true, mode: 0o600 })
    .then(() => rename(temporary, join(directory, name)))
}

/** Beside the current one, of the tool and of Node: projects on one machine can have different versions. */
const keptVersions = 2

const removeAll = ({ rm }: Files, directory: string, names: ReadonlyArray<string>) =>
  Promise.all(names.map((name) => rm(join(directory, name), { recursive: true, force: true })))

/** Removes temporary files, code of files that the bundle does not have, and all versions but the newest. */
const prune = (files: Files, directory: string) => {
  const current = dirname(directory)
  const cache = dirname(current)
  const aged = (name: string) => files.stat(join(cache, name)).then(({ mtimeMs }) => ({ name, mtimeMs }))
  return Promise.all([files.readdir(directory), files.readdir(bundle)])
    .then(([stored, wanted]) => removeAll(files, directory, stored.filter((name) => !wanted.includes(name))))
    .then(() => files.readdir(cache))
    .then((names) => Promise.all(names.filter((name) => name !== basename(current)).map(aged)))
    .then((others) => others.toSorted((one, other) => other.mtimeMs - one.mtimeMs).slice(keptVersions))
    .then((old) => removeAll(files, cache, old.map(({ name }) => name)))
}

/** Calls `start` with the compiled code of this command, if there is any. */
export const withCompiledCode = (command: string, start: () => void): void => {
  const cache = cacheOf()
  if (cache === undefined || !/^[a-z]+$/.test(command)) return start()
  const directory = join(cache, `${version}-${process.version}-${process.arch}`, command)
  const reading = Promise.resolve().then(() => {
    checkPrivate(cache)
    return storedIn(directory)
  })
  void reading.catch(() => none).then((stored) => {
    useStored(stored)
    store = () => {
      const files = promises
      // not recursive: a home that does not exist is not made
      return files.mkdir(dirname(cache), { mode }).catch(ignored)
        .then(() => files.mkdir(cache, { mode }).catch(ignored))
        .then(() => checkPrivate(cache))
        .then(() => files.mkdir(directory, { recursive: true, mode }))
        // on a full disk files are left half written, which are removed then
        .then(() => Promise.allSettled([...compiled].map(write(files, directory))))
        .then(() => prune(files, directory))
    }
    start()
  })
}

/** Stores what was compiled, and calls back. */
export const storeCompiledCode = (done: () => void): void => {
  if (store === undefined || compiled.size === 0) return done()
  void store().catch(ignored).then(done)
}
