// Writes what follows from the API's document. scripts/ensure-generated.mjs executes it before each npm script.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { resources, types } from "./Generated.ts"
import type { Document } from "./Operations.ts"
import * as Python from "./Python.ts"

const document: Document = JSON.parse(readFileSync(new URL("../../features/openapi.json", import.meta.url), "utf8"))
const typeScript = new URL("../src/promise/generated/", import.meta.url)
const python = new URL("../../../clients/python/svc_runtime/", import.meta.url)

/** Another process may read the file meanwhile: it sees the old text or the new one. */
const write = (folder: URL, name: string, text: string): void => {
  const temporary = new URL(`${name}.${process.pid}`, folder)
  writeFileSync(temporary, text)
  renameSync(temporary, new URL(name, folder))
}

mkdirSync(typeScript, { recursive: true })
write(typeScript, "types.ts", types(document))
write(typeScript, "resources.ts", resources(document))
write(python, "models.py", Python.models(document))
write(python, "resources.py", Python.resources(document))
