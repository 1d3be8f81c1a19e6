export * as Application from "./Application.ts"
export { Config } from "./Config.ts"
export * as HttpServer from "./HttpServer.ts"
export { defaultLimits, ServerSettings, type Settings } from "./Settings.ts"
