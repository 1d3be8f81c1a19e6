// Writes the OpenAPI document that is committed beside the API, so that a change of the contract shows as a diff, and
// the pages of the reference.
import { writeFileSync } from "node:fs"
import * as OpenApiDocument from "../src/document/OpenApiDocument.ts"
import { features } from "../src/features.ts"
import { contractText } from "./contractText.ts"
import * as Reference from "./Reference.ts"

const document = OpenApiDocument.make()

writeFileSync(new URL("../openapi.json", import.meta.url), contractText(document))

const pages = Reference.pages(document as unknown as Reference.Document, features)
for (const [name, text] of Object.entries(pages)) {
  writeFileSync(new URL(`../../../docs/reference/${name}.md`, import.meta.url), text)
}
