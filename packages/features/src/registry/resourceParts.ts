// What the registry and the list of models are made of.
import { Databases } from "@svc-runtime/agents/database/Databases"
import { ModelCatalog } from "@svc-runtime/agents/Models"
import * as ReachedComponents from "@svc-runtime/agents/registry/ReachedComponents"
import { Effect } from "effect"
import { KnowledgeRegistry } from "../knowledge/KnowledgeRegistry.ts"
import { DeclaredResources } from "./DeclaredResources.ts"
import type * as Resources from "./Resources.ts"

export const resourceParts = Effect.gen(function*() {
  const databases = (yield* Databases).all.map(({ id }) => id)
  const knowledge = yield* KnowledgeRegistry.instances
  const parts: Resources.Parts = {
    reached: yield* ReachedComponents.ofService,
    declared: yield* DeclaredResources.declared,
    models: yield* ModelCatalog,
    knowledge,
    databases: [...new Set([...databases, ...knowledge.map(({ database }) => database)])]
  }
  return parts
})
