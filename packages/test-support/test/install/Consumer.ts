// A project in a folder of its own that uses the packed packages. Its node_modules hold the packages as they are in
// their tarballs, and links to the workspace's copies of what they and the project declare: no network is needed, and
// an import of anything that is not declared fails.
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, dirname, join } from "node:path"
import { inject } from "vitest"

const workspace = join(import.meta.dirname, "..", "..", "..", "..")

interface Manifest {
  readonly version: string
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

export const emptyFolder = (): string => mkdtempSync(join(tmpdir(), "project-"))

export const write = (folder: string, files: Readonly<Record<string, string>>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}

/** One version, or any of a major version: `^18.0.0 || ^19.0.0`. */
const fits = (version: string, range: string): boolean =>
  range.split(" || ").some((each) => {
    const major = /^\^(\d+\.)0\.0$/.exec(each)?.[1]
    return major === undefined ? version === each.replace(/^\^/, "") : version.startsWith(major)
  })

/** The workspace's copy, which has the version that is asked for. */
const copyOf = (name: string, range: string): string => {
  const copies = [join(workspace, "node_modules", name), join(workspace, "packages/fetch/node_modules", name)]
  const copy = copies.find((folder) => existsSync(folder) && fits(manifestOf(folder).version, range))
  if (copy === undefined) throw new Error(`The workspace has no ${name} ${range}`)
  return copy
}

const linkPrograms = (modules: string, name: string): void => {
  mkdirSync(join(modules, ".bin"), { recursive: true })
  for (const [program, file] of Object.entries(manifestOf(join(modules, name)).bin ?? {})) {
    const link = join(modules, ".bin", program)
    if (!existsSync(link)) symlinkSync(join(modules, name, file), link)
  }
}

const add = (modules: string, name: string, range: string): void => {
  const folder = join(modules, name)
  if (existsSync(folder)) return
  mkdirSync(dirname(folder), { recursive: true })
  const tarball = inject("tarballs")[name]
  if (tarball === undefined) symlinkSync(copyOf(name, range), folder)
  else {
    mkdirSync(folder)
    execFileSync("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"])
    const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifestOf(folder)
    addAll(modules, { ...dependencies, ...optionalDependencies })
    addAll(
      modules,
      Object.fromEntries(
        Object.entries(peerDependencies).filter(([peer]) => peerDependenciesMeta[peer]?.optional !== true)
      )
    )
  }
  linkPrograms(modules, name)
}

const addAll = (modules: string, dependencies: Readonly<Record<string, string>>): void => {
  for (const [name, range] of Object.entries(dependencies)) add(modules, name, range)
}

/** Installs what the manifest of the project declares. */
export const install = (folder: string): void => {
  const { dependencies, devDependencies } = manifestOf(folder)
  addAll(join(folder, "node_modules"), { ...dependencies, ...devDependencies })
}

/** Without the settings of the test's own process: those of a user who has just installed Node. */
const environment = (folder: string, env: Readonly<Record<string, string>>) => ({
  PATH: [join(folder, "node_modules", ".bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter),
  HOME: folder,
  TMPDIR: tmpdir(),
  ...env
})

/** Zero would be the group of the test itself. */
const groupOf = ({ pid }: ChildProcess): number => {
  if (pid === undefined) throw new Error("The process did not start")
  return pid
}

export interface Ended {
  readonly code: number | null
  readonly output: string
}

const begin = (folder: string, command: ReadonlyArray<string>, env: Readonly<Record<string, string>>) => {
  const [program = "", ...args] = command
  const child = spawn(program, args, {
    cwd: folder,
    env: environment(folder, env),
    stdio: ["ignore", "pipe", "pipe"],
    // a group of its own: a signal to npm alone would not reach what npm started
    detached: true
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text
      child.emit("output")
    })
  }
  const ended = once(child, "close").then(([code]): Ended => ({ code: code as number | null, output }))
  return { child, ended, output: () => output }
}

/** Runs a command of the project to its end. */
export const run = (folder: string, ...command: ReadonlyArray<string>): Promise<Ended> =>
  begin(folder, command, {}).ended

/** Starts the service of the project on a free port. */
export const serve = async (folder: string, ...command: ReadonlyArray<string>) => {
  const { child, ended, output } = begin(folder, command, { PORT: "0", DATA_DIR: join(folder, "data") })
  /** Waits until the service has started so many times, and gives its address. */
  const address = async (starts: number): Promise<string> => {
    for (;;) {
      const [, url] = Array.from(output().matchAll(/listens on (http:\/\/[^\s"(]+)/g))[starts - 1] ?? []
      if (url !== undefined) return url
      const isEnded = await Promise.race([once(child, "output").then(() => false), ended.then(() => true)])
      if (isEnded) throw new Error(`The service ended:\n${output()}`)
    }
  }
  const stop = (): Promise<Ended> => {
    process.kill(-groupOf(child), "SIGTERM")
    return ended
  }
  /** Ends when all programs that the command started have closed their output. */
  const stopFirstProcess = (): Promise<Ended> => {
    child.kill("SIGTERM")
    return ended
  }
  return { url: await address(1), restarted: () => address(2), stop, stopFirstProcess }
}
