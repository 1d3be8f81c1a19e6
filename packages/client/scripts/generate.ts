// Writes what follows from the API's document: npm run openapi
import { readFileSync, writeFileSync } from "node:fs"
import { type Document, resources, types } from "./Generated.ts"

const document: Document = JSON.parse(readFileSync(new URL("../../features/openapi.json", import.meta.url), "utf8"))
const folder = new URL("../src/promise/generated/", import.meta.url)

writeFileSync(new URL("types.ts", folder), types(document))
writeFileSync(new URL("resources.ts", folder), resources(document))
