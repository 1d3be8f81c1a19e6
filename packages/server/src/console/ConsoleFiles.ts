// The built console. Its files are read at the first request, and kept: together they have less than a megabyte.
import { site } from "@svc-runtime/console"
import { Data, Effect, FileSystem, Path } from "effect"
import * as StaticFile from "../StaticFile.ts"

export class ConsoleNotBuilt extends Data.TaggedError("ConsoleNotBuilt")<{ readonly message: string }> {}

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8"
}

export const page = "index.html"

const hasHash = /-[\w-]{8,}\.\w+$/

/** The files by their names. */
export const load = Effect.fnUntraced(function*(headers: StaticFile.StaticFile["headers"]) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* path.fromFileUrl(site)
  const names = yield* files.readDirectory(folder)
  const read = (name: string) => files.readFile(path.join(folder, name))
  const found = yield* Effect.forEach(names, (name) =>
    Effect.gen(function*() {
      const contentType = types[path.extname(name)]
      if (contentType === undefined) return []
      const bytes = yield* read(name)
      const compressed = names.includes(`${name}.gz`) ? yield* read(`${name}.gz`) : undefined
      const isHashed = hasHash.test(name)
      return [[name, StaticFile.make({ contentType, bytes, compressed, headers, isHashed })] as const]
    }))
  return new Map<string, StaticFile.StaticFile>(found.flat())
}, (loading) =>
  loading.pipe(
    Effect.filterOrFail((files) => files.has(page), () => new ConsoleNotBuilt({ message: "it has no page" })),
    Effect.mapError((error) =>
      new ConsoleNotBuilt({
        message: `The console is not built: ${error.message}. Build it with npm run build -- console`
      })
    )
  ))
