// All bytes of a medium of a session, for callers who are known to see the session.
import * as Owner from "@svc-runtime/domain/Owner"
import type * as Session from "@svc-runtime/domain/Session"
import { Effect, Option } from "effect"
import type { MediaStore } from "./MediaStore.ts"
import { partsOf } from "./StoredMedium.ts"

/** None if the session does not have it with this size. */
export const wholeMedium = Effect.fnUntraced(
  function*(store: MediaStore["Service"], session_id: Session.Id, id: string, size: number) {
    const medium = { id, session_id, mime_type: "", size }
    const whole = new Uint8Array(size)
    let length = 0
    for (let part = 0; part < partsOf(size); part++) {
      const bytes = yield* store.readPart(medium, part, Owner.anyone)
      if (Option.isNone(bytes) || length + bytes.value.length > size) return Option.none<Uint8Array>()
      whole.set(bytes.value, length)
      length += bytes.value.length
    }
    return length === size ? Option.some(whole) : Option.none<Uint8Array>()
  }
)
