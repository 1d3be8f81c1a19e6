// A newsroom: a leader who has a reporter find out and a writer write, and a publisher who asks a person before
// anything goes out. Whatever a member waits for is seen and answered on the team's run, or, where the team does a step
// of a workflow, on the workflow's.
import { Agent, serve, Step, Team, Tool, Workflow } from "@svc-runtime/server"
import { z } from "zod"

const archive = Tool.make({
  name: "search_archive",
  description: "Finds what was written about a subject before",
  effects: "read",
  parameters: z.object({ subject: z.string() }),
  execute: ({ subject }) => `Two years ago: ${subject} was expected to have no future. It has grown every month since.`
})

const publish = Tool.make({
  name: "publish",
  description: "Puts an article on the front page",
  requiresConfirmation: true,
  parameters: z.object({ headline: z.string() }),
  execute: ({ headline }, { sessionState }) => {
    sessionState["published"] = headline
    return `"${headline}" is on the front page.`
  }
})

const reporter = Agent.make({ id: "reporter", name: "Reporter", role: "Finds out what is known", tools: [archive] })

const writer = Agent.make({
  id: "writer",
  name: "Writer",
  role: "Writes one short article from facts",
  instructions: "Write at most five sentences, and a headline. Use only the facts that you are given."
})

const publisher = Agent.make({
  id: "publisher",
  name: "Publisher",
  role: "Puts finished articles on the front page",
  tools: [publish]
})

export const newsroom = Team.make({
  id: "newsroom",
  name: "Newsroom",
  instructions: "First have the facts found, then have the article written, then have it published.",
  members: [reporter, writer, publisher]
})

/** What is known beforehand is a step; what has to be found out is the team's. */
export const edition = Workflow.make({
  id: "edition",
  name: "Edition",
  steps: [
    Step.make({ name: "subject", effects: "read", run: ({ input }) => `Tomorrow we write about ${String(input)}.` }),
    Step.make({ name: "article", team: "newsroom" }),
    Step.make({
      name: "paper",
      effects: "read",
      run: ({ sessionState }) => ({ front_page: sessionState["published"] ?? "Nothing new" })
    })
  ]
})

if (import.meta.main) {
  serve({ agents: [reporter, writer], teams: [newsroom], workflows: [edition], name: "Newsroom" })
}
