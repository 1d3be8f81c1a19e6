// Prompts: texts with variables that several agents use as parts of their instructions.
import { Mistake } from "@svc-runtime/engine/userCode/Mistake"
import * as DeclaredOption from "../declarations/DeclaredOption.ts"
import * as Feature from "../Feature.ts"
import type * as DeclaredPrompts from "./DeclaredPrompts.ts"
import { prompts as migrations } from "./migrations.ts"
import * as Endpoints from "./PromptsApi.ts"
import { PromptStore } from "./PromptStore.ts"

declare module "@svc-runtime/engine/database/Stores" {
  interface FeatureStores {
    readonly prompts: typeof PromptStore
  }
}

declare module "@svc-runtime/features/declarations/DeclaredOption" {
  interface Declarable {
    /** Texts that several agents use as parts of their instructions. One that includes another one is after it. */
    readonly prompts?: ReadonlyArray<DeclaredPrompts.Declaration> | undefined
  }
}

const declared = DeclaredOption.make("prompts", {
  label: "The prompt",
  kinds: { name: "text", text: "text" },
  check: (owner, { text }) => {
    if (text === undefined) throw new Mistake(`${owner} has no text. Give it one`)
  }
})

export const prompts = Feature.make({
  name: "prompts",
  groups: [Endpoints.Prompts],
  declared,
  stores: { prompts: PromptStore },
  inMemory: () => import("./MemoryPromptStore.ts"),
  migrations,
  load: () => import("./live.ts")
})
