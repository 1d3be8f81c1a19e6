// Commands on this machine, isolated by bubblewrap with what Linux gives without privileges. A command sees programs
// and libraries of the machine, read only, and the files of its session. It has no network, no devices, and processes
// of its own, all of which end with it. A service that runs as root executes commands as an account without rights.
//
// @effect-diagnostics asyncFunction:off newPromise:off globalTimers:off -- sandboxes are plain promises
import { type ChildProcess, spawn, type StdioOptions } from "node:child_process"
import { lstatSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { access, chmod, chown, mkdir, mkdtemp, open, readdir, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { isAbsolute, join, relative, resolve } from "node:path"
import * as Output from "../Output.ts"
import { type Command, type Ended, type Place, type Sandbox, SandboxUnusable } from "../SandboxPort.ts"
import * as LocalFiles from "./LocalFiles.ts"
import * as Seccomp from "./Seccomp.ts"
import * as Watch from "./Watch.ts"

export interface Settings {
  readonly directory: string | undefined
  readonly memoryBytes: number
  readonly processes: number
  readonly temporaryBytes: number
  readonly keepFreeBytes: number
  readonly environment: Readonly<Record<string, string>>
  readonly readOnly: ReadonlyArray<string>
}

/** What commands see of the machine: programs, libraries, and no data of anyone. */
const shown = [
  "/usr/bin",
  "/usr/sbin",
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/libexec",
  "/usr/share",
  "/usr/local/bin",
  "/usr/local/lib",
  "/etc/alternatives",
  "/etc/ld.so.cache"
]

/** Links to folders of `/usr`, or folders on older systems. */
const roots = ["/bin", "/sbin", "/lib", "/lib32", "/lib64"]

const unprivileged = { uid: 65534, gid: 65534 }

const accounts = { passwd: "sandbox:x:1000:1000::/workspace:/bin/sh\n", group: "sandbox:x:1000:\n" }

/** Files that a process may have open. */
const openFiles = 256

const isWithin = (folder: string, path: string): boolean => {
  const from = relative(folder, path)
  return from === "" || (!from.startsWith("..") && !isAbsolute(from))
}

const rootArguments = (path: string): ReadonlyArray<string> => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return []
  return found.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path]
}

interface Base {
  readonly folder: string
  /** Descriptors that each process of the service inherits, such as the lock of a supervisor. */
  readonly inherited: ReadonlyArray<number>
  readonly owner: LocalFiles.Owner | undefined
}

/** Processes of other containers can use the same folder, and their ids mean others here. */
const prefixOf = (): string => {
  const [, namespace = "0"] = /\[(\d+)\]/.exec(readlinkSync("/proc/self/ns/pid")) ?? []
  return `svc-workspaces-${namespace}-`
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

const ofThisProcess = new Set<string>()

/** What processes have left behind that were killed. The names have their ids. */
const sweep = async (directory: string, prefix: string): Promise<void> => {
  for (const name of await readdir(directory)) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split("-")[0]) : Number.NaN
    const path = join(directory, name)
    // after the start of a container its processes have the same ids again
    const isUsed = pid === process.pid ? ofThisProcess.has(path) : isAlive(pid)
    if (!Number.isInteger(pid) || isUsed) continue
    if (lstatSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.()) await LocalFiles.removeTree(path)
  }
}

/** Root of a container without further accounts is an ordinary account of its machine, and stays what it is. */
const ownerOf = (path: string): Promise<LocalFiles.Owner | undefined> =>
  chown(path, unprivileged.uid, unprivileged.gid).then(() => unprivileged, () => undefined)

const closesOnExec = 0o2000000

/** What Node opens is closed in other programs. What it was started with is not, and would be a way out. */
const inheritedDescriptors = async (): Promise<ReadonlyArray<number>> => {
  const folder = "/proc/self/fdinfo"
  const found: Array<number> = []
  for (const name of await readdir(folder)) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "")
    const [, flags] = /^flags:\s*(\d+)/m.exec(text) ?? []
    if (flags !== undefined && (Number.parseInt(flags, 8) & closesOnExec) === 0) found.push(Number(name))
  }
  return found
}

/** Of a program: its filter at 3, and a file without contents in the place of each descriptor of the service. */
const descriptorsOf = ({ inherited }: Base, filter: number, nothing: number): StdioOptions => {
  const rest = inherited.filter((descriptor) => descriptor > 3)
  const all: Array<"ignore" | number> = Array.from({ length: Math.max(3, ...rest) - 3 }, () => "ignore")
  for (const descriptor of rest) all[descriptor - 4] = nothing
  return ["ignore", "pipe", "pipe", filter, ...all]
}

const makeBase = async (directory: string): Promise<Base> => {
  const prefix = prefixOf()
  await sweep(directory, prefix)
  const folder = await mkdtemp(join(directory, `${prefix}${process.pid}-`))
  ofThisProcess.add(folder)
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  // the account without rights has to reach the folders in it, whose names are random
  await chmod(folder, 0o711)
  for (const [name, text] of Object.entries(accounts)) await writeFile(join(folder, name), text, { mode: 0o644 })
  const filter = Seccomp.program(process.arch)
  if (filter === undefined) throw new SandboxUnusable(unusable(`there is no filter for the machine ${process.arch}`))
  await writeFile(join(folder, "filter"), filter)
  const inherited = await inheritedDescriptors()
  return { folder, inherited, owner: process.getuid?.() === 0 ? await ownerOf(join(folder, "filter")) : undefined }
}

