// Tarballs of packages, as the registry will see them.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

type Versions = Readonly<Record<string, string>>

export interface Tarball {
  /** The path of the file. */
  readonly file: string
  readonly name: string
  readonly version: string
  /** The names of the packages that it needs, of any owner. */
  readonly needs: ReadonlyArray<string>
  /** As npm writes it. */
  readonly integrity: string
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Versions
  readonly optionalDependencies?: Versions
  readonly peerDependencies?: Versions
}

const tarballOf = (file: string): Tarball => {
  const text = execFileSync("tar", ["-xzOf", file, "package/package.json"], { encoding: "utf8" })
  const { name, version, ...manifest } = JSON.parse(text) as Manifest
  const needs = Object.keys({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
    ...manifest.peerDependencies
  })
  const integrity = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`
  return { file, name, version, needs, integrity }
}

export const tarballsOf = (folder: string): ReadonlyArray<Tarball> => {
  const files = globSync("*.tgz", { cwd: folder }).toSorted()
  if (files.length === 0) throw new Error(`${folder} has no tarballs. Make them: npm run build -- packages ${folder}`)
  return files.map((file) => tarballOf(join(folder, file)))
}

/** Each after those that it needs: nobody can install a package whose parts are not there yet. */
export const inOrder = (tarballs: ReadonlyArray<Tarball>): ReadonlyArray<Tarball> => {
  const ordered = new Set<Tarball>()
  const visit = (tarball: Tarball): void => {
    if (ordered.has(tarball)) return
    for (const other of tarballs) if (other !== tarball && tarball.needs.includes(other.name)) visit(other)
    ordered.add(tarball)
  }
  for (const tarball of tarballs) visit(tarball)
  return Array.from(ordered)
}
