// What the registry and the list of models are made of.
import { Databases } from "@svc/runtime/database/Databases"
import { KnowledgeRegistry } from "@svc/runtime/knowledge/KnowledgeRegistry"
import { ModelCatalog } from "@svc/runtime/Models"
import { DeclaredResources } from "@svc/runtime/registry/DeclaredResources"
import * as ReachedComponents from "@svc/runtime/registry/ReachedComponents"
import type * as Resources from "@svc/runtime/registry/Resources"
import { Effect } from "effect"

export const resourceParts = Effect.gen(function*() {
  const databases = (yield* Databases).all.map(({ id }) => id)
  const knowledge = (yield* KnowledgeRegistry).all
  const parts: Resources.Parts = {
    reached: yield* ReachedComponents.ofService,
    declared: yield* DeclaredResources,
    models: yield* ModelCatalog,
    knowledge,
    databases: [...new Set([...databases, ...knowledge.map(({ database }) => database)])]
  }
  return parts
})