const advice =
  "Install bubblewrap 0.8 or later (apt-get install bubblewrap) and allow user namespaces to the account " +
  "of the service, or give the agent another sandbox"

const unusable = (why: string): string => `Commands cannot be isolated on this machine: ${why}. ${advice}`

/** Neither bubblewrap nor a command reads a variable of the service: a command can read those of its first process. */
const environment = { PATH: "/usr/local/bin:/usr/bin:/bin" }

const words = (text: string): ReadonlyArray<string> => text.split(" ")

const argumentsOf = (settings: Settings, { folder }: Base, files: string, skills: string | undefined) => {
  const { readOnly, temporaryBytes } = settings
  const binds = [...shown, ...readOnly]
  const own = process.cwd()
  return [
    ...words("--unshare-user --unshare-all --die-with-parent --new-session --as-pid-1 --cap-drop ALL"),
    ...words("--uid 1000 --gid 1000 --hostname sandbox"),
    ...binds.flatMap((path) => ["--ro-bind-try", path, path]),
    ...roots.flatMap(rootArguments),
    ...Object.keys(accounts).flatMap((name) => ["--ro-bind", join(folder, name), `/etc/${name}`]),
    // an application can be in a folder of programs
    ...(binds.some((path) => isWithin(path, own) && own !== path) ? ["--tmpfs", own, "--remount-ro", own] : []),
    // what reads like it, and cannot be mapped as memory that is not counted
    ...words("--proc /proc --dev /dev --dev-bind /dev/full /dev/zero"),
    ...words(`--size ${temporaryBytes} --tmpfs /dev/shm --size ${temporaryBytes} --tmpfs /tmp`),
    ...(skills === undefined ? [] : ["--ro-bind", skills, "/skills"]),
    "--bind",
    files,
    ...words("/workspace --chdir /workspace --remount-ro /dev --remount-ro / --clearenv"),
    ...Object.entries({ ...environment, HOME: "/workspace", LANG: "C.UTF-8", TMPDIR: "/tmp", ...settings.environment })
      .flatMap(([name, value]) => ["--setenv", name, value])
  ]
}

const limitsOf = ({ memoryBytes, processes }: Settings, { quota, timeoutMillis }: Command): ReadonlyArray<string> => [
  "prlimit",
  `--nproc=${processes}`,
  `--fsize=${quota.bytes}`,
  `--nofile=${openFiles}`,
  `--data=${memoryBytes}`,
  `--cpu=${Math.ceil(timeoutMillis / 1000) + 1}`,
  "--core=0",
  "--memlock=0",
  "--msgqueue=0",
  "--"
]

/**
 * Of all processes of the machine, those of the command are ended first if memory runs out. The first process of the
 * namespace is this shell and not the command, because signals do not end the first one.
 */
const script = "echo 1000 >/proc/self/oom_score_adj 2>/dev/null; if [ -x /bin/bash ]; then /bin/bash -c \"$1\"; " +
  "else /bin/sh -c \"$1\"; fi; exit $?"

/** The first process of the namespace, with which all others end. Bubblewrap waits for it, so it leaves no zombie. */
const endNamespace = (child: ChildProcess): void => {
  const pids = child.pid === undefined ? [] : childrenOf(child.pid)
  try {
    for (const pid of pids) process.kill(pid, "SIGKILL")
  } catch {
    // it has ended
  }
  if (pids.length === 0) child.kill("SIGKILL")
}

const childrenOf = (pid: number): ReadonlyArray<number> => {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    return text.split(" ").filter((child) => child !== "").map(Number)
  } catch {
    return []
  }
}

