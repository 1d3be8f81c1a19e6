// `MediaStore` in memory.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import type { MediaStore } from "@svc-runtime/engine/media/MediaStore"
import { partBytes, partsOf } from "@svc-runtime/engine/media/StoredMedium"
import { Effect, Option } from "effect"
import type { MemoryDatabase } from "./MemoryDatabase.ts"

export const make = ({ media, sessions }: MemoryDatabase["Service"]): MediaStore["Service"] => {
  const isVisible = (id: Session.Id, owner: Owner.Owner): boolean => {
    const session = sessions.get(id)?.session
    return session !== undefined && Owner.coversIn(owner, session)
  }

  return {
    put: (session, medium) =>
      Effect.sync(() => {
        if (!sessions.has(session)) return
        const known = media.get(session) ?? new Map()
        if (!known.has(medium.id)) media.set(session, new Map(known).set(medium.id, medium))
      }),
    find: (id, owner) =>
      Effect.sync(() => {
        for (const [session_id, known] of media) {
          const medium = known.get(id)
          if (medium === undefined || !isVisible(session_id, owner)) continue
          return Option.some({ id, session_id, mime_type: medium.mime_type, size: medium.bytes.length })
        }
        return Option.none()
      }),
    readPart: ({ id, session_id }, part, owner) =>
      Effect.sync(() => {
        const medium = isVisible(session_id, owner) ? media.get(session_id)?.get(id) : undefined
        if (medium === undefined || part >= partsOf(medium.bytes.length)) return Option.none()
        return Option.some(medium.bytes.slice(part * partBytes, (part + 1) * partBytes))
      })
  }
}
