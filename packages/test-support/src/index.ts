export * as ScriptedModel from "./ScriptedModel.ts"
export * as ServiceProcess from "./ServiceProcess.ts"
export * as Reply from "./wire/Reply.ts"
