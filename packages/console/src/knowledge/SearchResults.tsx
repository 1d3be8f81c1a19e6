// What a search finds in a knowledge base, the best first.
import { Empty } from "../parts/Empty.tsx"
import { Problem } from "../parts/Problem.tsx"
import { svc } from "../service/Service.ts"
import { useLoaded } from "../service/useLoaded.ts"

interface Props {
  readonly text: string
  readonly knowledge: { readonly knowledge_id?: string }
}

export const SearchResults = ({ knowledge, text }: Props) => {
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
