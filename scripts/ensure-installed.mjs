// Installs the dependencies when they are missing or when package-lock.json has changed since the last install.
// Plain JavaScript without dependencies: it runs before anything is installed, on whatever Node the machine has.
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname ?? new URL(".", import.meta.url).pathname, "..")
const lock = createHash("sha256").update(readFileSync(join(root, "package-lock.json"))).digest("hex")
const stamp = join(root, "node_modules", ".svc-lock")

if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== lock) {
  process.stderr.write("Installing dependencies (once per change of package-lock.json, about half a minute) ...\n")
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: process.platform === "win32"
  })
  if (npm.status !== 0) {
    process.stderr.write("Installing failed. See the messages above; `npm ci` repeats the step alone.\n")
    process.exit(npm.status ?? 1)
  }
  writeFileSync(stamp, lock)
}
