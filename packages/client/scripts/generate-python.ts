// Writes what of the Python client follows from the API's document. `npm run openapi` executes it.
import { readFileSync, writeFileSync } from "node:fs"
import type { Document } from "./Operations.ts"
import { models, resources } from "./Python.ts"

const document: Document = JSON.parse(readFileSync(new URL("../../features/openapi.json", import.meta.url), "utf8"))
const folder = new URL("../../../clients/python/svc_runtime/", import.meta.url)

writeFileSync(new URL("models.py", folder), models(document))
writeFileSync(new URL("resources.py", folder), resources(document))
