// Packages that are not in a registry travel with the project: their tarballs are in `vendor`, its package.json names
// them, and its Dockerfile copies them. So the build of the image needs nothing outside of the project.
import { Effect, FileSystem, Path, type PlatformError } from "effect"
import { CommandFailed } from "../CliError.ts"
import { inWords } from "../FileError.ts"

const folder = "vendor"

export interface Tarball {
  readonly path: string
  readonly file: string
  readonly name: string
}

/** The program of `npm create` is no package of a project. */
const unused = "create"

const tarball = /^svc-runtime-([a-z]+)-(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)\.tgz$/

/** The tarballs of a folder that `npm run build -- packages` has made. */
export const find = Effect.fn("PackedPackages.find")(function*(directory: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const entries = yield* Effect.mapError(
    files.readDirectory(directory),
    (error) => new CommandFailed({ message: `Could not read ${directory}: ${inWords(error)}` })
  )
  const found = entries.toSorted().flatMap((file) => {
    const [, part, version] = tarball.exec(file) ?? []
    if (part === undefined || version === undefined || part === unused) return []
    return [{ path: path.join(directory, file), file, name: `@svc-runtime/${part}`, version }]
  })
  const versions = new Set(found.map(({ version }) => version))
  if (!found.some(({ name }) => name === "@svc-runtime/server")) {
    return yield* new CommandFailed({
      message: `${directory} has no packages, such as svc-runtime-server-0.1.0.tgz`,
      hint: "Make them in a clone of the repository: npm run build -- packages FOLDER"
    })
  }
  if (versions.size > 1) {
    return yield* new CommandFailed({
      message: `${directory} has packages of several versions: ${Array.from(versions).join(", ")}`,
      hint: "Leave those of one version there."
    })
  }
  return found as ReadonlyArray<Tarball>
})

type Versions = Readonly<Record<string, string>>

interface Manifest {
  readonly dependencies: Versions
  readonly devDependencies: Versions
}

/** Parts of the server are named too: npm would look for them in the registry otherwise. */
const withTarballs = (manifest: Manifest, tarballs: ReadonlyArray<Tarball>): Manifest => {
  const [development, production] = [true, false].map((isDevelopment) =>
    tarballs.filter(({ name }) => (name in manifest.devDependencies) === isDevelopment)
      .map(({ file, name }) => [name, `file:${folder}/${file}`] as const)
  )
  return {
    ...manifest,
    dependencies: { ...manifest.dependencies, ...Object.fromEntries(production ?? []) },
    devDependencies: { ...manifest.devDependencies, ...Object.fromEntries(development ?? []) }
  }
}

const manifestCopy = "COPY package*.json ./\n"

/** Puts the tarballs into a project that a template of the tool has made. */
export const put = (
  tarballs: ReadonlyArray<Tarball>,
  directory: string
): Effect.Effect<void, PlatformError.PlatformError, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function*() {
    const files = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const edit = (file: string, change: (text: string) => string) =>
      Effect.flatMap(
        files.readFileString(path.join(directory, file)),
        (text) => files.writeFileString(path.join(directory, file), change(text))
      )
    yield* files.makeDirectory(path.join(directory, folder))
    for (const { file, path: from } of tarballs) yield* files.copyFile(from, path.join(directory, folder, file))
    yield* edit("package.json", (text) => `${JSON.stringify(withTarballs(JSON.parse(text), tarballs), null, 2)}\n`)
    yield* edit("Dockerfile", (text) => text.replace(manifestCopy, `${manifestCopy}COPY ${folder} ${folder}\n`))
  })
