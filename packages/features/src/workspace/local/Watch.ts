// What a running command uses, looked at every tenth of a second: the memory of all its processes, its files, and the
// free space of the disk. The limits of the kernel that need no privileges count for each process alone.
//
// @effect-diagnostics asyncFunction:off newPromise:off globalTimers:off -- sandboxes are plain promises
import { readdir, readFile, statfs } from "node:fs/promises"
import type { Ended, Quota } from "../SandboxPort.ts"
import * as LocalFiles from "./LocalFiles.ts"

const every = 100
const pageBytes = 4096

export interface Watched {
  readonly pid: number
  readonly folder: string
  readonly quota: Quota
  readonly memoryBytes: number
  readonly keepFreeBytes: number
}

const read = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "")

/** What each thread of a process has started, by the kernel's lists. */
const childrenOf = async (pid: number): Promise<ReadonlyArray<number>> => {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(threads.map((thread) => read(`/proc/${pid}/task/${thread}/children`)))
  return lists.flatMap((list) => list.split(" ").filter((child) => child !== "").map(Number))
}

/** Of a process and all that it has started. */
const memoryOf = async (pid: number): Promise<number> => {
  let bytes = 0
  const pids = [pid]
  for (let next = pids.pop(); next !== undefined; next = pids.pop()) {
    const [statm, children] = await Promise.all([read(`/proc/${next}/statm`), childrenOf(next)])
    bytes += Number(statm.split(" ")[1] ?? 0) * pageBytes
    pids.push(...children)
  }
  return bytes
}

export const hasSpace = async (folder: string, keepFreeBytes: number): Promise<boolean> => {
  const { bavail, bsize, ffree, files } = await statfs(folder)
  // some file systems have no fixed number of files
  return bavail * bsize > keepFreeBytes && (files === 0 || ffree * 100 > files)
}

const problem = async (watched: Watched): Promise<Ended["stopped"]> => {
  const { folder, keepFreeBytes, memoryBytes, pid, quota } = watched
  if (await memoryOf(pid) > memoryBytes) return "memory"
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
