// One directory for the temporary files of all test files and their processes, removed when the run of vitest ends.
// Vitest ends its workers by a signal, so a worker cannot remove what it shares between its test files.
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

export default function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), "svc-tests-"))
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
