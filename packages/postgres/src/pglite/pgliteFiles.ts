// The files of the embedded database: in a directory or in memory.
import type { PGlite } from "@electric-sql/pglite"
import { closeSync, fdatasyncSync, fsyncSync, openSync } from "node:fs"
import { join } from "node:path"
import { type Module, moduleOf, type PgliteFiles } from "./pgliteModule.ts"
import type { Entry } from "./PgliteTemplate.ts"

export interface Sync {
  isOn: boolean
}

/** Where the module expects its database. */
const root = "/pglite/data"

/** The module has no fsync for files of node. Without this a commit is lost if the operating system crashes. */
const passOnSync = ({ FS: { filesystems: { NODEFS } } }: Pick<Module, "FS">, sync: Sync) => {
  NODEFS.stream_ops.fsync = ({ nfd, node }) => {
    if (!sync.isOn) return 0
    if (nfd !== undefined) {
      fdatasyncSync(nfd)
      return 0
    }
    // Windows cannot sync a directory, and does not need to
    if (process.platform === "win32") return 0
    const directory = openSync(NODEFS.realPath(node), "r")
    fsyncSync(directory)
    closeSync(directory)
    return 0
  }
}

/** `sync` may be turned on and off while the files are in use. */
export const filesOnDisk = (directory: string, sync: Sync): Promise<PgliteFiles> =>
  import("@electric-sql/pglite/nodefs").then(({ NodeFS }) => {
    const files = new NodeFS(directory)
    const init = files.init.bind(files)
    files.init = (pglite, options) =>
      init(pglite, options).then(({ emscriptenOpts }) => ({
        emscriptenOpts: {
          ...emscriptenOpts,
          preRun: [...emscriptenOpts.preRun ?? [], (module) => passOnSync(moduleOf(module), sync)]
        }
      }))
    return files
  })

const entriesBelow = (FS: Module["FS"], directory: string): ReadonlyArray<Entry> =>
  FS.readdir(join(root, directory)).filter((name) => name !== "." && name !== "..").flatMap((name): Array<Entry> => {
    const path = `${directory}/${name}`
    return FS.isDir(FS.stat(join(root, path)).mode)
      ? [{ path, content: undefined }, ...entriesBelow(FS, path)]
      : [{ path, content: FS.readFile(join(root, path)) }]
  })

/** `keep` gets the files when the database has been closed. */
export const filesInMemory = (
  entries: ReadonlyArray<Entry>,
  keep?: (entries: ReadonlyArray<Entry>) => void
): PgliteFiles => {
  let pglite: PGlite | undefined
  return {
    init: (instance, emscriptenOpts) => {
      pglite = instance
      return Promise.resolve({ emscriptenOpts })
    },
    initialSyncFs: () => {
      if (pglite === undefined) return Promise.resolve()
      const { FS } = moduleOf(pglite.Module)
      for (const { content, path } of entries) {
        if (content === undefined) FS.mkdirTree(join(root, path))
        else FS.writeFile(join(root, path), content)
      }
      return Promise.resolve()
    },
    syncToFs: () => Promise.resolve(),
    closeFs: () => {
      if (pglite !== undefined) keep?.(entriesBelow(moduleOf(pglite.Module).FS, ""))
      return Promise.resolve()
    },
    dumpTar: () => Promise.reject(new Error("not supported"))
  }
}
