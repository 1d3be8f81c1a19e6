// Mistakes in options of options: one that is not noticed there can leave a service open.
import { describe } from "@effect/vitest"
import { z } from "zod"
import { areRefused, type Mistaken, untyped } from "./Mistaken.ts"

const { Agent, Application, ForEach, Local, Loop, Route, Router, Step, Tool } = untyped

const a = Agent.make({ id: "a" })
const t = Tool.make({ name: "t", execute: () => 1 })

const mistakes: ReadonlyArray<Mistaken> = [
  [
    "authorization misspelt",
    () => Application.make({ agents: [a], authorization: { enable: true } }),
    "serve: authorization: there is no option 'enable'. Did you mean 'enabled'?"
  ],
  [
    "audience misspelt",
    () => Application.make({ agents: [a], authorization: { audiance: "orders" } }),
    "serve: authorization: there is no option 'audiance'. Did you mean 'audience'?"
  ],
  [
    "authorization enabled text",
    () => Application.make({ agents: [a], authorization: { enabled: "true" } }),
    "serve: authorization: enabled must be true or false, and is the text 'true'"
  ],
  [
    "authorization key shown",
    () => Application.make({ agents: [a], authorization: { verificationKeys: "short secret" } }),
    "serve: authorization: verificationKeys must be a list of secrets (texts or Redacted) that are not empty, and is a text"
  ],
  [
    "authorization source",
    () => Application.make({ agents: [a], authorization: { tokenSource: "query" } }),
    "serve: authorization: tokenSource must be one of header, cookie, both, not query"
  ],
  [
    "authorization flag",
    () => Application.make({ agents: [a], authorization: true }),
    "serve: authorization takes an object with options, and was given the boolean true. Write an object, such as " +
    "{ enabled: … }"
  ],
  [
    "serve limits misspelt",
    () => Application.make({ agents: [a], limits: { users: { runsAtOnce: 1 } } }),
    "serve: limits: there is no option 'users'. Did you mean 'user'?"
  ],
  [
    "serve limits of users misspelt",
    () => Application.make({ agents: [a], limits: { user: { runAtOnce: 1 } } }),
    "serve: limits: user: there is no option 'runAtOnce'. Did you mean 'runsAtOnce'?"
  ],
  [
    "serve limits exceeded",
    () => Application.make({ agents: [a], limits: { whenExceeded: "wait" } }),
    "serve: limits: whenExceeded must be one of refuse, queue, not wait"
  ],
  [
    "serve mcp misspelt",
    () => Application.make({ agents: [a], mcp: { authorise: () => false } }),
    "serve: mcp: there is no option 'authorise'. Did you mean 'authorize'?"
  ],
  [
    "serve mcp oauth misspelt",
    () => Application.make({ agents: [a], mcp: { oauth: { serve: "builtin" } } }),
    "serve: mcp: oauth: there is no option 'serve'. Did you mean 'server'?"
  ],
  [
    "serve mcp tags",
    () => Application.make({ agents: [a], mcp: { excludeTags: "core" } }),
    "serve: mcp: excludeTags must be a list, and is the text 'core'. Write [ … ] around it"
  ],
  [
    "serve evaluations misspelt",
    () => Application.make({ agents: [a], evaluations: { judges: "openai:gpt-5" } }),
    "serve: evaluations: there is no option 'judges'. Did you mean 'judge'?"
  ],
  [
    "serve registry misspelt",
    () => Application.make({ agents: [a], registry: { tool: [t] } }),
    "serve: registry: there is no option 'tool'. Did you mean 'tools'?"
  ],
  [
    "serve display names",
    () => Application.make({ agents: [a], displayNames: { sessions: "Chats" } }),
    "serve: displayNames: there is no option 'sessions'. Did you mean 'session'?"
  ],
  [
    "serve manifest",
    () => Application.make({ agents: [a], manifest: { a: { label: ["x"] } } }),
    "serve: manifest: a: there is no option 'label'. Did you mean 'labels'?"
  ],
  [
    "serve quick prompts",
    () => Application.make({ agents: [a], quickPrompts: { a: "Hello" } }),
    "serve: quickPrompts: a must be a list, and is the text 'Hello'. Write [ … ] around it"
  ],
  [
    "serve knowledge text",
    () => Application.make({ agents: [a], knowledge: ["x"] }),
    "serve: knowledge[0] must be a knowledge base, and is the text 'x'. Make it with Knowledge.make"
  ],
  [
    "serve databases text",
    () => Application.make({ agents: [a], databases: ["postgres://u:p@db/x"] }),
    "serve: databases[0] must be a database, and is a text. Make it with DatabaseHandle.postgres or DatabaseHandle.embedded"
  ],
  [
    "serve routes object",
    () => Application.make({ agents: [a], routes: [{ method: "GET", path: "/x" }] }),
    "serve: routes[0] must be a route, and is an object with method, path. Make it with Route.make"
  ],
  [
    "route without a scope",
    () => Route.make({ method: "GET", path: "/x", handle: () => 1 }),
    "The route GET /x has no scope. Write the one that a request needs, such as \"orders:read\", or \"none\" for each " +
    "authenticated caller"
  ],
  [
    "route without a slash",
    () => Route.make({ method: "GET", path: "x", scope: "none", handle: () => 1 }),
    "The route GET x must begin with /. Write path: \"/x\""
  ],
  [
    "route method in small letters",
    () => Route.make({ method: "get", path: "/x", scope: "none", handle: () => 1 }),
    "The route get /x has a method that cannot be added. Write method: \"GET\""
  ],
  [
    "route handler",
    () => Route.make({ method: "GET", path: "/x", scope: "none", handler: () => 1 }),
    "Route: there is no option 'handler'. Did you mean 'handle'?"
  ],
  [
    "route without handle",
    () => Route.make({ method: "GET", path: "/x", scope: "none" }),
    "The route GET /x has no handle"
  ],
  [
    "serve middleware function",
    () => Application.make({ agents: [a], middleware: [() => 1] }),
    "serve: middleware[0] must be a Layer, and is a function. Make it with HttpRouter.middleware"
  ],
  [
    "serve jobs object",
    () => Application.make({ agents: [a], jobs: [{ name: "x" }] }),
    "serve: jobs[0] must be a kind of jobs, and is an object with name. Make it with JobKind.make"
  ],
  [
    "memory misspelt",
    () => Agent.make({ id: "a", memory: { updates: "off" } }),
    "Agent 'a': memory: there is no option 'updates'. Did you mean 'update'?"
  ],
  [
    "memory tools text",
    () => Agent.make({ id: "a", memory: { tools: "yes" } }),
    "Agent 'a': memory: tools must be true or false, and is the text 'yes'"
  ],
  [
    "learning misspelt",
    () => Agent.make({ id: "a", learning: { modes: "always" } }),
    "Agent 'a': learning: there is no option 'modes'. Did you mean 'mode'?"
  ],
  [
    "summaries misspelt",
    () => Agent.make({ id: "a", sessionSummaries: { afterRun: 3 } }),
    "Agent 'a': sessionSummaries: there is no option 'afterRun'. Did you mean 'afterRuns'?"
  ],
  [
    "history summaries inline",
    () => Agent.make({ id: "a", summarizeHistory: { inline: true } }),
    "Agent 'a': summarizeHistory: there is no option 'inline'. Its options are afterRuns, afterTokens, model, instructions"
  ],
  [
    "past sessions misspelt",
    () => Agent.make({ id: "a", searchPastSessions: { session: 3 } }),
    "Agent 'a': searchPastSessions: there is no option 'session'. Did you mean 'sessions'?"
  ],
  [
    "media misspelt",
    () => Agent.make({ id: "a", showMedia: { newst: 1 } }),
    "Agent 'a': showMedia: there is no option 'newst'. Did you mean 'newest'?"
  ],
  [
    "scoring misspelt",
    () => Agent.make({ id: "a", onlineScoring: { scorers: [], sampelRate: 1 } }),
    "Agent 'a': onlineScoring: there is no option 'sampelRate'. Did you mean 'sampleRate'?"
  ],
  [
    "run schemas misspelt",
    () => Agent.make({ id: "a", runSchemas: { state: z.object({}) } }),
    "Agent 'a': runSchemas: there is no option 'state'. Its options are sessionState, dependencies, metadata"
  ],
  [
    "tool choice text",
    () => Agent.make({ id: "a", tools: [t], toolChoice: "always" }),
    "Agent 'a': toolChoice must be one of auto, none, required, not always"
  ],
  [
    "confirmation onReject",
    () => Step.make({ name: "s", agent: a, confirmation: { onReject: "stop" } }),
    "Step 's': confirmation: onReject must be one of skip, cancel, else, retry, not stop"
  ],
  [
    "confirmation onTimeout",
    () => Step.make({ name: "s", agent: a, confirmation: { timeout: "1 hour", onTimeout: "fail" } }),
    "Step 's': confirmation: onTimeout must be one of cancel, skip, approve, not fail"
  ],
  [
    "confirmation schema",
    () => Step.make({ name: "s", agent: a, confirmation: { schema: z.object({ a: z.string() }) } }),
    "Step 's': confirmation: there is no option 'schema'. Its options are message, onReject, maxRetries, timeout, onTimeout"
  ],
  [
    "user input onReject",
    () => Step.make({ name: "s", agent: a, userInput: { schema: z.object({ a: z.string() }), onReject: "stop" } }),
    "Step 's': userInput: onReject must be one of skip, cancel, else, retry, not stop"
  ],
  [
    "iteration review",
    () => Loop.make({ name: "l", steps: [() => 1], iterationReview: { onReject: "stop" } }),
    "Loop 'l': iterationReview: onReject must be one of skip, cancel, else, retry, not stop"
  ],
  [
    "selection misspelt",
    () => Router.make({ name: "r", choices: [() => 1], selection: { mutiple: true } }),
    "Router 'r': selection: there is no option 'mutiple'. Did you mean 'multiple'?"
  ],
  [
    "local option misspelt",
    () => Local.configure({ programm: "report" }),
    "Local.configure: there is no option 'programm'. Did you mean 'program'?"
  ],
  [
    "local resumedBy",
    () => Local.configure({ resumedBy: "servce" }),
    "Local.configure: resumedBy must be one of program, service, not servce"
  ],
  [
    "local program of another type",
    () => Local.configure({ program: 5 }),
    "Local.configure: program must be a text, and is the number 5"
  ],
  [
    "local program without a name",
    () => Local.configure({ program: "" }),
    "Local.configure: program is empty. Give the program a name, or leave it out"
  ],
  [
    "local with two databases",
    () => Local.configure({ dataDir: "data", databaseUrl: "postgres://db/svc" }),
    "Local.configure has a dataDir and a databaseUrl. Leave one of them out"
  ],
  [
    "for each onError",
    () => ForEach.make({ name: "f", steps: [() => 1], onError: "pause" }),
    "ForEach 'f': onError must be one of fail, skip, not pause"
  ]
]

describe("mistakes in nested options", () => {
  areRefused(mistakes)
})
