export * as AgentRuns from "./AgentRuns.ts"
export * as Discovery from "./Discovery.ts"
export * as ServiceAccounts from "./ServiceAccounts.ts"
export { SvcClient } from "./SvcClient.ts"
