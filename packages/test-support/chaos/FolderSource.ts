// A source of contents that is a file of JSON: the texts by their paths. A test changes it while services come and go.
import { ContentSourceFailed, type Source } from "@svc-runtime/features/knowledge/ContentSource"
import { Duration, Effect } from "effect"
import { readFileSync } from "node:fs"

export const make = (file: string): Source => {
  const texts = Effect.sync((): Record<string, string> => JSON.parse(readFileSync(file, "utf8")))
  return {
    id: "folder",
    name: "Folder",
    type: "s3",
    prefix: "",
    params: [],
    sync: Duration.hours(1),
    list: undefined,
    folder: ({ path }) =>
      Effect.map(texts, (all) =>
        Object.entries(all).filter(([key]) => key.startsWith(path))
          .map(([key, text]) => ({ key, size: text.length, version: text }))),
    fetch: (path) =>
      Effect.flatMap(texts, (all) => {
        const text = all[path]
        return text === undefined
          ? Effect.fail(new ContentSourceFailed({ reason: "missing", message: `File not found: ${path}` }))
          : Effect.succeed({ bytes: new TextEncoder().encode(text), type: "text/plain" })
      })
  }
}
