// Writes the OpenAPI document that is committed beside the API, so that a change of the contract shows as a diff.
import { writeFileSync } from "node:fs"
import * as OpenApiDocument from "../src/OpenApiDocument.ts"

writeFileSync(new URL("../openapi.json", import.meta.url), `${JSON.stringify(OpenApiDocument.make(), null, 2)}\n`)
