// Writes what follows from the API's document. scripts/ensure-generated.mjs executes it before each npm script.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { resources, types } from "./Generated.ts"
import type { Document } from "./Operations.ts"

const document: Document = JSON.parse(readFileSync(new URL("../../features/openapi.json", import.meta.url), "utf8"))
const folder = new URL("../src/promise/generated/", import.meta.url)

/** Another process may read the file meanwhile: it sees the old text or the new one. */
const write = (name: string, text: string): void => {
  const temporary = new URL(`${name}.${process.pid}`, folder)
  writeFileSync(temporary, text)
  renameSync(temporary, new URL(name, folder))
}

mkdirSync(folder, { recursive: true })
write("types.ts", types(document))
write("resources.ts", resources(document))
