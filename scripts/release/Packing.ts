// Compiles the packages and packs them into tarballs.
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { libraries } from "../publishing.ts"
import { stage } from "./Staging.ts"

const root = join(import.meta.dirname, "..", "..")
const isWindows = process.platform === "win32"

const run = (cwd: string, program: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(program, args, { cwd, encoding: "utf8", shell: isWindows, stdio: ["ignore", "pipe", "inherit"] })

interface Packed {
  readonly name: string
  readonly filename: string
  /** Bytes of the tarball. */
  readonly size: number
  readonly unpackedSize: number
}

/** Writes a tarball of each public package into `directory`, and gives them. `told` hears what it does. */
export const pack = async (
  directory: string,
  told: (what: string) => void = () => {}
): Promise<ReadonlyArray<Packed>> => {
  told("Compiling the packages")
  const compiler = join(root, "node_modules", ".bin", "tsc")
  run(root, compiler, "-b", ...libraries.map((folder) => join("packages", folder)))
  mkdirSync(directory, { recursive: true })
  const staging = mkdtempSync(join(tmpdir(), "svc-packages-"))
  told("Bundling the console, svc and the documents")
  const folders = await stage(staging, libraries)
  told(`Packing ${folders.length} packages`)
  const output = run(staging, "npm", "pack", "--json", "--loglevel=error", "--pack-destination", directory, ...folders)
  rmSync(staging, { recursive: true, force: true })
  return JSON.parse(output)
}
