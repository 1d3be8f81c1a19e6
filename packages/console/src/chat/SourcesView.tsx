// What an answer is based on: pages that the model named, and passages of knowledge.
import { Folded } from "../parts/Json.tsx"
import type { Sources } from "./Turn.ts"

const isPage = (url: string): boolean => /^https?:/i.test(url)

export const SourcesView = ({ sources: { citations, references } }: { readonly sources: Sources }) => (
  <div class="sources">
    {citations?.urls === undefined || citations.urls.length === 0 ? null : (
      <ul>
        {citations.urls.map(({ title, url }) => (
          <li key={url}>
            {isPage(url)
              ? <a href={url} target="_blank" rel="noopener noreferrer">{title ?? url}</a>
              : (title ?? url)}
          </li>
        ))}
      </ul>
    )}
    <Folded title="Cited documents" value={citations?.documents} />
    <Folded title="Passages of knowledge" value={references.length === 0 ? undefined : references} />
  </div>
)
