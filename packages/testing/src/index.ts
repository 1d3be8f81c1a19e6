export * as ServiceProcess from "./ServiceProcess.ts"
export * as ScriptedModel from "./ScriptedModel.ts"
export * as Reply from "./wire/Reply.ts"
