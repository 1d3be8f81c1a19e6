// Where the routes of a protocol are: a path below the service's address, which the application may change.
import { Schema } from "effect"

/** Empty, or segments such as `/a2a`: letters, digits, `-` and `_`, without a slash at the end. */
export const ProtocolPrefix = Schema.String.check(Schema.isPattern(/^(\/[A-Za-z0-9_-]+){0,4}$/))
