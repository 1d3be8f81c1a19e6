// The output of bare `svc`: the commands and how to get help. It loads nothing, so that it is fast.
import { style } from "../terminal/Style.ts"

const groups: ReadonlyArray<readonly [title: string, rows: ReadonlyArray<readonly [command: string, what: string]>]> = [
  ["Get started", [
    ["svc create", "Start a project from a template"],
    ["svc connect", "Connect coding assistants to a running service"],
    ["svc disconnect", "Take their entries out again"]
  ]],
  ["Work with agents", [
    ["svc run", "Run an agent, a team or a workflow"],
    ["svc chat", "Talk with an agent or a team"],
    ["svc runs", "List, show, follow, cancel and continue runs"],
    ["svc sessions", "List, show and delete sessions"],
    ["svc approvals", "Decide what runs wait for"]
  ]],
  ["Operate", [
    ["svc up / down / restart", "Run the project's containers"],
    ["svc logs", "Show the output of the project's containers"],
    ["svc status", "Show the service and who is connected to it"],
    ["svc doctor", "Find out what is wrong, and what to do"],
    ["svc explain", "Explain the code or the text of an error"]
  ]],
  ["Evaluate", [
    ["svc eval", "Evaluate the answers of agents, teams and workflows"]
  ]],
  ["Tokens", [
    ["svc tokens", "Create, list and revoke tokens of service accounts"]
  ]],
  ["Documents", [
    ["svc docs", "Search and read the documents"],
    ["svc mcp-docs", "Serve the documents to assistants, over MCP"]
  ]],
  ["This tool", [
    ["svc api", "Send any request to the service"],
    ["svc openapi", "Print the OpenAPI document of the service"],
    ["svc completions", "Print completions for bash, zsh or fish"]
  ]]
]

const width = Math.max(...groups.flatMap(([, rows]) => rows.map(([command]) => command.length))) + 3

export const catalog = (version: string, colour: boolean): string => {
  const { bold, cyan, dim, green } = style(colour)
  const sections = groups.map(([title, rows]) =>
    [bold(green(title)), ...rows.map(([command, what]) => `  ${cyan(command.padEnd(width))}${what}`)].join("\n")
  )
  return [
    `${bold("svc")}  ${dim("Run AI agents on machines of your own")}`,
    ...sections,
    dim(`svc COMMAND --help says more about a command.  v${version}`)
  ].join("\n\n") + "\n"
}
