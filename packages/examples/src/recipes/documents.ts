// # Load documents when the service starts
// Documents and data
//
// The files of a folder are the knowledge of an agent. At each start, new and changed files are read, and files that
// are gone are removed.
//
// Try:
//   npm run node -- packages/examples/src/recipes/documents.ts
//   svc run guide "How many days of holiday do we have?"
//
// Change: without a key of an embedder, `embedder: "none"` searches by words. Leave it out to search by meaning.
import { Agent, Knowledge, serve } from "@svc-runtime/server"

const handbook = Knowledge.make({
  name: "handbook",
  description: "How we work",
  embedder: "none",
  folder: new URL("../../documents/", import.meta.url)
})

const guide = Agent.make({ id: "guide", instructions: "Answer from the knowledge base.", knowledge: handbook })

export const application = { agents: [guide] }

if (import.meta.main) serve(application)
