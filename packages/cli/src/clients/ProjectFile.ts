// A project file can come from the project's author: a link in it must not lead a token out of the project.
import { Effect, FileSystem, Path } from "effect"
import { CommandFailed } from "../CliError.ts"
import { Environment } from "../Environment.ts"
import * as AtomicFile from "./AtomicFile.ts"

/** The real path of a folder, by its nearest existing parent. */
const realFolder = Effect.fnUntraced(function*(given: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const missing: Array<string> = []
  let folder = given
  for (;;) {
    const real = yield* Effect.option(files.realPath(folder))
    if (real._tag === "Some") return path.join(real.value, ...missing)
    const parent = path.dirname(folder)
    if (parent === folder) return given
    missing.unshift(path.basename(folder))
    folder = parent
  }
})

export const refuseLeavingProject = Effect.fn("ProjectFile.refuseLeavingProject")(function*(file: string) {
  const path = yield* Path.Path
  const project = yield* realFolder((yield* Environment).cwd)
  const folder = yield* realFolder(path.dirname(yield* AtomicFile.destination(file)))
  if (folder === project || folder.startsWith(`${project}${path.sep}`)) return
  return yield* new CommandFailed({
    message: `Refusing to write ${file}: it is a link that leads out of the project, to ${folder}`,
    hint: "Make it a file of its own, or connect without --project."
  })
})
