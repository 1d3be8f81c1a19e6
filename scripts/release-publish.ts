// `npm run build -- publish [FOLDER]`: publishes all packages to the registry of npm's configuration, those first that
// others depend on. What is there already is compared and left alone, so a publication that broke off is repeated as it
// was begun. FOLDER has tarballs of `npm run build -- packages FOLDER`; without it they are packed now.
import { execFileSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { pack } from "./release/Packing.ts"
import { inOrder, type Tarball, tarballsOf } from "./release/Tarballs.ts"

/** npm makes a provenance statement where the platform vouches for the commit, as GitHub Actions does. */
const isVouched = process.env["ACTIONS_ID_TOKEN_REQUEST_URL"] !== undefined

const npm = (...args: ReadonlyArray<string>): string =>
  execFileSync("npm", args, {
    encoding: "utf8",
    shell: process.platform === "win32",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      // an older answer of the registry would hide what was published a moment ago
      npm_config_prefer_online: "true",
      // npm run -s hands down that nothing is written, also no reason of a failure
      npm_config_loglevel: "error"
    }
  })

/** The integrity that the registry has for this version. Undefined: it does not have the version. */
const publishedIntegrity = ({ name, version }: Tarball): string | undefined => {
  try {
    return npm("view", `${name}@${version}`, "dist.integrity").trim() || undefined
  } catch (error) {
    if (error instanceof Error && "stderr" in error && String(error.stderr).includes("E404")) return undefined
    throw error
  }
}

/** A version with a suffix, such as 0.2.0-beta.1, does not become what `npm install` chooses. */
const tagOf = (version: string): string => version.includes("-") ? "next" : "latest"

const publish = (tarball: Tarball): void => {
  const { file, integrity, name, version } = tarball
  const present = publishedIntegrity(tarball)
  if (present === integrity) return console.log(`${name} ${version} is published already`)
  if (present !== undefined) {
    throw new Error(
      `The registry has another ${name} ${version}. A published version never changes: raise it with ` +
        "npm run node -- scripts/release-version.ts VERSION"
    )
  }
  npm("publish", file, "--access", "public", "--tag", tagOf(version), `--provenance=${isVouched}`)
  console.log(`${name} ${version} is published`)
}

const [given] = process.argv.slice(2)
const folder = given === undefined ? mkdtempSync(join(tmpdir(), "svc-release-")) : resolve(given)
if (given === undefined) await pack(folder)
const tarballs = inOrder(tarballsOf(folder))
try {
  for (const tarball of tarballs) publish(tarball)
  console.log(`${tarballs.length} packages are in the registry`)
} catch (error) {
  const stderr = error instanceof Error && "stderr" in error ? `\n${String(error.stderr)}` : ""
  console.error(`${error instanceof Error ? error.message : String(error)}${stderr}`)
  console.error("Nothing after this package was published. Repeat the command when the reason is gone.")
  process.exitCode = 1
}
