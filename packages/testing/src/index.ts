export { type AdapterCheck, adapterChecks, type TestedPlatform } from "@svc-runtime/channels/AdapterChecks"
export { answer, approve, reject } from "@svc-runtime/client"
export {
  assertCompleted,
  assertEvents,
  assertScriptUsed,
  assertStatus,
  assertToolCalls,
  type ExpectedCall
} from "./Assertions.ts"
export { recordedModel, type RecordedModelOptions } from "./RecordedModel.ts"
export {
  delay,
  type ModelRequest,
  object,
  refusal,
  scriptedModel,
  type ScriptTurn,
  type Step,
  type TestModel,
  type TurnSteps
} from "./Script.ts"
export { failStatus, finish, part, reasoning, text, timeOut, toolCall, usage } from "./ScriptedModel.ts"
export type { CalledTool, TestComponent, TestRun } from "./TestRun.ts"
export type { LogLine } from "./TestServer.ts"
export { type TestService, testService, type TestServiceOptions } from "./TestService.ts"
export { type ProviderRequest, refusalOf } from "./wire/Refusal.ts"
