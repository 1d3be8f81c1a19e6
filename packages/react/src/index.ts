// Hooks for React 18 and 19.
export type { ApprovalsQuery } from "./ApprovalList.ts"
export type { Message } from "./Conversation.ts"
export { type UseAgent, useAgent, type UseAgentOptions } from "./useAgent.ts"
export { type UseApprovals, useApprovals, type UseApprovalsOptions } from "./useApprovals.ts"
