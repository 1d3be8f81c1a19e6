// What the registry and the list of models are made of.
import { AgentRegistry } from "@svc/runtime/agent/AgentRegistry"
import { Databases } from "@svc/runtime/database/Databases"
import { KnowledgeRegistry } from "@svc/runtime/knowledge/KnowledgeRegistry"
import { ModelCatalog } from "@svc/runtime/Models"
import { DeclaredResources } from "@svc/runtime/registry/DeclaredResources"
import * as ReachedComponents from "@svc/runtime/registry/ReachedComponents"
import type * as Resources from "@svc/runtime/registry/Resources"
import { TeamRegistry } from "@svc/runtime/team/TeamRegistry"
import { WorkflowRegistry } from "@svc/runtime/workflow/WorkflowRegistry"
import { Effect } from "effect"

export const resourceParts = Effect.gen(function*() {
  const [agents, teams, workflows] = [yield* AgentRegistry, yield* TeamRegistry, yield* WorkflowRegistry]
  const databases = (yield* Databases).all.map(({ id }) => id)
  const knowledge = (yield* KnowledgeRegistry).all
  const parts: Resources.Parts = {
    reached: ReachedComponents.of([...agents.all, ...teams.all, ...workflows.all]),
    declared: yield* DeclaredResources,
    models: yield* ModelCatalog,
    knowledge,
    databases: [...new Set([...databases, ...knowledge.map(({ database }) => database)])]
  }
  return parts
})
