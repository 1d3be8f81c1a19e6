// Writes a project from the templates of the tool: the files of `base`, and over them those of the template.
import { Effect, FileSystem, Path } from "effect"

/** The template without files of its own. */
export const minimal = "minimal"

/** The name in the files. Names of npm and of platforms are lower case, without `_`. */
const placeholder = "svc-project"

const projectName = (directory: string): string => {
  const name = directory.toLowerCase().replaceAll("_", "-").replace(/^-+|-+$/g, "")
  return name === "" ? placeholder : name
}

/** npm leaves `.gitignore` out of packages. */
const writtenName = (name: string): string => name === "_gitignore" ? ".gitignore" : name

export const write = Effect.fn("BuiltIn.write")(function*(template: string, directory: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  // beside the sources, and beside the bundle that the sources become
  const templates = path.join(
    import.meta.dirname,
    ...(import.meta.filename.endsWith(".ts") ? ["..", ".."] : []),
    "templates"
  )
  const name = projectName(path.basename(directory))
  for (const part of template === minimal ? ["base"] : ["base", template]) {
    const from = path.join(templates, part)
    for (const entry of yield* files.readDirectory(from, { recursive: true })) {
      const source = path.join(from, entry)
      if ((yield* files.stat(source)).type !== "File") continue
      const target = path.join(directory, path.dirname(entry), writtenName(path.basename(entry)))
      yield* files.makeDirectory(path.dirname(target), { recursive: true })
      yield* files.writeFileString(target, (yield* files.readFileString(source)).replaceAll(placeholder, name))
    }
  }
})
