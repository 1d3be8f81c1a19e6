// The files of a place on the disk of this node. What is in it was written by commands, so nothing here follows a link,
// waits for a pipe, or trusts a name. No command is running meanwhile, but while `isOverQuota` looks.
//
// @effect-diagnostics asyncFunction:off newPromise:off globalTimers:off -- sandboxes are plain promises
import { spawn } from "node:child_process"
import type { Dirent } from "node:fs"
import { chmod, constants, lstat, mkdir, open, readdir, rm, unlink } from "node:fs/promises"
import { dirname, join } from "node:path"
import { type Entry, type Listing, type NewFile, OverQuota, type Quota, Unstorable } from "../SandboxPort.ts"
import * as WorkspacePath from "../WorkspacePath.ts"

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** It does not follow links, and removes names that are too long for a call. */
export const removeTree = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true }).catch(() =>
    new Promise<void>((done, failed) => {
      const child = spawn("/bin/sh", ["-c", "chmod -R u+rwx -- \"$1\"; rm -rf -- \"$1\"", "sh", path], {
        stdio: "ignore",
        env: {}
      })
      child.on("error", failed)
      child.on("close", () => done())
    })
  )

const options = { withFileTypes: true, encoding: "buffer" } as const

const entriesOf = async (folder: string): Promise<ReadonlyArray<Dirent<Buffer>>> => {
  try {
    return await readdir(folder, options)
  } catch {
    // a command has taken the rights away
    await chmod(folder, 0o700)
    return await readdir(folder, options)
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true })

const nameOf = (bytes: Buffer): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** Fails with `OverQuota` as soon as there is more. Links are removed, and names that are none are refused. */
export const list = async (root: string, quota: Quota): Promise<Listing> => {
  const files: Array<Entry> = []
  const dropped: Array<string> = []
  let bytes = 0
  let entries = 0
  const folders = [""]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await entriesOf(join(root, folder))) {
      entries++
      if (entries > quota.files * 2) throw new OverQuota(`more than ${quota.files} files`)
      const name = nameOf(entry.name)
      const path = name === undefined || folder === "" ? name : `${folder}/${name}`
      const problem = path === undefined
        ? `A name in the folder '${folder.slice(0, 80)}' is no UTF-8`
        : WorkspacePath.problemOf(path)
      if (path === undefined || problem !== undefined) throw new Unstorable(problem)
      if (entry.isDirectory()) {
        folders.push(path)
        continue
      }
      if (!entry.isFile()) {
        dropped.push(`${path} (${entry.isSymbolicLink() ? "a link" : "no file"})`)
        await unlink(join(root, path))
        continue
      }
      const found = await lstat(join(root, path), { bigint: true })
      bytes += Number(found.size)
      files.push({
        path,
        bytes: Number(found.size),
        stamp: `${found.ino}:${found.mtimeNs}:${found.ctimeNs}:${found.size}`,
        executable: (found.mode & 0o100n) !== 0n
      })
      if (files.length > quota.files) throw new OverQuota(`more than ${quota.files} files`)
      if (bytes > quota.bytes) throw new OverQuota(`more than ${quota.bytes} bytes`)
    }
  }
  return { files, dropped }
}

const slash = Buffer.from("/")

/**
 * While a command is running: whether there is more than the quota, whatever the names are and however deep it is. A
 * folder that cannot be read could have anything in it.
 */
export const isOverQuota = async (root: string, quota: Quota): Promise<boolean> => {
  let bytes = 0
  let entries = 0
  const folders = [Buffer.from(root)]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const found = await readdir(folder, options).catch((error: NodeJS.ErrnoException) => error.code)
    if (!Array.isArray(found)) {
      // it may have been removed, or replaced, since it was listed
      if (found === "ENOENT" || found === "ENOTDIR") continue
      return true
    }
    entries += found.length
    if (entries > quota.files * 2) return true
    for (const entry of found) {
      const path = Buffer.concat([folder, slash, entry.name])
      if (entry.isDirectory()) folders.push(path)
      else if (entry.isFile()) bytes += (await lstat(path).catch(() => undefined))?.size ?? 0
    }
    if (bytes > quota.bytes) return true
  }
  return false
}

/** Fails for a folder that is a link. */
const checkFolders = async (root: string, path: string): Promise<void> => {
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    const found = await lstat(join(root, folder))
    if (!found.isDirectory()) throw new Error(`${folder} is no folder`)
  }
}

export const read = async (root: string, path: string): Promise<Uint8Array> => {
  await checkFolders(root, path)
  const place = join(root, path)
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(place, flags).catch(async () => {
    await chmod(place, 0o600)
    return open(place, flags)
  })
  try {
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** What is in the way is removed: a folder with this name, or a file with the name of a folder. */
export const write = async (root: string, { content, executable, path }: NewFile, owner?: Owner): Promise<void> => {
  const parts = path.split("/")
  let folder = root
  for (const part of parts.slice(0, -1)) {
    folder = join(folder, part)
    const found = await lstat(folder).catch(() => undefined)
    if (found?.isDirectory() === true) continue
    if (found !== undefined) await removeTree(folder)
    await mkdir(folder, { mode: 0o700 })
    if (owner !== undefined) await chownFolder(folder, owner)
  }
  const place = join(root, path)
  await removeTree(place)
  const file = await open(
    place,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    executable ? 0o700 : 0o600
  )
  try {
    await file.writeFile(content)
    if (owner !== undefined) await file.chown(owner.uid, owner.gid)
  } finally {
    await file.close()
  }
}

const chownFolder = async (folder: string, { gid, uid }: Owner): Promise<void> => {
  const opened = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    await opened.chown(uid, gid)
  } finally {
    await opened.close()
  }
}

export const remove = async (root: string, path: string): Promise<void> => {
  await checkFolders(root, path)
  await removeTree(join(root, path))
}
