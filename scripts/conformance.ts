// Runs the tests in which official clients and suites talk to the service, unmodified, and writes to
// docs/reference/conformance.md what passed and failed.
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const root = join(import.meta.dirname, "..")

interface Client {
  readonly protocol: string
  /** Folders of node_modules: the clients as they are published. */
  readonly packages: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
}

/** Clients that are too large to be installed for each test run. */
const foreign = "../scripts/foreign-clients/node_modules/"

const at = (...files: ReadonlyArray<string>) => files.map((file) => `packages/server/test/${file}.test.ts`)

const clients: ReadonlyArray<Client> = [
  {
    protocol: "A2A 0.3 and 1.0, JSON-RPC and HTTP",
    packages: ["@a2a-js/sdk"],
    tests: at("a2a/Sdk", "a2a/Tasks", "a2a/Push")
  },
  {
    protocol: "AG-UI",
    packages: ["@ag-ui/client", "@ag-ui/client-0"],
    tests: at("agui/AgUi", "agui/AgUiKinds", "agui/CopilotKit")
  },
  {
    protocol: "AG-UI, in a page",
    packages: [`${foreign}@copilotkit/react-core`],
    tests: ["packages/console/test/CopilotKit.whole.test.ts"]
  },
  {
    protocol: "UI message stream, AG-UI and A2A, in a page",
    packages: ["react", "react-ai-sdk", "react-ag-ui", "react-a2a"].map((name) => `${foreign}@assistant-ui/${name}`),
    tests: ["packages/console/test/AssistantUi.whole.test.ts"]
  },
  { protocol: "UI message stream", packages: ["ai"], tests: at("chat/Chat", "chat/ChatKinds") },
  {
    protocol: "OpenAI",
    packages: ["openai"],
    tests: at("openai/Completions", "openai/Responses", "openai/StoredResponses")
  },
  { protocol: "OpenAI, the AI SDK", packages: ["ai", "@ai-sdk/openai"], tests: at("openai/AiSdk") },
  {
    protocol: "OpenAI, the Agents SDK",
    packages: [`${foreign}@openai/agents`],
    tests: at("openai/AgentsSdk.whole")
  },
  {
    protocol: "OpenAI, LangChain",
    packages: [`${foreign}@langchain/openai`],
    tests: at("openai/LangChain.whole")
  },
  {
    protocol: "MCP, LangChain and a bridge for assistants",
    packages: [`${foreign}@langchain/mcp-adapters`, `${foreign}mcp-remote`],
    tests: at("mcp/ForeignClients.whole")
  },
  { protocol: "MCP, the client", packages: ["@modelcontextprotocol/sdk"], tests: at("mcp/Sdk") },
  {
    protocol: "MCP, the conformance suite",
    packages: ["@modelcontextprotocol/conformance"],
    tests: at("mcp/Conformance")
  },
  { protocol: "MCP, authorization", packages: ["@modelcontextprotocol/client"], tests: at("oauth/Sdk") },
  // of channels: the clients talk to the local servers that stand for the platforms in the tests of the adapters
  {
    protocol: "Slack, the local server",
    packages: ["web-api", "socket-mode", "bolt"].map((name) => `${foreign}@slack/${name}`),
    tests: ["packages/channels/test/slack/SlackClients.whole.test.ts"]
  },
  {
    protocol: "Telegram, the local server",
    packages: [`${foreign}grammy`],
    tests: ["packages/channels/test/telegram/TelegramClients.whole.test.ts"]
  },
  {
    protocol: "Discord, the local server",
    packages: [`${foreign}@discordjs/rest`, `${foreign}@discordjs/ws`, `${foreign}discord-interactions`],
    tests: ["packages/channels/test/discord/DiscordClients.whole.test.ts"]
  },
  {
    protocol: "GitHub, the local server",
    packages: [`${foreign}octokit`],
    tests: ["packages/channels/test/github/GitHubClients.whole.test.ts"]
  }
]

interface Assertion {
  readonly status: string
  readonly fullName: string
}

interface Report {
  readonly testResults: ReadonlyArray<{ readonly name: string; readonly assertionResults: ReadonlyArray<Assertion> }>
}

const versionOf = (name: string): string => {
  const path = join(root, "node_modules", name, "package.json")
  const manifest = JSON.parse(readFileSync(path, "utf8")) as { readonly name: string; readonly version: string }
  return `\`${manifest.name}\` ${manifest.version}`
}

const run = promisify(execFile)

/** Failed tests end vitest with an error: the report has them. */
const reportOf = async (files: ReadonlyArray<string>): Promise<Report> => {
  const folder = mkdtempSync(join(tmpdir(), "svc-conformance-"))
  const output = join(folder, "report.json")
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs")
  const args = [vitest, "run", "--config", "vitest.whole.ts", "--reporter=json", `--outputFile=${output}`, ...files]
  await run(process.execPath, args, { cwd: root, maxBuffer: 2 ** 27 }).catch(() => undefined)
  const report = JSON.parse(readFileSync(output, "utf8")) as Report
  rmSync(folder, { recursive: true })
  return report
}

const install = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]
const folder = join(root, "scripts", "foreign-clients")
const changedAt = (path: string) => statSync(join(folder, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
// npm writes this list last
if (changedAt("node_modules/.package-lock.json") < changedAt("package-lock.json")) {
  await run("npm", install, { cwd: folder, maxBuffer: 2 ** 27 })
}

const report = await reportOf(clients.flatMap(({ tests }) => tests))

const results = clients.map(({ packages, protocol, tests }) => {
  const all = report.testResults.filter(({ name }) => tests.some((test) => name.endsWith(test)))
    .flatMap(({ assertionResults }) => assertionResults)
  const failed = all.filter(({ status }) => status === "failed")
  const passed = all.filter(({ status }) => status === "passed")
  return { protocol, clients: packages.map(versionOf).join(", "), passed: passed.length, failed, count: all.length }
})

const rows = results.map(({ clients, count, failed, passed, protocol }) =>
  `| ${protocol} | ${clients} | ${passed} | ${failed.length} | ${count - passed - failed.length} |`
)
const failures = results.flatMap(({ failed, protocol }) => failed.map(({ fullName }) => `- ${protocol}: ${fullName}`))

const text = `# Conformance

Official clients and suites, unmodified, against a service on a real port with scripted models. \`npm run conformance\`
writes this page; \`npm run test:whole\` runs the same tests, and \`npm test\` some of them.

The rows of a local server are about channels: the clients of a platform talk to the server that stands for it in the
tests of its adapter, so that this server is known to speak its wire.

| protocol | clients | passed | failed | skipped |
| --- | --- | --- | --- | --- |
${rows.join("\n")}

${failures.length === 0 ? "Nothing failed." : `Failed:\n\n${failures.join("\n")}`}
`

const page = join(root, "docs", "reference", "conformance.md")
writeFileSync(page, text)
process.stdout.write(text)
process.exitCode = results.some(({ count, failed }) => failed.length > 0 || count === 0) ? 1 : 0
