// Why there is no component for a request. The first two are for the caller, who reads their message: an author throws
// them (or fails with them) on purpose. Of everything else that goes wrong in a factory the caller learns which factory
// it was and how it failed, and the log has the rest.
import { Session } from "@svc/domain"
import { Schema } from "effect"

/** What was sent as `factory_input` is not what the factory takes. */
export class FactoryValidationError extends Schema.TaggedError<FactoryValidationError>()("FactoryValidationError", {
  message: Schema.String
}) {}

/** The factory turns the caller away. */
export class FactoryPermissionError extends Schema.TaggedError<FactoryPermissionError>()("FactoryPermissionError", {
  message: Schema.String
}) {}

/** The factory is broken. Its message says how, without a word of what was thrown: that is the `cause`. */
export class FactoryError extends Schema.TaggedError<FactoryError>()("FactoryError", {
  kind: Session.Kind,
  factory: Schema.String,
  message: Schema.String,
  cause: Schema.Defect()
}) {}

/** A look-up by id alone has met a factory, which gives nothing without a request. */
export class FactoryContextRequired extends Schema.TaggedError<FactoryContextRequired>()("FactoryContextRequired", {
  kind: Session.Kind,
  factory: Schema.String
}) {
  override get message() {
    return `Request context is required for factory ${this.kind}s`
  }
}

export type FactoryFailure = FactoryValidationError | FactoryPermissionError | FactoryError
