// One directory for the temporary files of all test files and their processes, removed when the run of vitest ends.
// Vitest ends its workers by a signal, so a worker cannot remove what it shares between its test files.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const memory = "/dev/shm"

/** A run of all tests takes less than one, and its services memory of their own. */
const bytesNeeded = 4 * 1024 ** 3

/** PostgreSQL may run from a copy of its binaries. */
const mayExecute = (directory: string): boolean =>
  readFileSync("/proc/mounts", "utf8").split("\n").some((line) => {
    const [, mounted, , options = ""] = line.split(" ")
    return mounted === directory && !options.split(",").includes("noexec")
  })

const memorySuffices = (): boolean => {
  if (!existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= bytesNeeded && mayExecute(memory)
}

/** Databases write thousands of files, which cost less in memory than on a disk. TMPDIR decides. */
const parent = (): string => process.env["TMPDIR"] === undefined && memorySuffices() ? memory : tmpdir()

export default function setup(): () => void {
  const directory = mkdtempSync(join(parent(), "svc-tests-"))
  // PostgreSQL does not run as root: as another user it has to reach its own directory in this one
  chmodSync(directory, 0o711)
  const before = { TMPDIR: process.env["TMPDIR"], TEMP: process.env["TEMP"] }
  Object.assign(process.env, { TMPDIR: directory, TEMP: directory })
  return () => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
    rmSync(directory, { recursive: true, force: true })
  }
}
