// The process that reads contents, for all servers of tests.
import * as DocumentReading from "@svc-runtime/server/DocumentReading"
import { Context, Effect, Layer, Scope } from "effect"

let reader: Promise<DocumentReading.DocumentReader["Service"]> | undefined

/** One reader for all servers of this process, because its processes start slowly. They end with this process. */
export const sharedReader = Layer.effect(
  DocumentReading.DocumentReader,
  Effect.promise(() =>
    reader ??= Effect.runPromise(
      Effect.map(
        Layer.buildWithScope(DocumentReading.DocumentReader.layer({ timeToLive: "1 hour" }), Scope.makeUnsafe()),
        Context.get(DocumentReading.DocumentReader)
      )
    )
  )
)
