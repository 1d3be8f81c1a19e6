// The client for programs that do not use Effect: promises and async iterators, without dependencies, for browsers and
// Node.
export { Component, Conversing } from "./Component.ts"
export type { Kind } from "./Component.ts"
export type { ConnectionOptions } from "./Connection.ts"
export { approve, reject } from "./Decisions.ts"
export type * from "./generated/resources.ts"
export type * from "./generated/types.ts"
export type { Options } from "./Options.ts"
export type { ContinueInput, JsonObject, RunInput, WorkflowContinueInput } from "./RunInput.ts"
export { type RunReference, RunStream } from "./RunStream.ts"
export { Svc } from "./Svc.ts"
export { type Problem, SvcConnectionError, SvcError } from "./SvcError.ts"
export type { Upload } from "./Uploads.ts"
