// Why a service with authentication must not start. The message names the setting to change.
import { Schema } from "effect"

export class KeysUnusable extends Schema.TaggedError<KeysUnusable>()("KeysUnusable", { message: Schema.String }) {}
