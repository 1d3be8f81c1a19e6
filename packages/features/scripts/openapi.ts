// Writes the OpenAPI document that is committed beside the API, so that a change of the contract shows as a diff, and
// the pages of the reference.
import { writeFileSync } from "node:fs"
import * as OpenApiDocument from "../src/document/OpenApiDocument.ts"
import { contractText } from "./contractText.ts"
import * as Reference from "./Reference.ts"

const document = OpenApiDocument.make()

writeFileSync(new URL("../openapi.json", import.meta.url), contractText(document))

const reference = document as unknown as Reference.Document
writeFileSync(new URL("../../../docs/reference/events.md", import.meta.url), Reference.events(reference))
writeFileSync(new URL("../../../docs/reference/fields.md", import.meta.url), Reference.fields(reference))
