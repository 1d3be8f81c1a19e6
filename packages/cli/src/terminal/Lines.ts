// Reads lines that a person types. The prompt is written to standard error.
import { Context, type Effect } from "effect"
import type { Aborted } from "../CliError.ts"

export class Lines extends Context.Service<Lines, {
  /**
   * A hidden line is not shown while it is typed. A message of a conversation begins with what was typed during the
   * answer before it. Ctrl-C, Ctrl-D and Escape abort.
   */
  readonly read: (
    prompt: string,
    options?: { readonly isHidden?: boolean; readonly isMessage?: boolean }
  ) => Effect.Effect<string, Aborted>
  /** Resolves when Ctrl-C or Escape is pressed, while no line is read. Other keys are for the next message. */
  readonly stopKey: Effect.Effect<void>
}>()("@svc-runtime/cli/terminal/Lines") {}
