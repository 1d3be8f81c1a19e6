// Why a service that should recognise tokens cannot: it must not start. The message says which setting to change.
import { Schema } from "effect"

export class KeysUnusable extends Schema.TaggedError<KeysUnusable>()("KeysUnusable", { message: Schema.String }) {}
