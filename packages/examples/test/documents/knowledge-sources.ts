// The block of docs/guides/knowledge.md about sources.
// #region
import { Agent, Knowledge, S3Source, serve } from "@svc-runtime/server"

const wiki = S3Source.make({
  id: "wiki",
  bucket: "company-wiki",
  region: "eu-central-1",
  accessKeyId: process.env["WIKI_KEY_ID"] ?? "",
  secretAccessKey: process.env["WIKI_SECRET"] ?? "",
  prefix: "published/",
  sync: "1 hour"
})

const handbook = Knowledge.make({ name: "handbook", sources: [wiki] })

serve({ agents: [Agent.make({ id: "assistant", knowledge: handbook })] })
// #endregion
