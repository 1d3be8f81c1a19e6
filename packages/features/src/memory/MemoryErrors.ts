// The errors of requests about memories.
import { UserId } from "@svc-runtime/domain/Ids"
import * as Memory from "@svc-runtime/domain/Memory"
import { Schema } from "effect"

/** Absent, or not the caller's. */
export class MemoryNotFound extends Schema.TaggedError<MemoryNotFound>()("MemoryNotFound", {
  memory_id: Memory.Id
}) {
  override get message() {
    return `Memory with ID ${this.memory_id} not found`
  }
}

export class MemoryExists extends Schema.TaggedError<MemoryExists>()("MemoryExists", {
  memory_id: Memory.Id
}) {
  override get message() {
    return `Memory with ID ${this.memory_id} already exists`
  }
}

/** The user has as many memories as the service keeps of one user. */
export class TooManyMemories extends Schema.TaggedError<TooManyMemories>()("TooManyMemories", {
  user_id: UserId,
  limit: Schema.Natural
}) {
  override get message() {
    return `User ${this.user_id} has as many memories as one user may have (MAX_MEMORIES_PER_USER is ${this.limit}). ` +
      "Delete or optimize memories of the user first."
  }
}

/** The memories of the user are not the expected ones. */
export class MemoriesChanged extends Schema.TaggedError<MemoriesChanged>()("MemoriesChanged", {
  user_id: UserId
}) {
  override get message() {
    return `Memories of user ${this.user_id} changed in the meantime. Nothing was replaced. Try again.`
  }
}
