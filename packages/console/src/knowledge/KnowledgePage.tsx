// The contents of knowledge bases: what is added, how far it is, and a search as agents make it.
import type { ContentResponseSchema } from "@svc-runtime/client"
import { BookOpen } from "lucide"
import { Empty } from "../parts/Empty.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { bytes } from "../parts/units.ts"
import { Action } from "../resources/Action.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { query, route } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { AddContent } from "./AddContent.tsx"
import { SearchResults } from "./SearchResults.tsx"
import { SourceFiles } from "./SourceFiles.tsx"

const columns: ReadonlyArray<Column<ContentResponseSchema>> = [
  { title: "Name", isCut: true, cell: ({ id, name }) => name ?? id },
  {
    title: "State",
    cell: ({ status, status_message }) => (
      <>
        <Status value={status} /> {status === "failed" ? status_message : null}
      </>
    )
  },
  { title: "Type", cell: ({ type }) => type },
  { title: "Size", isNumber: true, cell: ({ size }) => size === null ? null : bytes(Number(size)) },
  { title: "Added", cell: ({ created_at }) => <Time value={created_at} /> }
]

/** Bases have ids; a service with one base needs none. */
const basesOf = async (signal: AbortSignal) => (await svc().system.config({ signal })).knowledge.knowledge_instances

export const KnowledgePage = () => {
  const { query: { base, by, q = "" } } = route.value
  const { problem, reload, value: bases } = useLoaded(basesOf, [])
  if (bases === undefined) {
    return (
      <section class="page">
        <Problem error={problem} retry={reload} />
      </section>
    )
  }
  if (bases.length === 0) {
    return (
      <section class="page">
        <h1>Knowledge</h1>
        <Empty icon={BookOpen} title="The service has no knowledge base">
          Give an agent one with <code>Knowledge.make</code>, or list it in the options of <code>serve</code>.
        </Empty>
      </section>
    )
  }
  const chosen = base ?? bases[0]?.id
  const knowledge = chosen === undefined ? {} : { knowledge_id: chosen }
  return (
    <ResourceList
      title="Knowledge"
      every={2000}
      load={(paging, _, signal) => svc().knowledge.list({ ...paging, ...knowledge }, { signal })}
      columns={columns}
      keyOf={({ id }) => id}
      actions={({ id, name }, reload) => (
        <Action
          scope="knowledge:delete"
          label={`Delete ${name ?? id}`}
          question={`Delete "${name ?? id}" from the knowledge base?`}
          run={() => svc().knowledge.delete(id, knowledge)}
          done={reload}
        >
          Delete
        </Action>
      )}
      forms={(reload) => (
        <>
          <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
            {bases.length < 2 ? null : (
              <label>
                Knowledge base
                <select
                  value={chosen}
                  onChange={(event) =>
                    query({ base: event.currentTarget.value, page: undefined, source: undefined, folder: undefined })}
                >
                  {bases.map(({ id, name }) => <option key={id} value={id}>{name}</option>)}
                </select>
              </label>
            )}
            <label>
              Try a search
              <input
                type="search"
                value={q}
                onChange={(event) => query({ q: event.currentTarget.value.trim() })}
              />
            </label>
            <label>
              By
              <select value={by ?? ""} onChange={(event) => query({ by: event.currentTarget.value })}>
                <option value="">what agents use</option>
                <option value="hybrid">meaning and words</option>
                <option value="vector">meaning</option>
                <option value="keyword">words</option>
              </select>
            </label>
          </form>
          {q === "" ? null : <SearchResults text={q} by={by} knowledge={knowledge} />}
          {may("knowledge:write") ? <AddContent added={reload} knowledge={knowledge} /> : null}
          {may("knowledge:write") && chosen !== undefined
            ? <SourceFiles key={chosen} added={reload} knowledge_id={chosen} />
            : null}
        </>
      )}
      empty="Choose files above, or add a web page or a text. Agents search in what is added."
    />
  )
}
