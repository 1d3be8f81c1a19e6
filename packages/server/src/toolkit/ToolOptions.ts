// What every tool of the toolkit takes.
import type * as Tool from "@svc-runtime/engine/tool/Tool"

export type ToolOptions = Partial<
  Pick<
    Tool.Options<undefined>,
    | "approval"
    | "concurrency"
    | "delayBetweenRetries"
    | "description"
    | "exponentialBackoff"
    | "maxCalls"
    | "maxResultBytes"
    | "name"
    | "requiresConfirmation"
    | "retries"
    | "timeout"
  >
>
