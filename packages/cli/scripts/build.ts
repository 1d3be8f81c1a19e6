// `npm run build -- cli`: the package of the tool, ready to be published from packages/cli/dist/npm.
import { join, relative } from "node:path"
import { bundle } from "./Bundle.ts"

const directory = join(import.meta.dirname, "..", "dist", "npm")
const { chunks } = await bundle(directory)
for (const { code, name } of chunks) console.log(`${name}  ${(Buffer.byteLength(code) / 1024).toFixed(0)} KB`)
console.log(`${relative(process.cwd(), directory)} is ready: npm publish ${relative(process.cwd(), directory)}`)
