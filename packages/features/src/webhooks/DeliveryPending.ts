import { Schema } from "effect"

/** An attempt waits. */
export class DeliveryPending extends Schema.TaggedError<DeliveryPending>()("DeliveryPending", {}) {
  override readonly message = "The delivery waits for its next attempt"
}
