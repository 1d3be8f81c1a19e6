import { Effect } from "effect"
import { brotliDecompress, gunzip, inflate } from "node:zlib"
import { FetchFailed } from "./FetchError.ts"

type Algorithm = (
  body: Uint8Array,
  options: { readonly maxOutputLength: number },
  callback: (error: Error | null, result: Buffer) => void
) => void

const algorithms: Readonly<Record<"br" | "deflate" | "gzip" | "x-gzip", Algorithm>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  deflate: inflate,
  br: brotliDecompress
}

const isKnown = (encoding: string): encoding is keyof typeof algorithms => Object.hasOwn(algorithms, encoding)

/** Decompresses a body, unless it has more bytes than the maximum. */
export const decompress = (
  body: Uint8Array,
  encoding: string | undefined,
  maxBytes: number
): Effect.Effect<Uint8Array | undefined, FetchFailed> => {
  const name = encoding?.trim().toLowerCase() ?? "identity"
  if (name === "identity" || name === "" || body.length === 0) return Effect.succeed(body)
  const failed = (message: string) => Effect.fail(new FetchFailed({ reason: "connection", message }))
  if (!isKnown(name)) return failed(`The response is compressed with ${name.slice(0, 50)}, which was not asked for`)
  return Effect.callback((resume) =>
    algorithms[name](body, { maxOutputLength: maxBytes }, (error, result) => {
      if (error === null) resume(Effect.succeed(result))
      else if ("code" in error && error.code === "ERR_BUFFER_TOO_LARGE") resume(Effect.succeed(undefined))
      else resume(failed("The compressed response is damaged"))
    })
  )
}
