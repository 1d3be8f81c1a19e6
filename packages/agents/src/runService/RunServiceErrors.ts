// Why the run service refuses a request before the engine sees it. Each transport maps the tags to its own errors.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import * as JsonValues from "@svc-runtime/domain/JsonValues"
import { Schema } from "effect"

export class ComponentNotFound extends Schema.TaggedError<ComponentNotFound>()("ComponentNotFound", {
  kind: ComponentKind.ComponentKind,
  id: Schema.String,
  version: Schema.optional(Schema.Finite),
  /** The ids of this kind that are registered. */
  known: Schema.optional(Schema.Array(Schema.String))
}) {
  override get message() {
    return `${ComponentKind.descriptions[this.kind].label} not found: '${this.id}'`
  }
}

/** The caller may not run the component. */
export class RunForbidden extends Schema.TaggedError<RunForbidden>()("RunForbidden", {
  scopes: Schema.Array(Schema.String)
}) {
  override get message() {
    return `Insufficient permissions. Required scope(s): ${this.scopes.join(", ")}`
  }
}

/** The option `evaluation` keeps a run out of usage metrics, and evaluations have ids that others cannot choose. */
export class EvaluationForbidden extends Schema.TaggedError<EvaluationForbidden>()("EvaluationForbidden", {}) {
  override get message() {
    return "Insufficient permissions. Required scope(s): evals:write"
  }
}

/** The request names a user whose name only the service gives out. */
export class ReservedUserId extends Schema.TaggedError<ReservedUserId>()("ReservedUserId", {}) {
  override get message() {
    return "Client-supplied user_id may not claim a reserved principal"
  }
}

/** What acts after its request has a user, unless its caller may act for all users. */
export class UserRequired extends Schema.TaggedError<UserRequired>()("UserRequired", {}) {
  override get message() {
    return "This token names no user. Use a token with the claim sub"
  }
}

/**
 * The message does not match the input schema of the component, or another field does not match its `runSchemas`.
 */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  /** False when the message is not JSON at all. */
  isJson: Schema.Boolean,
  /** The field of the request, where it is not the message. */
  field: Schema.optionalKey(Schema.String),
  issues: Schema.Array(Schema.Struct({
    path: Schema.Array(Schema.Union([Schema.String, Schema.Finite])),
    message: Schema.String
  }))
}) {}

/** The run chooses what its component does not offer. */
export class OptionNotOffered extends Schema.TaggedError<OptionNotOffered>()("OptionNotOffered", {
  option: Schema.String,
  message: Schema.String
}) {}

/** The message is JSON for a component that declares its input, with too many values. */
export class InputTooLarge extends Schema.TaggedError<InputTooLarge>()("InputTooLarge", { limit: Schema.Finite }) {
  override get message() {
    return JsonValues.tooMany("The message", this.limit)
  }
}

export class FactoryInputTooLarge extends Schema.TaggedError<FactoryInputTooLarge>()("FactoryInputTooLarge", {
  limit: Schema.Finite
}) {
  override get message() {
    return `factory_input is larger than ${this.limit} bytes`
  }
}

/** Only an isolated caller, and a caller who continues a run, has to name the session. */
export class SessionIdRequired extends Schema.TaggedError<SessionIdRequired>()("SessionIdRequired", {}) {
  override get message() {
    return "session_id is required for this action"
  }
}

/** A token that is limited to a session makes no other one. */
export class LimitedToSession extends Schema.TaggedError<LimitedToSession>()("LimitedToSession", {}) {
  override get message() {
    return "This token is limited to a session"
  }
}

export class NothingToFork extends Schema.TaggedError<NothingToFork>()("NothingToFork", {}) {
  override get message() {
    return "Source session has no runs to fork."
  }
}
