import { GitHubSource, Knowledge } from "@svc-runtime/server"

const docs = GitHubSource.make({
  id: "docs",
  repo: "company/docs",
  branch: "main",
  token: process.env["DOCS_TOKEN"] ?? ""
})

Knowledge.make({ name: "handbook", sources: [docs] })
