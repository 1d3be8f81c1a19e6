// What a running command uses, looked at every tenth of a second: the memory of all its processes, its files, and the
// free space of the disk. The limits of the kernel that need no privileges count for each process alone.
//
// @effect-diagnostics asyncFunction:off newPromise:off globalTimers:off -- sandboxes are plain promises
import { readdir, readFile, readlink, stat, statfs } from "node:fs/promises"
import type { Ended, Quota } from "../SandboxPort.ts"
import * as LocalFiles from "./LocalFiles.ts"

const every = 100

export interface Watched {
  readonly pid: number
  readonly folder: string
  readonly quota: Quota
  readonly memoryBytes: number
  readonly keepFreeBytes: number
}

const read = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "")

const names = (folder: string): Promise<ReadonlyArray<string>> => readdir(folder).catch(() => [])

const kilobytes = (status: string, name: "RssShmem" | "VmRSS"): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1] ?? 0)

interface Used {
  /** Of processes, without what they share. */
  memory: number
  /** Of memory that processes share, and of files without a name, by what they are. */
  readonly shared: Map<string, number>
  readonly unnamed: Map<string, number>
}

/** Memory without a name that can be shared is not in the resident size while it is not looked at. */
const addShared = (used: Used, maps: string): void => {
  for (const [, from = "", to = "", inode = ""] of maps.matchAll(sharedMapping)) {
    const size = Number.parseInt(to, 16) - Number.parseInt(from, 16)
    used.shared.set(inode, Math.max(used.shared.get(inode) ?? 0, size))
  }
}

const sharedMapping = /^([0-9a-f]+)-([0-9a-f]+) ..[-x]s \S+ \S+ (\d+) +\/(?:dev\/zero|memfd:|SYSV)/gm

/** Files that were removed and are still open. */
const addUnnamed = async (used: Used, pid: string): Promise<void> => {
  for (const descriptor of await names(`/proc/${pid}/fd`)) {
    const path = `/proc/${pid}/fd/${descriptor}`
    if (!(await readlink(path).catch(() => "")).endsWith(" (deleted)")) continue
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile() === true) used.unnamed.set(`${found.dev}:${found.ino}`, found.size)
  }
}

/** Of a process and all that it and its threads have started, by the kernel's lists of children. */
const usedBy = async (pid: number): Promise<Used> => {
  const used: Used = { memory: 0, shared: new Map(), unnamed: new Map() }
  const pids = [String(pid)]
  for (let next = pids.pop(); next !== undefined; next = pids.pop()) {
    const folder = `/proc/${next}`
    const [status, maps, tasks] = await Promise.all([
      read(`${folder}/status`),
      read(`${folder}/maps`),
      names(`${folder}/task`)
    ])
    used.memory += (kilobytes(status, "VmRSS") - kilobytes(status, "RssShmem")) * 1024
    addShared(used, maps)
    await addUnnamed(used, next)
    for (const task of tasks) {
      const children = await read(`${folder}/task/${task}/children`)
      pids.push(...children.split(" ").filter((child) => child !== ""))
    }
  }
  return used
}

const sumOf = (sizes: ReadonlyMap<string, number>): number => [...sizes.values()].reduce((sum, size) => sum + size, 0)

/** The part of the files of a disk that has to stay free. */
const keepFreeFiles = 0.02

export const hasSpace = async (folder: string, keepFreeBytes: number): Promise<boolean> => {
  const { bavail, bsize, ffree, files } = await statfs(folder)
  return bavail * bsize > keepFreeBytes && ffree >= files * keepFreeFiles
}

const problem = async (watched: Watched): Promise<Ended["stopped"]> => {
  const { folder, keepFreeBytes, memoryBytes, pid, quota } = watched
  const { memory, shared, unnamed } = await usedBy(pid)
  if (memory + sumOf(shared) > memoryBytes) return "memory"
  if (sumOf(unnamed) > quota.bytes) return "quota"
  if (!await hasSpace(folder, keepFreeBytes)) return "disk"
  return await LocalFiles.isOverQuota(folder, quota) ? "quota" : undefined
}

/** Calls `stop` once. The function that it returns ends it. */
export const start = (watched: Watched, stop: (why: NonNullable<Ended["stopped"]>) => void): () => void => {
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    const begun = performance.now()
    const found = await problem(watched).catch(() => undefined)
    if (isOver) return
    if (found !== undefined) return stop(found)
    // many files must not make the watch the main work
    wait(Math.max(every, (performance.now() - begun) * 5))
  }
  const wait = (millis: number): void => {
    timer = setTimeout(() => void look(), millis)
  }
  wait(every)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
