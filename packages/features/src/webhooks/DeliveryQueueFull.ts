import { Schema } from "effect"

/** The deliveries that wait for the webhook have as many bytes as may wait. */
export class DeliveryQueueFull extends Schema.TaggedError<DeliveryQueueFull>()("DeliveryQueueFull", {}) {
  override readonly message = "Too many deliveries of the webhook wait (WEBHOOK_QUEUE_MAX_BYTES)"
}
