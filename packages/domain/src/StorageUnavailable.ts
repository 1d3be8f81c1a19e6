// The one failure of every store: a statement was not carried out, or nobody knows whether it was. What a database rejects
// for a reason that a caller can act on has an error of its own.
import { Schema } from "effect"

export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  cause: Schema.Defect(),
  /** The database answers and rejects the statement: waiting alone does not help. */
  isRejected: Schema.optionalKey(Schema.Boolean),
  /** The database was not asked: this node has stored no heartbeat for NODE_TIMEOUT, and may execute no run. */
  hasNoHeartbeat: Schema.optionalKey(Schema.Boolean)
}) {
  override get message() {
    if (this.hasNoHeartbeat === true) return "This node has no recent heartbeat"
    return this.isRejected === true ? "The database rejected a statement" : "The database does not answer"
  }
}
