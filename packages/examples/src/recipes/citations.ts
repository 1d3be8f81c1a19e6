// # Answer from documents, with citations
// Documents and data
//
// The run has the passages that the model was shown, with the file of each. So a page can show where an answer is from,
// whatever the model writes.
//
// Try:
//   npm run node -- packages/examples/src/recipes/citations.ts
//   svc run librarian "How do I book a train?"
//
// Change: `addKnowledgeToContext` searches before each run. Leave it out, and the model decides when to search.
import type { Svc } from "@svc-runtime/client"
import { Agent, Knowledge, serve } from "@svc-runtime/server"

const handbook = Knowledge.make({
  name: "travel-handbook",
  embedder: "none",
  folder: new URL("../../documents/", import.meta.url)
})

const librarian = Agent.make({
  id: "librarian",
  instructions: "Answer from what the knowledge base has, and say when it has nothing.",
  knowledge: handbook,
  addKnowledgeToContext: true
})

export const application = { agents: [librarian] }

/** The answer, and the files that it is made of. */
export const answerWithSources = async (svc: Svc, question: string) => {
  const { references, text } = await svc.agent("librarian").run(question)
  const files = (references ?? []).flatMap(({ references }) => references.map(({ content_origin }) => content_origin))
  return { text, files: [...new Set(files)] }
}

if (import.meta.main) serve(application)
