// What the feature does in a service that has it.
import * as Feature from "../Feature.ts"
import * as DeclaredPrompts from "./DeclaredPrompts.ts"
import * as Prompts from "./Prompts.ts"
import { handlers } from "./PromptsHandlers.ts"
import * as SqlPromptStore from "./SqlPromptStore.ts"

export const live = Feature.live({
  handlers,
  stores: SqlPromptStore.layer,
  service: (_: undefined, { agents, teams, workflows }: Feature.Service) =>
    Prompts.layer([...agents, ...teams, ...workflows]),
  agents: () => Prompts.forAgent,
  declares: (_, { prompts = [] }) => DeclaredPrompts.kind(prompts)
})
