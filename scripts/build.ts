// `npm run build -- NAME`: makes a part of what is published. Without a name it makes all that a release needs.
import { spawnSync } from "node:child_process"
import { join } from "node:path"

/** By name: the program that makes it. The others are not part of a release, because they are committed. */
const parts: Readonly<Record<string, string>> = {
  console: "packages/console/scripts/build.ts",
  cli: "packages/cli/scripts/build.ts",
  packages: "scripts/release-pack.ts",
  publish: "scripts/release-publish.ts",
  rehearsal: "scripts/release-rehearsal.ts",
  screenshots: "packages/console/scripts/screenshots.ts"
}
const released = ["console", "cli", "packages"]

const [name, ...args] = process.argv.slice(2)

const build = (part: string): boolean => {
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, "..", parts[part] ?? ""), ...args], {
    stdio: "inherit"
  })
  return status === 0
}

if (name !== undefined && parts[name] === undefined) {
  process.stderr.write(`Usage: npm run build -- [${Object.keys(parts).join("|")}] [ARGUMENTS]\n`)
  process.exitCode = 2
} else if (!(name === undefined ? released : [name]).every(build)) process.exitCode = 1
