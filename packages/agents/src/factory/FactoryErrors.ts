// Why a request has no component. An author throws the first two (or fails with them), and the caller sees their
// message. For other failures the caller sees the factory and the kind of failure, and the rest is logged.
import * as ComponentKind from "@svc-runtime/domain/ComponentKind"
import { Schema } from "effect"

/** `factory_input` is invalid for this factory. */
export class FactoryValidationError extends Schema.TaggedError<FactoryValidationError>()("FactoryValidationError", {
  message: Schema.String
}) {}

/** The factory rejects the caller. */
export class FactoryPermissionError extends Schema.TaggedError<FactoryPermissionError>()("FactoryPermissionError", {
  message: Schema.String
}) {}

/** The factory failed. The message is safe to show; `cause` has the error. */
export class FactoryError extends Schema.TaggedError<FactoryError>()("FactoryError", {
  kind: ComponentKind.ComponentKind,
  factory: Schema.String,
  message: Schema.String,
  cause: Schema.Defect()
}) {}

/** A look-up by id found a factory, which needs a request. */
export class FactoryContextRequired extends Schema.TaggedError<FactoryContextRequired>()("FactoryContextRequired", {
  kind: ComponentKind.ComponentKind,
  factory: Schema.String
}) {
  override get message() {
    return `Request context is required for factory ${this.kind}s`
  }
}

export type FactoryFailure = FactoryValidationError | FactoryPermissionError | FactoryError
