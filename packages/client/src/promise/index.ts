// The client for programs that do not use Effect: promises and async iterators, without dependencies, for browsers and
// Node.
export { Component, Conversing } from "./Component.ts"
export type { Kind, SessionRun } from "./Component.ts"
export type { ConnectionOptions } from "./Connection.ts"
export { answer, approve, reject, sent } from "./Decisions.ts"
export { type FieldValue, readField, type RequestedField } from "./FieldText.ts"
export type * from "./generated/resources.ts"
export type * from "./generated/types.ts"
export { newIdempotencyKey } from "./IdempotencyKey.ts"
export type { Options } from "./Options.ts"
export type { ContinueInput, JsonObject, RunInput, WorkflowContinueInput } from "./RunInput.ts"
export type { RunReference } from "./RunReference.ts"
export { RunStream } from "./RunStream.ts"
export { Svc } from "./Svc.ts"
export { type Problem, SvcConnectionError, SvcError, SvcRunError } from "./SvcError.ts"
// these have more than the generated ones
export type { AgentEvent, RunOutput, TeamEvent, TeamRunOutput, Text, WorkflowEvent, WorkflowRunOutput } from "./Text.ts"
export type { Upload } from "./Uploads.ts"
