// What knowledge adds to agents: options, the tool `search_knowledge`, and what is found for the message of a run.
import { group, unless } from "@svc-runtime/agents/agent/define/AgentDetail"
import type { AgentPart } from "@svc-runtime/agents/agent/define/AgentPart"
import type { RunPart, ServedPart } from "@svc-runtime/agents/agent/execute/RunPart"
import { Effect } from "effect"
import * as ChosenFilters from "./ChosenFilters.ts"
import * as KnowledgeContext from "./KnowledgeContext.ts"
import * as KnowledgeOption from "./KnowledgeOption.ts"
import { table } from "./KnowledgeRegistry.ts"
import * as KnowledgeTools from "./KnowledgeTools.ts"
import { CurrentKnowledge, KnowledgeAccess, make } from "./RunKnowledge.ts"
import * as RunReferences from "./RunReferences.ts"

declare module "@svc-runtime/agents/agent/define/AgentPart" {
  interface FeatureOptions extends KnowledgeOption.Options {}
  interface FeatureSettings {
    readonly knowledge: KnowledgeOption.AgentKnowledge | undefined
  }
}

const name = "knowledge"

export const part: AgentPart = {
  name,
  define: (options, owner) => {
    const knowledge = KnowledgeOption.make(owner.name, options)
    return { settings: { knowledge }, tools: knowledge === undefined ? [] : KnowledgeTools.make(knowledge) }
  },
  isUsed: ({ knowledge }) => knowledge !== undefined,
  detail: ({ knowledge }, { databaseOf }) =>
    knowledge === undefined ? {} : {
      knowledge: group({
        db_id: databaseOf({ db: knowledge.bases[0]?.db }).id,
        knowledge_table: table,
        enable_agentic_knowledge_filters: unless(knowledge.choosesFilters, false),
        knowledge_filters: knowledge.filters
      }),
      default_tools: knowledge.searches ? undefined : { search_knowledge: false }
    }
}

export const forAgent = Effect.map(
  KnowledgeAccess,
  (access): ServedPart["forAgent"] => ({ knowledge }) =>
    Effect.succeed(({ command: { knowledge_filters: filters, user_id } }): RunPart => {
      const run = knowledge === undefined || access === undefined
        ? undefined
        : make(knowledge, access, { filters, user_id })
      return {
        order: 30,
        sources: run !== undefined && knowledge?.choosesFilters === true ? [ChosenFilters.source(run)] : [],
        opening: run !== undefined && knowledge?.addsToContext === true
          ? (text) => KnowledgeContext.search(run, text)
          : undefined,
        references: RunReferences.of,
        provide: Effect.provideService(CurrentKnowledge, run)
      }
    })
)
