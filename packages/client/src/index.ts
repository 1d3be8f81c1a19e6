export * as AgentRuns from "./AgentRuns.ts"
export { SvcClient } from "./SvcClient.ts"
