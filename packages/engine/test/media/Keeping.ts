// A store of the media of one session.
import { Effect, Option } from "effect"
import { MediaStore } from "../../src/media/MediaStore.ts"
import { partBytes } from "../../src/media/StoredMedium.ts"

export const keeping = () => {
  const media = new Map<string, Uint8Array>()
  return MediaStore.of({
    put: (_, { bytes, id }) => Effect.sync(() => void media.set(id, bytes)),
    find: () => Effect.succeedNone,
    readPart: ({ id }, part) =>
      Effect.sync(() =>
        Option.map(Option.fromNullishOr(media.get(id)), (all) => all.slice(part * partBytes, (part + 1) * partBytes))
      )
  })
}
