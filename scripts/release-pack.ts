// `npm run build -- packages DIR`: tarballs of all public packages, as they are published.
import { resolve } from "node:path"
import { pack } from "./release/Packing.ts"

const directory = resolve(process.argv[2] ?? "dist/packages")
const packed = await pack(directory, console.log)
for (const { filename, size } of packed) console.log(`${filename}  ${(size / 1024).toFixed(0)} KB`)
console.log(`${packed.length} packages are in ${directory}`)
