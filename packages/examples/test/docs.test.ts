// The examples in docstrings are files of src/docs, which the compiler checks. They are compared as text.
import { assert, describe, it } from "@effect/vitest"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

const packages = join(import.meta.dirname, "..", "..")
const docs = join(packages, "examples", "src", "docs")

const files = new Map(
  readdirSync(docs).map((file) => [file, readFileSync(join(docs, file), "utf8").trimEnd()])
)

/** Every docstring, without its stars. */
const docstringsOf = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/^\/\*\*\n((?: \*.*\n)*) \*\/$/gm), ([, lines]) => lines!.replaceAll(/^ \* ?/gm, ""))

const fencedIn = (text: string): ReadonlyArray<string> =>
  docstringsOf(text).flatMap((docstring) =>
    Array.from(docstring.matchAll(/^```ts\n([\s\S]*?)\n```$/gm), ([, code]) => code!)
  )

/** The examples of adapters are single calls. Their pages have what authors write. */
const sources = readdirSync(packages).filter((name) => name !== "channels").flatMap((name) =>
  readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => join(name, "src", file))
)

/** What authors call first, and the file that declares it. */
const entries = {
  "Agent.ts": "features/src/Agent.ts",
  "AgentFactory.ts": "agents/src/agent/define/AgentFactory.ts",
  "AiSdkTool.ts": "engine/src/tool/AiSdkTool.ts",
  "Application.ts": "server/src/Application.ts",
  "AzureBlobSource.ts": "features/src/knowledge/sources/AzureBlobSource.ts",
  "Chunker.ts": "features/src/knowledge/Chunker.ts",
  "ComponentTool.ts": "agents/src/nested/ComponentTool.ts",
  "Condition.ts": "agents/src/workflow/define/Condition.ts",
  "ForEach.ts": "agents/src/workflow/define/ForEach.ts",
  "GcsSource.ts": "features/src/knowledge/sources/GcsSource.ts",
  "GitHubSource.ts": "features/src/knowledge/sources/GitHubSource.ts",
  "Guardrail.ts": "agents/src/guardrail/Guardrail.ts",
  "Knowledge.ts": "features/src/knowledge/KnowledgeBase.ts",
  "Local.ts": "server/src/local/Local.ts",
  "Loop.ts": "agents/src/workflow/define/Loop.ts",
  "McpTools.ts": "server/src/mcpClient/McpTools.ts",
  "Parallel.ts": "agents/src/workflow/define/Parallel.ts",
  "Prompt.ts": "features/src/prompts/Prompt.ts",
  "ProviderTool.ts": "engine/src/tool/ProviderTool.ts",
  "Reader.ts": "features/src/knowledge/Reader.ts",
  "RemoteAgent.ts": "agents/src/agent/remote/RemoteAgent.ts",
  "Route.ts": "server/src/routes/Route.ts",
  "Router.ts": "agents/src/workflow/define/Router.ts",
  "S3Source.ts": "features/src/knowledge/sources/S3Source.ts",
  "SharePointSource.ts": "features/src/knowledge/sources/SharePointSource.ts",
  "Skills.ts": "features/src/skills/Skills.ts",
  "Sandbox.ts": "features/src/workspace/Sandbox.ts",
  "Step.ts": "agents/src/workflow/define/Step.ts",
  "Team.ts": "features/src/Team.ts",
  "TeamFactory.ts": "agents/src/team/TeamFactory.ts",
  "Tool.ts": "engine/src/tool/Tool.ts",
  "Workflow.ts": "agents/src/workflow/Workflow.ts",
  "WorkflowFactory.ts": "agents/src/workflow/WorkflowFactory.ts",
  "Workspace.ts": "features/src/workspace/Workspace.ts",
  "recordedModel.ts": "testing/src/RecordedModel.ts",
  "scriptedModel.ts": "testing/src/Script.ts",
  "serve.ts": "server/src/serve.ts",
  "standardRoles.ts": "http/src/authorization/standardRoles.ts",
  "testService.ts": "testing/src/TestService.ts"
}

describe("examples in docstrings", () => {
  it("each function that authors call first has its example", () => {
    assert.deepStrictEqual([...files.keys()].toSorted(), Object.keys(entries).toSorted())
    for (const [file, source] of Object.entries(entries)) {
      const [example] = fencedIn(readFileSync(join(packages, source), "utf8"))
      assert.strictEqual(example, files.get(file), `${source} and examples/src/docs/${file}`)
    }
  })

  it("an example in a docstring is one that the compiler checks", () => {
    const checked = new Set(files.values())
    const unchecked = sources.filter((file) =>
      fencedIn(readFileSync(join(packages, file), "utf8")).some((code) => !checked.has(code))
    )
    assert.deepStrictEqual(unchecked, [])
  })
})
