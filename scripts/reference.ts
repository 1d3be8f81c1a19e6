// Writes the pages of docs/reference that follow from types and commands: `npm run openapi`.
import { writeFileSync } from "node:fs"
import { fileOf, pages } from "./reference/Pages.ts"

for (const [name, text] of Object.entries(pages())) writeFileSync(fileOf(name), text)