const run = async (settings: Settings, base: Base, files: string, command: Command): Promise<Ended> => {
  const { onOutput, outputBytes, signal, timeoutMillis } = command
  if (signal.aborted) return { exitCode: null, output: "", stopped: "signal" }
  if (!await Watch.hasSpace(files, settings.keepFreeBytes)) {
    throw new SandboxUnusable(
      `Less than ${settings.keepFreeBytes} bytes of the disk are free. Commands are executed when there are more`
    )
  }
  const skills = command.skills.length === 0 ? undefined : await mkdtemp(join(base.folder, "skills-"))
  if (skills !== undefined) {
    await chmod(skills, 0o700)
    if (base.owner !== undefined) await chown(skills, base.owner.uid, base.owner.gid)
    for (const file of command.skills) await LocalFiles.write(skills, { ...file, executable: true }, base.owner)
  }
  const [filter, nothing] = [await open(join(base.folder, "filter")), await open("/dev/null")]
  const output = Output.make(outputBytes)
  try {
    return await new Promise<Ended>((done, failed) => {
      const child = spawn("bwrap", [
        ...argumentsOf(settings, base, files, skills),
        ...words("--seccomp 3 --"),
        ...limitsOf(settings, command),
        ...words("/bin/sh -c"),
        script,
        "sh",
        command.command
      ], { env: environment, stdio: descriptorsOf(base, filter.fd, nothing.fd), cwd: "/", ...base.owner })
      let stopped: Ended["stopped"]
      const stop = (why: NonNullable<Ended["stopped"]>): void => {
        stopped ??= why
        endNamespace(child)
      }
      const watch = child.pid === undefined ? undefined : Watch.start({
        pid: child.pid,
        folder: files,
        quota: command.quota,
        memoryBytes: settings.memoryBytes,
        keepFreeBytes: settings.keepFreeBytes
      }, stop)
      const timer = setTimeout(() => stop("timeout"), timeoutMillis)
      const onAbort = (): void => stop("signal")
      signal.addEventListener("abort", onAbort, { once: true })
      // it can have been given up while the command was being prepared
      if (signal.aborted) onAbort()
      const end = (): void => {
        watch?.()
        clearTimeout(timer)
        signal.removeEventListener("abort", onAbort)
      }
      for (const stream of [child.stdout, child.stderr]) {
        const decoder = new TextDecoder()
        stream?.on("data", (bytes: Buffer) => {
          output.add(bytes)
          onOutput(decoder.decode(bytes, { stream: true }))
        })
      }
      child.on("error", (error) => {
        end()
        failed(new SandboxUnusable(unusable(`bwrap cannot be started (${error.message})`)))
      })
      // all pipes are closed: no process of the command is left
      child.on("close", (code) => {
        end()
        done({ exitCode: stopped === undefined ? code : null, output: output.text(), stopped })
      })
    })
  } finally {
    await Promise.all([filter.close(), nothing.close()])
    if (skills !== undefined) await LocalFiles.removeTree(skills)
  }
}

const probe: Omit<Command, "signal"> = {
  command: "test -w /workspace && ! test -e /etc/shadow && ! unshare -U true 2>/dev/null && " +
    "for d in /proc/self/fd/*; do test ${d##*/} -le 2 || ! test -e $d || test $d -ef /dev/null || exit 1; done && " +
    "echo isolated",
  timeoutMillis: 20_000,
  quota: { bytes: 1_000_000, files: 10 },
  outputBytes: 2_000,
  skills: [],
  onOutput: () => {}
}

export const make = (settings: Settings): Sandbox => {
  let base: Promise<Base> | undefined
  let checked: Promise<void> | undefined

  const theBase = (): Promise<Base> => {
    base ??= (async () => {
      const directory = resolve(settings.directory ?? tmpdir())
      await access(directory).catch(() => {
        throw new SandboxUnusable(`There is no folder ${directory} for workspaces. Make it, or name another one`)
      })
      return makeBase(directory)
    })()
    return base
  }

  const placeIn = async (own: Base): Promise<string> => mkdtemp(join(own.folder, "place-"))

  const open = async (): Promise<Place> => {
    let own = await theBase()
    const folder = await placeIn(own).catch(async () => {
      // what was not used for days is removed from temporary folders of many machines
      base = undefined
      own = await theBase()
      return placeIn(own)
    })
    // the files are one level deeper, so that commands do not own the folder which is opened by its name
    const files = join(folder, "files")
    await mkdir(files, { mode: 0o700 })
    if (own.owner !== undefined) {
      await chmod(folder, 0o711)
      await chown(files, own.owner.uid, own.owner.gid)
    }
    let running: Promise<unknown> = Promise.resolve()
    return {
      list: (quota) => LocalFiles.list(files, quota),
      read: (path) => LocalFiles.read(files, path),
      write: (file) => LocalFiles.write(files, file, own.owner),
      remove: (path) => LocalFiles.remove(files, path),
      run: (command) => {
        const ended = run(settings, own, files, command)
        running = ended.catch(() => {})
        return ended
      },
      // a command that is being stopped could still write
      close: () => running.then(() => LocalFiles.removeTree(folder))
    }
  }

  const first = async (): Promise<void> => {
    const place = await open()
    try {
      const { exitCode, output } = await place.run({ ...probe, signal: new AbortController().signal })
      if (exitCode === 0 && output.includes("isolated")) return
      throw new SandboxUnusable(
        unusable(`a first command failed (${output.trim().slice(0, 300) || `code ${exitCode}`})`)
      )
    } finally {
      await place.close()
    }
  }

  const check = (): Promise<void> => {
    if (process.platform !== "linux") {
      return Promise.reject(new SandboxUnusable(unusable(`it needs Linux, and this is ${process.platform}`)))
    }
    return first().catch((error: unknown) => {
      throw error instanceof SandboxUnusable ? error : new SandboxUnusable(unusable(String(error)))
    })
  }

  return {
    _tag: "Sandbox",
    name: "local",
    check: () => {
      checked ??= check().catch((error: unknown) => {
        // it may be mended without a new start
        checked = undefined
        throw error
      })
      return checked
    },
    open
  }
}
