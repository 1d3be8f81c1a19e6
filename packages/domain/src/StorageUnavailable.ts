// The one failure of every store: the database did not answer. What a database refuses for a reason that a caller can
// act on has an error of its own; anything else it says is a defect.
import { Schema } from "effect"

export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  cause: Schema.Defect()
}) {
  override get message() {
    return "The database does not answer"
  }
}
