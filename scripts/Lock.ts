// A file with the id of the one process that may work. The others wait until it ends or removes the file.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** The process that has the file. Undefined: there is no file, or its process has ended. */
const holderOf = (file: string): number | undefined => {
  try {
    const id = Number(readFileSync(file, "utf8"))
    process.kill(id, 0)
    return id
  } catch {
    return undefined
  }
}

const take = (file: string): boolean => {
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" })
    return true
  } catch {
    return false
  }
}

/** Waits until this process has the file, and returns what releases it. `waiting` gets the process that has it. */
export const acquire = async (file: string, waiting: (holder: number) => void): Promise<() => void> => {
  mkdirSync(dirname(file), { recursive: true })
  let isNoted = false
  while (!take(file)) {
    const holder = holderOf(file)
    if (holder === undefined) {
      rmSync(file, { force: true })
      continue
    }
    if (!isNoted) waiting(holder)
    isNoted = true
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  return () => rmSync(file, { force: true })
}
