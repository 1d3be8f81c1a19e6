import type { Tool } from "@svc-runtime/server"

export type AnyTool = Tool.Tool
