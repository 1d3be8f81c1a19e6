import type { Tool } from "@svc/server"

export type AnyTool = Tool.Tool
