// Makes node_modules what package-lock.json says, and does nothing when it is that already. Plain JavaScript without
// dependencies: it runs before anything is installed, on whatever Node the machine has.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = join(dirname(fileURLToPath(import.meta.url)), "..")
const windows = process.platform === "win32"

const packages = (file) => JSON.parse(readFileSync(join(root, file), "utf8")).packages

// npm writes this list last, so an interrupted install has none. Optional packages are those of other platforms.
const isInstalled = () => {
  if (!existsSync(join(root, "node_modules", ".package-lock.json"))) return false
  const installed = packages("node_modules/.package-lock.json")
  return Object.entries(packages("package-lock.json")).every(([path, wanted]) =>
    !path.includes("node_modules/") ||
    (path in installed
      ? installed[path].version === wanted.version
      : wanted.optional === true || wanted.devOptional === true)
  )
}

const fail = (message) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

if (!isInstalled()) {
  process.stderr.write("Installing dependencies (once per change of package-lock.json, about half a minute) ...\n")
  const npm = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: ["ignore", 2, 2],
    shell: windows
  })
  if (npm.status !== 0) fail("Installing failed. See the messages above; `npm ci` repeats the step alone.")
}

// npm scripts find Node 24 first on their path. It is fetched by an install script, and those can be switched off.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
const isOld = major < 22 || (major === 22 && minor < 19)
if (isOld && !windows && spawnSync(join(root, "node_modules", ".bin", "node"), ["--version"]).status !== 0) {
  fail(
    `This machine has Node ${process.versions.node}, the service needs 22.19 or newer, and the copy that the project ` +
      "installs for itself is missing.\nIf install scripts are switched off, allow this one: " +
      "npm rebuild node --ignore-scripts=false"
  )
}
