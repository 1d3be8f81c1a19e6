// What the components of the service have. It does not change after the start, so it is made once.
import { Api } from "@svc/api"
import * as Pagination from "@svc/domain/Pagination"
import { AgentRegistry } from "@svc/runtime/agent/AgentRegistry"
import { Databases } from "@svc/runtime/database/Databases"
import { KnowledgeRegistry } from "@svc/runtime/knowledge/KnowledgeRegistry"
import { ModelCatalog } from "@svc/runtime/Models"
import { DeclaredResources } from "@svc/runtime/registry/DeclaredResources"
import * as ReachedComponents from "@svc/runtime/registry/ReachedComponents"
import * as Resources from "@svc/runtime/registry/Resources"
import { TeamRegistry } from "@svc/runtime/team/TeamRegistry"
import { WorkflowRegistry } from "@svc/runtime/workflow/WorkflowRegistry"
import { Clock, Effect } from "effect"
import * as JsonAnswer from "../JsonAnswer.ts"
import { group } from "./group.ts"

const resources = Effect.gen(function*() {
  const [agents, teams, workflows] = [yield* AgentRegistry, yield* TeamRegistry, yield* WorkflowRegistry]
  const databases = (yield* Databases).all.map(({ id }) => id)
  const knowledge = (yield* KnowledgeRegistry).all
  return Resources.of({
    reached: ReachedComponents.of([...agents.all, ...teams.all, ...workflows.all]),
    declared: yield* DeclaredResources,
    models: yield* ModelCatalog,
    knowledge,
    databases: [...new Set([...databases, ...knowledge.map(({ database }) => database)])]
  })
})

export const Registry = group(
  Api,
  "registry",
  Effect.fnUntraced(function*(handlers) {
    const all = yield* resources

    return handlers.handleAll({
      list: Effect.fn("Registry.list")(function*({ query }) {
        const begun = yield* Clock.currentTimeMillis
        const part = (query.name ?? "").trim().toLowerCase()
        const found = all.filter(({ name, type }) =>
          (query.resource_type ?? type) === type && name.toLowerCase().includes(part)
        )
        const { data, meta } = Pagination.answer(query, Pagination.slice(query, found), found.length)
        return JsonAnswer.of({ data, meta: { ...meta, search_time_ms: (yield* Clock.currentTimeMillis) - begun } })
      })
    })
  })
)
