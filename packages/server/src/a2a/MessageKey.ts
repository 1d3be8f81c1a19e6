// The idempotency keys of messages. A message that is sent again, with the same id and content, by the same user, to
// the same component and context, gets the task that it made or continued.
import type { ComponentRef } from "@svc-runtime/agents/runService/Components"
import { CurrentPrincipal } from "@svc-runtime/api"
import type * as Ids from "@svc-runtime/domain/Ids"
import type * as Json from "@svc-runtime/domain/Json"
import type { IdempotencyKey } from "@svc-runtime/engine/idempotency/IdempotencyClaim"
import type { RunRef } from "@svc-runtime/engine/run/RunHandle"
import type { Message } from "@svc-runtime/protocols/a2a/Model"
import { Effect } from "effect"
import { hash } from "node:crypto"

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/**
 * Whether the id of a message names it. Clients exist that name the messages of many contexts alike, so outside of a
 * context only a UUID counts.
 */
export const isUnique = ({ contextId, messageId }: Message): boolean => contextId !== undefined || uuid.test(messageId)

const sha256 = (value: object) => hash("sha256", JSON.stringify(value), "hex")

/** Of a message that begins a task. `carried` is what the run keeps of the message beside its parts. */
export const of = Effect.fnUntraced(function*(
  { id, kind }: ComponentRef,
  { contextId, messageId, parts }: Message,
  carried: Json.Object,
  named: Ids.UserId | undefined
) {
  const { credential, user_id } = yield* CurrentPrincipal
  // clients exist that give all of their messages one id: with other content it is another message
  const fingerprint = sha256([parts, carried])
  const key: IdempotencyKey = {
    key: sha256(["a2a", credential, user_id ?? named ?? null, kind, id, contextId ?? null, messageId, fingerprint]),
    fingerprint
  }
  return key
})

/** Of a message that answers a question of the task. */
export const ofAnswer = (
  component: ComponentRef,
  message: Message,
  { run_id, session_id }: Pick<RunRef, "run_id" | "session_id">,
  named: Ids.UserId | undefined
) => of(component, { ...message, contextId: session_id }, { taskId: run_id }, named)
