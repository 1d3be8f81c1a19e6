// Takes the place of the wizard of Effect's commands in the bundle: the tool has no flag for it, and its prompts are as
// large as all commands of the tool.
import { Effect } from "effect"

export const run = () => Effect.die("svc has no wizard")
export const renderIntroduction = (): string => ""
export const renderCompletion = (): string => ""
export const renderQuit = (): string => ""
