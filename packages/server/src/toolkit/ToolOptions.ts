// What every tool of the toolkit takes.
import type * as Tool from "@svc-runtime/engine/tool/Tool"
import * as AuthorOptions from "@svc-runtime/engine/userCode/Options"

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

const kinds: AuthorOptions.Kinds<keyof ToolOptions> = {
  approval: "any",
  concurrency: "any",
  delayBetweenRetries: "any",
  description: "text",
  exponentialBackoff: "flag",
  maxCalls: "any",
  maxResultBytes: "any",
  name: "text",
  requiresConfirmation: "decision",
  retries: "any",
  timeout: "any"
}

/** Throws for options that the tool does not have. `own` are the ones of this tool alone, the first in sentences. */
export const check = (owner: string, options: unknown, own: AuthorOptions.Kinds<string> = {}): void =>
  AuthorOptions.check(owner, options, { ...own, ...kinds })
