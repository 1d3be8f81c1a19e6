// Loaded into a service: makes it a later build of the same sources, with one more migration, and a format of stored
// commands and journal entries that this build cannot read.
import { registerHooks } from "node:module"

const migration = new URL("newer-migration.ts", import.meta.url).href

const changes: ReadonlyArray<readonly [file: string, from: string | RegExp, to: string]> = [
  // after the newest one, at the end of the file
  ["/postgres/src/migrations/engine.ts", /\n?\]\)\n$/, `, ["newer", newer]])\nimport newer from "${migration}"\n`],
  ["/engine/src/run/journal/StoredFormat.ts", "current: 1,", "current: 2,"],
  [
    "/engine/src/run/journal/StoredFormat.ts",
    "{ agent: [], team: [], workflow: [] }",
    "{ agent: [(stored) => stored], team: [(stored) => stored], workflow: [(stored) => stored] }"
  ]
]

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context)
    const due = changes.filter(([file]) => url.endsWith(file))
    if (due.length === 0) return loaded
    const source = due.reduce((text, [file, from, to]) => {
      if (text.split(from).length === 1) throw new Error(`${file} does not contain ${from}`)
      return text.replace(from, to)
    }, String(loaded.source))
    return { ...loaded, source }
  }
})
