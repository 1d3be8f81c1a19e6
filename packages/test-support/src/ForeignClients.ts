// Clients of other makers that only `npm run conformance` installs, because they are large. Without them their tests
// are skipped.
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

export const folder = join(import.meta.dirname, "..", "..", "..", "scripts", "foreign-clients")

export const areInstalled = existsSync(join(folder, "node_modules"))

/** A package of the folder. */
export const load = (name: string): Promise<unknown> =>
  import(createRequire(join(folder, "package.json")).resolve(name))
