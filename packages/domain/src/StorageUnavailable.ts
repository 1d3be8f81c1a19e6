// The common failure of all stores: a statement failed, or its outcome is unknown. Rejections that a caller can act on
// have their own errors.
import { Predicate, Schema } from "effect"

/** What an operator has to mend, as a sentence. */
const troubles = {
  disk: "The disk of the database is full",
  readOnly: "The database is read-only",
  connections: "The database has no free connection",
  memory: "The database is out of memory"
} as const

export type Trouble = keyof typeof troubles

/** For the log of a service, whose operator can follow it. Each worker and each node has its own connections. */
export const adviceOnConnections = "Raise max_connections of PostgreSQL, or lower DATABASE_CONNECTIONS or WORKERS"

const Trouble: Schema.Codec<Trouble> = Schema.Literals(["disk", "readOnly", "connections", "memory"])

export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  cause: Schema.Defect(),
  /** The database replies but rejects the statement: waiting alone does not help. */
  isRejected: Schema.optionalKey(Schema.Boolean),
  /** Why the database refuses what it is asked for, if it says so. */
  trouble: Schema.optionalKey(Trouble),
  /** A table, a column or a right is missing: it is no fault of the row or the run. */
  isSchemaError: Schema.optionalKey(Schema.Boolean),
  /** The node did not ask the database: it has stored no heartbeat for NODE_TIMEOUT and must not execute runs. */
  hasNoHeartbeat: Schema.optionalKey(Schema.Boolean),
  /** A newer version of the service stored the run, and only nodes of that version can read it. */
  isNewer: Schema.optionalKey(Schema.Boolean),
  /** The node did not ask the database: it holds as many bytes of responses as MAX_RESPONSE_BYTES_IN_FLIGHT allows. */
  isCrowded: Schema.optionalKey(Schema.Boolean),
  /** The node did not ask the database: it executes as many searches as it may, or as many of the caller. */
  hasManySearches: Schema.optionalKey(Schema.Boolean),
  /** Another process migrates the database, whose migrations cannot be read meanwhile. */
  isMigrating: Schema.optionalKey(Schema.Boolean),
  /** The id of a run that was being stored when the service stopped: if it is stored, another node executes it. */
  uncertainRun: Schema.optionalKey(Schema.String),
  /** The id of a database that waits for its migrations, because MIGRATE is off. */
  pendingDatabase: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    if (this.uncertainRun !== undefined) {
      return `The service stops while run '${this.uncertainRun}' is being stored. If it was stored, it continues on ` +
        "another node or after the restart: read it by its id before you repeat the request"
    }
    if (this.hasNoHeartbeat === true) return "This node has no recent heartbeat"
    if (this.trouble !== undefined) return troubles[this.trouble]
    if (this.isNewer === true) return "A newer version of the service stored the run"
    if (this.isCrowded === true) return "Too many bytes of responses are sent at once (MAX_RESPONSE_BYTES_IN_FLIGHT)"
    if (this.hasManySearches === true) return "Too many searches are made at once"
    if (this.isMigrating === true) return "Another process migrates the database. Try again when it has ended."
    if (this.pendingDatabase !== undefined) {
      return `The database '${this.pendingDatabase}' has pending migrations. ` +
        `POST /databases/${this.pendingDatabase}/migrate executes them.`
    }
    return this.isRejected === true ? "The database rejected a statement" : "The database does not reply"
  }
}

export const isStorageUnavailable = <E>(error: E): error is E & StorageUnavailable =>
  Predicate.isTagged(error, "StorageUnavailable")
