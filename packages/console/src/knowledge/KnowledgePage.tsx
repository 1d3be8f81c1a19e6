// The contents of knowledge bases: what is added, how far it is, and a search as agents make it.
import type { ContentResponseSchema } from "@svc-runtime/client"
import { BookOpen } from "lucide"
import { Empty } from "../parts/Empty.tsx"
import { Problem } from "../parts/Problem.tsx"
import { Status } from "../parts/Status.tsx"
import { Time } from "../parts/Time.tsx"
import { Action } from "../resources/Action.tsx"
import { ResourceList } from "../resources/ResourceList.tsx"
import type { Column } from "../resources/Table.tsx"
import { query, route } from "../Route.ts"
import { may } from "../service/Caller.ts"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"
import { AddContent } from "./AddContent.tsx"
import { SourceFiles } from "./SourceFiles.tsx"

// What a search finds in a knowledge base, the best first.
interface SearchProps {
  readonly text: string
  readonly knowledge: { readonly knowledge_id?: string }
}

const SearchResults = ({ knowledge, text }: SearchProps) => {
  const { problem, reload, value } = useLoaded(
    (signal) => svc().knowledge.search({ query: text, ...knowledge, meta: { limit: 10, page: 1 } }, { signal }),
    [text, knowledge]
  )
  return (
    <section class="found" aria-label="Found">
      <Problem error={problem} retry={reload} />
      {value?.data.length === 0
        ? <Empty title="Nothing was found">Try other words, or add what is missing.</Empty>
        : (
          <ol>
            {value?.data.map(({ content, id, name, reranking_score: score }) => (
              <li key={id}>
                <strong>{name}</strong> {score === null ? null : <span class="quiet">score {score.toFixed(3)}</span>}
                <p>{content}</p>
              </li>
            ))}
          </ol>
        )}
    </section>
  )
}

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
  { title: "Size", cell: ({ size }) => size === null ? null : `${Number(size).toLocaleString()} bytes` },
  { title: "Added", cell: ({ created_at }) => <Time value={created_at} /> }
]

/** Bases have ids; a service with one base needs none. */
const basesOf = async (signal: AbortSignal) => (await svc().system.config({ signal })).knowledge.knowledge_instances

export const KnowledgePage = () => {
  const { query: { base, q = "" } } = route.value
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
              Search
              <input
                type="search"
                value={q}
                onChange={(event) => query({ q: event.currentTarget.value.trim() })}
              />
            </label>
          </form>
          {q === "" ? null : <SearchResults text={q} knowledge={knowledge} />}
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
