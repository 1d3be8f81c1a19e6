// `npm run build -- console`: the console, as the service serves it.
import { gzipSync } from "node:zlib"
import { build } from "./Site.ts"

for (const [name, text] of await build()) {
  console.log(
    `${name}  ${(Buffer.byteLength(text) / 1024).toFixed(1)} KB, ${
      (gzipSync(text).length / 1024).toFixed(1)
    } KB gzipped`
  )
}
